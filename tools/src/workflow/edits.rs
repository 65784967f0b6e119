//! The changes of an event since its submission.

use super::{SubmitForApproval, notices::format_instant};
use domain::{Capability, Event, EventId};
use gateway::{Context, Operation, Result};
use store::history::{self, RecordedChange};

/// The maximum number of changes that the text lists.
const MOST_LINES: i64 = 20;

/// The history fields of a stage decision. They do not count as edits.
const DECISION_FIELDS: [&str; 4] = [
    "changed_after_approval_of",
    "decided_as",
    "decision",
    "stage",
];

/// Finds the last submission of the event.
async fn find_last_submission(
    ctx: &Context<'_>,
    event_id: &EventId,
) -> Result<Option<RecordedChange>> {
    let action = SubmitForApproval::SPEC.name;
    Ok(history::find_last_by_operation(&ctx.db(), event_id, action).await?)
}

/// Refuses (403) to withdraw a submission, unless the caller submitted it or may approve.
pub(super) async fn require_withdrawal(ctx: &Context<'_>, event: &Event) -> Result<()> {
    let caller = ctx.caller()?;
    if caller.has_capability(Capability::Approve) {
        return Ok(());
    }
    let submitted = find_last_submission(ctx, &event.id).await?;
    if submitted.is_some_and(|line| line.actor_member_id == caller.member.id) {
        return Ok(());
    }
    Err(caller
        .missing_capability_error(Capability::Approve)
        .because("O evento está em aprovação: só quem aprova, ou quem o enviou, pode retirá-lo."))
}

/// Describes the changes of an event since its submission; `None` if it has no changes.
pub(super) async fn describe_edits_since_submission(
    ctx: &Context<'_>,
    event_id: &EventId,
) -> Result<Option<String>> {
    let Some(submitted) = find_last_submission(ctx, event_id).await? else {
        return Ok(None);
    };
    let lines =
        history::list_since(&ctx.db(), event_id, submitted.api_revision, MOST_LINES).await?;
    let mut edits = vec![];
    let is_edit = |line: &&RecordedChange| {
        let mut fields = line.changed_fields().into_iter();
        fields.any(|field| !DECISION_FIELDS.contains(&field))
    };
    for line in lines.iter().rev().filter(is_edit) {
        let fields = line.changed_fields();
        edits.push(format!(
            "{} mudou `{}` em {}",
            line.actor_name,
            fields.join("`, `"),
            format_instant(line.occurred_at)
        ));
    }
    if edits.is_empty() {
        return Ok(None);
    }
    Ok(Some(format!(
        "O evento foi editado depois do envio e a decisão veio sem `expected_revision`: {}. \
         Confira com `get_event` o que foi decidido.",
        edits.join("; ")
    )))
}
