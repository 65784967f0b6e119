use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{edits, hints};
use crate::announcements::PIECE_UPDATED;
use crate::editable::{EVENT_NOT_EDITABLE, next_step_advice, require_revision};
use crate::visibility::{self, EVENT};
use domain::{Capability, EventId, EventStatus, Revision, VISIBLE};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::events::{self, Change, Event};

/// Devolve a `em progresso` um evento `em aprovação` ou `aprovado`.
///
/// Quem enviou ou aprova retira o envio sem decisão; só quem aprova reabre o aprovado, com
/// `motivo`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ReopenEvent {
    /// Id do evento.
    #[serde(rename = "eventId")]
    event_id: EventId,
    /// O `api_revision` lido.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// Obrigatório para um `aprovado`.
    #[schemars(length(min = 1, max = 2000), regex(pattern = *VISIBLE))]
    motivo: Option<String>,
}

/// Evento reaberto.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventReopened {
    ok: bool,
    status: EventStatus,
    api_revision: Revision,
}

impl Operation for ReopenEvent {
    const SPEC: Spec = Spec::new(
        "reopen_event",
        "Reabrir peça",
        Verb::Post,
        "/api/eventos/{eventId}/reabrir",
    )
    .access(Access::MemberAny(&[
        Capability::Enviar,
        Capability::Approve,
    ]))
    .about(EVENT, "eventId")
    .read_by("get_event")
    .fails(&[404])
    .extension()
    .idempotent()
    .hints(hints::REOPEN)
    .tool()
    .announces(&[PIECE_UPDATED]);
    type Output = EventReopened;

    async fn run(self, ctx: &Context<'_>) -> Result<EventReopened> {
        let before = visibility::require_event(ctx, &self.event_id).await?;
        require_revision(ctx, &before, self.expected_revision).await?;
        match before.status {
            EventStatus::InApproval => edits::require_withdrawal(ctx, &before).await?,
            EventStatus::Approved => self.require_reopening_right(ctx)?,
            _ => return Err(not_reopenable_error(&before)),
        }
        let mut after = before.clone();
        after.status = EventStatus::InProgress;
        let change = Change {
            actor: &ctx.caller()?.member.id,
            action: Self::SPEC.name,
            reason: self.motivo.as_deref(),
        };
        let saved = events::save(&ctx.db(), &before, after, change, ctx.now).await?;
        Ok(EventReopened {
            ok: true,
            status: saved.status,
            api_revision: saved.api_revision,
        })
    }
}

impl ReopenEvent {
    /// Refuses (403) a caller who may not approve, and (400) a request without a reason.
    fn require_reopening_right(&self, ctx: &Context<'_>) -> Result<()> {
        let caller = ctx.caller()?;
        if !caller.has_capability(Capability::Approve) {
            return Err(caller
                .missing_capability_error(Capability::Approve)
                .because("O evento está aprovado: só quem aprova pode reabri-lo."));
        }
        match self.motivo {
            Some(_) => Ok(()),
            None => Err(Error::invalid_field(
                "motivo",
                "required",
                "é obrigatório para reabrir um evento aprovado",
            )),
        }
    }
}

fn not_reopenable_error(event: &Event) -> Error {
    Error::new(EVENT_NOT_EDITABLE)
        .because(format!(
            "O evento está `{}`; só `em aprovação` e `aprovado` se reabrem aqui.",
            event.status
        ))
        .with_detail("status", event.status.as_str().into())
        .with_detail("next", next_step_advice(event.status).into())
}
