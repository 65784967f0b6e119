use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{hints, remark_view::RemarkView};
use crate::{draft_remarks::sees_draft_threads, visibility};
use domain::{
    Capability, Cursor, Event, EventId, EventStatus, Limit, ListPage, MemberId, RemarkId, Revision,
    TemplateId, text_enum,
};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb};
use store::{
    events,
    remarks::{self, Filter, State},
};

text_enum! {
    /// Which threads a list has.
    pub enum ListedState {
        Open = "aberto",
        Resolved = "resolvido",
        All = "todos",
    }
}

impl ListedState {
    fn open() -> Self {
        Self::Open
    }
}

/// Lista comentários de peças: o que ajustar. Conversas antigas antes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListRemarks {
    /// Só desta peça.
    event_id: Option<EventId>,
    /// Da conversa.
    #[serde(default = "ListedState::open")]
    estado: ListedState,
    /// Em que escreveu.
    autor: Option<MemberId>,
    /// Só as que me mencionam.
    #[serde(default)]
    mencionam_me: bool,
    /// Só deste e-mail.
    template_id: Option<TemplateId>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Uma página de comentários.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Remarks {
    /// Os de uma conversa ficam juntos, o primeiro dela antes.
    comentarios: Vec<RemarkView>,
    /// Como a peça está agora, com `event_id`; ausente sem ele.
    #[serde(skip_serializing_if = "Option::is_none")]
    peca: Option<CurrentPiece>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// A peça de que são os comentários.
#[derive(Debug, Serialize, JsonSchema)]
struct CurrentPiece {
    /// A mandar em `expected_revision`.
    api_revision: Revision,
    status: EventStatus,
    /// A legenda de agora, só na primeira página; ausente quando não está escrita, ou não cabe no
    /// resultado.
    #[serde(skip_serializing_if = "Option::is_none")]
    legenda: Option<String>,
}

impl CurrentPiece {
    fn from_event(event: Event, is_first_page: bool) -> Self {
        let is_shown = is_first_page && !event.has_unwritten_caption();
        Self {
            api_revision: event.api_revision,
            status: event.status,
            legenda: event.description.filter(|_| is_shown),
        }
    }
}

impl Operation for ListRemarks {
    const SPEC: Spec = Spec::new(
        "list_remarks",
        "Listar comentários",
        Verb::Get,
        "/api/comentarios",
    )
    .access(Access::Member(Capability::TasksView))
    .fails(&[404])
    .extension()
    .hints(hints::LIST)
    .links(&[
        Link {
            operation: "add_remark",
            inputs: &[
                ("eventId", "/comentarios/0/event_id"),
                ("responde_a", "/comentarios/0/conversa"),
            ],
        },
        Link {
            operation: "update_remark",
            inputs: &[("remarkId", "/comentarios/0/id")],
        },
    ])
    .tool()
    .quotes();
    type Output = Remarks;

    fn omit_separately_readable_parts(answer: &mut Value) -> bool {
        let piece = answer.get_mut("peca").and_then(Value::as_object_mut);
        piece.is_some_and(|piece| piece.remove("legenda").is_some())
    }

    fn required_capabilities(&self) -> Vec<Capability> {
        let of_draft = self.template_id.is_some();
        of_draft
            .then_some(Capability::EmailDraftsView)
            .into_iter()
            .collect()
    }

    async fn run(self, ctx: &Context<'_>) -> Result<Remarks> {
        let after = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position::<(RemarkId, RemarkId)>)
            .transpose()?;
        let db = ctx.db();
        let piece = match &self.event_id {
            Some(id) => Some(visibility::require_event(ctx, id).await?),
            None => None,
        };
        let is_first_page = after.is_none();
        let caller = ctx.caller()?;
        let filter = Filter {
            event_id: self.event_id,
            visible_to: visibility::visible_to(ctx)?.cloned(),
            state: match self.estado {
                ListedState::Open => Some(State::Open),
                ListedState::Resolved => Some(State::Resolved),
                ListedState::All => None,
            },
            author: self.autor,
            mentioned: self.mencionam_me.then(|| caller.member.id.clone()),
            template_id: self.template_id,
            without_email_drafts: !sees_draft_threads(caller),
            after,
        };
        let rows = remarks::list(&db, filter, self.limit.fetch_limit()).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |remark| {
            (remark.thread_id.clone(), remark.id.clone())
        });
        let rows = &page.rows;
        let mut mentions = remarks::load_mentions(&db, rows.iter().map(|one| &one.id)).await?;
        let mut ids: Vec<&EventId> = rows.iter().map(|one| &one.event_id).collect();
        ids.sort_unstable();
        ids.dedup();
        let pieces = events::find_all(&db, ids.into_iter()).await?;
        let find_piece = |id: &EventId| pieces.iter().find(|event| event.id == *id);
        let mut comentarios = Vec::with_capacity(rows.len());
        for remark in page.rows {
            let mentioned = mentions.remove(&remark.id).unwrap_or_default();
            let event = find_piece(&remark.event_id);
            comentarios.push(RemarkView::from_remark(remark, mentioned, event)?);
        }
        Ok(Remarks {
            comentarios,
            peca: piece.map(|piece| CurrentPiece::from_event(piece, is_first_page)),
            next_cursor: page.next_cursor,
        })
    }
}
