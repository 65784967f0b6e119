use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{hints, status_or_processing};
use crate::announcements::PIECE_UPDATED;
use crate::editable::require_editable_at;
use crate::visibility::{self, EVENT};
use domain::{Capability, EventId, EventStatus, Revision, text_enum, time::Timestamp};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::{
    events::{self, Change, Event},
    history,
};

text_enum! {
    /// A status that a draft may set. No such status approves the event.
    pub enum DraftStatus {
        Todo = "a fazer",
        InProgress = "em progresso",
        Processing = "processing",
    }
}

impl DraftStatus {
    fn in_progress() -> Self {
        Self::InProgress
    }
}

impl From<DraftStatus> for EventStatus {
    fn from(status: DraftStatus) -> Self {
        match status {
            DraftStatus::Todo => Self::Todo,
            DraftStatus::InProgress => Self::InProgress,
            DraftStatus::Processing => Self::Processing,
        }
    }
}

/// Salva a legenda e o estado de um evento em elaboração. Enviar:
/// `submit_for_approval`; data e responsáveis: `update_event`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SaveDraft {
    /// Id do evento.
    event_id: EventId,
    /// O `api_revision` lido.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// Legenda; ausente mantém.
    #[schemars(length(max = 20000))]
    caption: Option<String>,
    /// Em vez de `caption`: a desta revisão.
    #[schemars(range(min = 1, max = 9007199254740991i64))]
    caption_revision: Option<Revision>,
    /// Estado de trabalho.
    #[serde(default = "DraftStatus::in_progress")]
    status: DraftStatus,
}

/// Rascunho salvo.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DraftSaved {
    ok: bool,
    status: EventStatus,
    api_revision: Revision,
    /// A legenda que ficou gravada; ausente quando não há, ou não cabe no resultado.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    due_at: Option<Timestamp>,
}

impl Operation for SaveDraft {
    const SPEC: Spec = Spec::new("save_draft", "Salvar rascunho", Verb::Post, "/api/draft")
        .access(Access::Member(Capability::DraftSave))
        .about(EVENT, "event_id")
        .read_by("get_event")
        .fails(&[404])
        .idempotent()
        .destructive()
        .hints(hints::DRAFT)
        .tool()
        .announces(&[PIECE_UPDATED]);
    type Output = DraftSaved;

    fn omit_separately_readable_parts(answer: &mut Value) -> bool {
        let answer = answer.as_object_mut();
        answer.is_some_and(|answer| answer.remove("description").is_some())
    }

    async fn run(self, ctx: &Context<'_>) -> Result<DraftSaved> {
        let before = visibility::require_event(ctx, &self.event_id).await?;
        require_editable_at(ctx, &before, self.expected_revision).await?;
        let mut after = before.clone();
        after.status = self.status.into();
        if before.status == EventStatus::Processing {
            after.status = status_or_processing(ctx, &before, after.status).await?;
        }
        after.description = match self.caption_revision {
            None => self.caption.or(after.description),
            Some(_) if self.caption.is_some() => {
                return Err(Error::invalid_field(
                    "caption_revision",
                    "not",
                    "vem em vez de `caption`; informe só um dos dois",
                ));
            }
            Some(revision) => load_caption_at(ctx, &before, revision).await?,
        };
        let actor = &ctx.caller()?.member.id;
        let change = Change {
            actor,
            action: Self::SPEC.name,
            reason: None,
        };
        let saved = events::save(&ctx.db(), &before, after, change, ctx.now).await?;
        Ok(DraftSaved {
            ok: true,
            status: saved.status,
            api_revision: saved.api_revision,
            description: saved.description,
            due_at: saved.due_at.map(Timestamp),
        })
    }
}

/// Loads the caption that the event had at a revision.
async fn load_caption_at(
    ctx: &Context<'_>,
    event: &Event,
    revision: Revision,
) -> Result<Option<String>> {
    if revision > event.api_revision {
        return Err(Error::invalid_field(
            "caption_revision",
            "maximum",
            "não está no histórico; veja as revisões em `get_event`",
        ));
    }
    Ok(history::caption_at(&ctx.db(), event, revision).await?)
}
