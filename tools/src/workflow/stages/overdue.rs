//! The job that handles stages whose deadline has passed.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::{announcements::STAGE_OVERDUE, visibility::EVENT};
use domain::{
    approval::WhenOverdue,
    time::{Millis, Timestamp},
};
use gateway::{
    AuditRow, Outcome, Result,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use store::{
    approvals::{self, Running},
    audit,
};

/// The number of stages handled in one transaction.
const BATCH: i64 = 100;

/// Marks stages whose deadline has passed and records the reminders and escalations. The job decides no
/// stage.
#[derive(Serialize, Deserialize)]
pub struct HandleOverdueStages;

impl Job for HandleOverdueStages {
    const NAME: &'static str = "handle_overdue_stages";

    fn schedule(_: &gateway::Services) -> Schedule<Self> {
        Schedule::Every(Duration::from_secs(60), Self)
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let services = ctx.services();
        loop {
            let now = services.clock.now();
            if ctx.is_stopping() {
                return JobOutcome::Again(now);
            }
            match handle_batch(ctx, now).await {
                Ok(0) => return JobOutcome::Done,
                Ok(_) => services.changes.mark_area("workflow"),
                Err(error) => return JobOutcome::from_result(Err::<(), _>(error), now),
            }
        }
    }
}

/// Handles a batch of overdue stages, each stage once: the mark and its audit row commit together.
/// Returns the number of stages in the batch.
async fn handle_batch(ctx: &JobContext, now: Millis) -> Result<usize> {
    let tx = ctx.services().db.begin().await?;
    let db = tx.conn();
    let overdue = approvals::take_overdue(&db, now, BATCH).await?;
    for row in overdue.iter().filter_map(|one| build_audit_row(one, now)) {
        audit::insert(&db, row).await?;
    }
    for one in overdue.iter().filter(|one| is_announced(one)) {
        let piece = (EVENT, one.event_id.as_str());
        STAGE_OVERDUE
            .record(ctx.services(), &db, piece, Map::new())
            .await?;
    }
    ctx.commit(tx).await?;
    Ok(overdue.len())
}

/// Returns true if the overdue stage is announced, which the rule can turn off (`WhenOverdue::Hold`).
fn is_announced(running: &Running) -> bool {
    let stage = running.approval.current();
    stage.is_some_and(|stage| stage.when_overdue != WhenOverdue::Hold)
}

/// Builds the audit row of a reminder or an escalation; `None` if the stage is only marked.
fn build_audit_row(running: &Running, now: Millis) -> Option<AuditRow> {
    let stage = running.approval.current()?;
    let mut metadata = Map::new();
    metadata.insert("stage".into(), stage.name.as_str().into());
    metadata.insert(
        "due_at".into(),
        json!(running.approval.due_at.map(Timestamp)),
    );
    metadata.insert("notify".into(), json!(stage.notify));
    Some(AuditRow {
        occurred_at: now,
        request_id: None,
        actor_member_id: None,
        actor_user_id: None,
        token_id: None,
        auth_method: "system",
        capability: None,
        action: match stage.when_overdue {
            WhenOverdue::Remind => "remind_overdue_stage",
            WhenOverdue::Escalate => "escalate_overdue_stage",
            WhenOverdue::Hold => return None,
        },
        resource_type: Some(EVENT.kind),
        resource_id: Some(running.event_id.as_str().to_owned()),
        outcome: Outcome::Succeeded,
        status_code: None,
        metadata,
    })
}
