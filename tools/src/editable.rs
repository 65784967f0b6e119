//! The conditions under which an event may change.

use domain::{EventStatus, Revision};
use gateway::{Code, Context, Error, Result};
use store::{
    Conn,
    events::{self, Event},
};

pub(crate) const EVENT_NOT_EDITABLE: Code = Code::new(
    "EVENT_NOT_EDITABLE",
    409,
    "O evento não pode ser editado neste status.",
)
.with_next_step(
    "Releia o evento; só `a fazer`, `em progresso`, `processing` e `recusado` aceitam edição.",
);

pub(crate) const NOT_APPROVED: Code = Code::new("NOT_APPROVED", 409, "O evento não está aprovado.")
    .with_next_step("Só um evento `aprovado` pode ser publicado.");

/// Refuses (409) an `expected` revision that is not the current revision of the event.
pub(crate) async fn require_revision(
    ctx: &Context<'_>,
    event: &Event,
    expected: Revision,
) -> Result<()> {
    require_revision_in(&ctx.db(), event, expected).await
}

/// Refuses (409) an `expected` revision that is not the current revision of the event, like
/// [`require_revision`]. Reads with `db`, which may be an open transaction.
pub(crate) async fn require_revision_in(
    db: &Conn<'_>,
    event: &Event,
    expected: Revision,
) -> Result<()> {
    if event.api_revision == expected {
        return Ok(());
    }
    Err(events::load_stale_refusal(db, &event.id, expected).await?)
}

/// Refuses (409) an `expected` revision that is not the current revision of the event, and an event
/// whose content may no longer change. If both apply, the refusal says both.
pub(crate) async fn require_editable_at(
    ctx: &Context<'_>,
    event: &Event,
    expected: Revision,
) -> Result<()> {
    let editable = require_editable(event);
    match (require_revision(ctx, event, expected).await, editable) {
        (Ok(()), editable) => editable,
        (Err(stale), Ok(())) => Err(stale),
        (Err(stale), Err(_)) => {
            let next = format!(
                "O evento agora está `{}`. {}",
                event.status,
                next_step_advice(event.status)
            );
            let status = event.status.as_str().into();
            Err(stale
                .with_detail("status", status)
                .with_detail("next", next.into()))
        }
    }
}

/// Refuses (409) an event whose content may no longer change.
pub(crate) fn require_editable(event: &Event) -> Result<()> {
    if event.status.is_editable() {
        return Ok(());
    }
    Err(Error::new(EVENT_NOT_EDITABLE)
        .because(format!(
            "O evento está `{}` e não pode ser editado.",
            event.status
        ))
        .with_detail("status", event.status.as_str().into())
        .with_detail("next", next_step_advice(event.status).into()))
}

/// Returns advice on how to proceed with an event whose content may not change.
pub(crate) fn next_step_advice(status: EventStatus) -> &'static str {
    match status {
        EventStatus::InApproval => {
            "Aguarda decisão em `decide_approval`, em que quem aprova ajusta data e legenda. Quem o \
             enviou, ou quem aprova, o retira com `reopen_event`, e ele volta a ser editável."
        }
        EventStatus::Approved => {
            "`update_event` muda título, canal, data e responsáveis. Para refazer a legenda ou as \
             mídias, quem aprova o reabre com `reopen_event` e um `motivo`. Canais que mudaram esperam \
             `decide_variants`."
        }
        EventStatus::Published => {
            "Já está no ar: para outra peça, use `create_demand`; para tirá-lo da agenda, arquive \
             com `update_event`."
        }
        EventStatus::Archived => "Reabra com `update_event` e `status` `a fazer`.",
        EventStatus::Todo
        | EventStatus::InProgress
        | EventStatus::Processing
        | EventStatus::Refused => {
            "Está em elaboração: edite com `save_draft` e envie com `submit_for_approval`."
        }
    }
}
