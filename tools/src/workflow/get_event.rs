use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    event_view::{EventView, add_approvals},
    stages::Detail,
};
use crate::{
    draft_remarks::sees_draft_threads,
    media_ref::MediaRef,
    publishing::scheduled::Publishers,
    variants::VariantView,
    visibility::{self, EVENT, visible_to},
};
use domain::{
    Capability, Cursor, EventChangeId, EventId, Limit, ListPage, MediaId, MemberId, Revision,
    time::Timestamp,
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{history, media, remarks, scheduled_posts, variants};

/// The maximum number of media in `former_media`.
const MOST_FORMER_MEDIA: usize = 100;

/// Lê um evento com legenda, mídias, `api_revision` e histórico (o mais novo antes).
///
/// Leia antes de cada escrita. `description` é a legenda (`caption` nas escritas), `briefing` a
/// `description` da demanda, `editorial_tag` o `tipo`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetEvent {
    /// Id do evento.
    #[serde(rename = "eventId")]
    event_id: EventId,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` da página anterior do histórico.
    cursor: Option<Cursor>,
}

/// Evento e histórico.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventWithHistory {
    evento: EventView,
    /// Quantas conversas de comentários estão abertas; leia-as com `list_remarks`.
    comentarios_abertos: i64,
    /// O que a peça diz em cada canal a que vai, como `put_variants` grava; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    variantes: Vec<VariantView>,
    historico: Vec<HistoryLine>,
    /// As mídias que este histórico cita e que já não estão no evento, das mais recentes às mais
    /// antigas, até 100; só as que quem chama pode ver. Ausente quando não há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    former_media: Vec<MediaRef>,
    /// Para pedir mais histórico; nulo no fim.
    next_cursor: Option<String>,
}

/// Uma mudança do evento.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistoryLine {
    id: EventChangeId,
    /// A revisão que resultou da mudança.
    api_revision: Revision,
    /// A operação que mudou.
    action: String,
    actor_member_id: MemberId,
    actor_name: String,
    /// Verdadeiro quando quem mudou foi a pessoa convidada por `actor_member_id`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    convidado: bool,
    /// O agente ou token por meio do qual a pessoa mudou; ausente quando foi ela mesma.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// Por campo: `{before, after}`. `decision` diz `pedir_ajustes` quando a recusa pediu ajustes.
    changes: Map<String, Value>,
    /// Motivo informado, como o de uma recusa.
    reason: Option<String>,
    occurred_at: Timestamp,
}

impl Operation for GetEvent {
    const SPEC: Spec = Spec::new("get_event", "Ler peça", Verb::Get, "/api/eventos/{eventId}")
        .access(Access::Member(Capability::TasksView))
        .about(EVENT, "eventId")
        .fails(&[404])
        .extension()
        .tool()
        .quotes();
    type Output = EventWithHistory;

    async fn run(self, ctx: &Context<'_>) -> Result<EventWithHistory> {
        let before = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?
            .unwrap_or(Revision::MAX);
        let event = visibility::require_event(ctx, &self.event_id).await?;
        let lines = history::list(&ctx.db(), &event.id, before, self.limit.fetch_limit()).await?;
        let page = ListPage::from_fetched_rows(lines, self.limit, |line| line.api_revision);
        let counts =
            remarks::count_open(&ctx.db(), sees_draft_threads(ctx.caller()?), [&event.id]).await?;
        let counts = counts.get(&event.id).copied().unwrap_or_default();
        let former = former_media_ids(&page.rows, &event.media);
        let variantes = variants::list(&ctx.db(), &event.id).await?;
        let posts = match variantes.is_empty() {
            true => vec![],
            false => scheduled_posts::load_published(&ctx.db(), &event.id).await?,
        };
        let publishers = Publishers::load(ctx, &variantes).await?;
        let variantes = variantes.into_iter();
        let variantes = variantes
            .map(|variant| {
                let view = VariantView::new(variant, &event).with_post(&posts);
                view.with_publisher(&publishers)
            })
            .collect();
        let mut view = [EventView::from_event(event, ctx)];
        add_approvals(ctx, &mut view, Detail::AllStages).await?;
        let [evento] = view;
        Ok(EventWithHistory {
            former_media: find_media_in_order(ctx, &former).await?,
            comentarios_abertos: counts.open,
            evento,
            variantes,
            historico: page
                .rows
                .into_iter()
                .map(HistoryLine::from_change)
                .collect(),
            next_cursor: page.next_cursor,
        })
    }
}

/// Returns the media that these changes name and that are no longer on the event, without
/// duplicates.
fn former_media_ids(
    lines: &[history::RecordedChange],
    current: &[store::events::Attached],
) -> Vec<MediaId> {
    let changes = lines.iter().filter_map(|line| line.changes.0.get("media"));
    let slides = changes.flat_map(|change| [&change["before"], &change["after"]]);
    let slides = slides.filter_map(Value::as_array).flatten();
    let mut ids: Vec<MediaId> = vec![];
    for id in slides.filter_map(|slide| slide["id"].as_str()) {
        let is_known = current.iter().any(|slide| slide.id.as_str() == id)
            || ids.iter().any(|known| known.as_str() == id);
        if !is_known {
            ids.push(id.into());
        }
        if ids.len() == MOST_FORMER_MEDIA {
            break;
        }
    }
    ids
}

/// Finds the media with these ids that the caller may see, in the order of `ids`.
async fn find_media_in_order(ctx: &Context<'_>, ids: &[MediaId]) -> Result<Vec<MediaRef>> {
    let mut found = media::find_visible(&ctx.db(), visible_to(ctx)?, ids).await?;
    found.sort_by_key(|media| ids.iter().position(|id| *id == media.id));
    let found = found.into_iter();
    Ok(found
        .map(|media| MediaRef::from_detached_media(media, ctx))
        .collect())
}

impl HistoryLine {
    fn from_change(line: history::RecordedChange) -> Self {
        Self {
            changes: line.changes.0,
            id: line.id,
            api_revision: line.api_revision,
            action: line.action,
            actor_member_id: line.actor_member_id,
            actor_name: line.actor_name,
            convidado: line.by_guest,
            agent: line.agent,
            reason: line.reason,
            occurred_at: Timestamp(line.occurred_at),
        }
    }
}
