//! The running approvals of submitted pieces: the current stage of each, and the votes.
//!
//! The rows are written in the transaction that changes the piece. The revision of the piece decides
//! between two concurrent callers. `events::save` deletes the rows when the piece leaves the approval.

use std::collections::HashMap;

use sea_orm::Value;

use super::{Bind, Conn, Row};
use crate::{Result, history::GUEST_LINK};
use domain::{
    Error, EventId, MemberId, Revision,
    approval::{Approval, Plan, Vote, Voter},
    time::Millis,
};

/// A running approval.
#[derive(Debug, Clone)]
pub struct Running {
    pub event_id: EventId,
    pub approval: Approval,
    /// The revision of the piece with which the current stage began.
    pub revision: Revision,
    /// The last revision that changed the caption or the media during the approval.
    pub content_revision: Option<Revision>,
    /// The names of the members and guests who approved, in the order of `approval.votes`. The name of a
    /// guest is stored in the link with which the vote was cast; `None` if the link is unknown.
    pub names: Vec<Option<String>>,
    /// The revisions of the piece that these votes resulted in, in the order of `approval.votes`.
    pub vote_revisions: Vec<Revision>,
}

impl Running {
    /// True if the caption or the media changed after a vote. `vote` is the index in `approval.votes`.
    #[must_use]
    pub fn has_changed_since(&self, vote: usize) -> bool {
        let voted = self.vote_revisions.get(vote);
        self.content_revision
            .is_some_and(|changed| voted.is_some_and(|voted| *voted < changed))
    }
}

const SELECT: &str = "
SELECT a.event_id, a.plan, a.stage, a.revision, a.entered_at, a.due_at, a.overdue_handled_at,
    a.content_revision, v.stage AS vote_stage, v.revision AS vote_revision, v.member_id, v.decided_at,
    COALESCE(m.name, w.guest_name) AS name
FROM approvals a
LEFT JOIN approval_votes v ON v.event_id = a.event_id
LEFT JOIN members m ON m.id = v.member_id
LEFT JOIN event_history h ON v.member_id = '' AND h.event_id = v.event_id
    AND h.api_revision = v.revision
{guest_link}
{where}
ORDER BY a.event_id, v.decided_at, v.stage, v.member_id";

/// Finds the running approval of a piece.
pub async fn find(db: &Conn<'_>, event_id: &EventId) -> Result<Option<Running>> {
    Ok(load(db, [event_id]).await?.remove(event_id))
}

/// Loads the running approvals of these pieces, in one query. Pieces without a running approval are
/// missing.
pub async fn load(
    db: &Conn<'_>,
    events: impl IntoIterator<Item = &EventId>,
) -> Result<HashMap<EventId, Running>> {
    let events: Vec<_> = events.into_iter().map(Bind::value).collect();
    if events.is_empty() {
        return Ok(HashMap::new());
    }
    let places: Vec<String> = (1..=events.len()).map(|n| format!("${n}")).collect();
    let condition = format!("WHERE a.event_id IN ({})", places.join(", "));
    let running = select(db, &condition, events).await?.into_iter();
    Ok(running.map(|one| (one.event_id.clone(), one)).collect())
}

/// True if a piece has a running approval.
pub async fn any_is_running(db: &Conn<'_>) -> Result<bool> {
    let sql = "SELECT 1 AS n FROM approvals LIMIT 1";
    Ok(db.fetch_one(sql, []).await?.is_some())
}

/// Counts the running approvals without a vote in their current stage. Groups them by rule, stage and
/// whether the stage is overdue, because nothing else decides which members may approve.
pub async fn count_without_stage_votes(db: &Conn<'_>) -> Result<Vec<(Approval, i64)>> {
    let sql = "SELECT a.plan, a.stage,
            CASE WHEN a.overdue_handled_at IS NULL THEN CAST(0 AS BIGINT)
                ELSE CAST(1 AS BIGINT) END AS overdue, count(*) AS n
        FROM approvals a
        WHERE NOT EXISTS (SELECT 1 FROM approval_votes v
            WHERE v.event_id = a.event_id AND v.stage = a.stage)
        GROUP BY a.plan, a.stage, overdue";
    let rows = db.fetch_all(sql, []).await?;
    let read = |row: &Row| {
        let (plan, overdue): (String, i64) =
            (row.try_get("", "plan")?, row.try_get("", "overdue")?);
        let approval = Approval {
            plan: serde_json::from_str(&plan)?,
            stage: read_index(row.try_get("", "stage")?)?,
            entered_at: 0,
            due_at: None,
            is_overdue: overdue != 0,
            votes: vec![],
        };
        Ok((approval, row.try_get("", "n")?))
    };
    rows.iter().map(read).collect()
}

/// Lists the running approvals with at least one vote in their current stage, which needs more votes.
pub async fn list_with_stage_votes(db: &Conn<'_>) -> Result<Vec<Running>> {
    let condition = "WHERE EXISTS (SELECT 1 FROM approval_votes o
        WHERE o.event_id = a.event_id AND o.stage = a.stage)";
    select(db, condition, vec![]).await
}

/// Counts the pieces in approval without a running approval, up to `most`.
pub async fn count_pieces_without(db: &Conn<'_>, most: i64) -> Result<i64> {
    let sql = "SELECT count(*) AS n FROM (SELECT 1 FROM events e
        WHERE e.status = 'em aprovação'
          AND NOT EXISTS (SELECT 1 FROM approvals a WHERE a.event_id = e.id)
        LIMIT $1 + 0) free";
    let row = db.fetch_one(sql, [most.into()]).await?;
    Ok(row
        .map(|row| row.try_get("", "n"))
        .transpose()?
        .unwrap_or(0))
}

async fn select(db: &Conn<'_>, condition: &str, values: Vec<Value>) -> Result<Vec<Running>> {
    let sql = SELECT
        .replace("{guest_link}", GUEST_LINK)
        .replace("{where}", condition);
    let rows = db.fetch_all(&sql, values).await?;
    let mut all: Vec<Running> = vec![];
    // Many pieces follow the same rule, so each distinct rule is parsed once.
    let mut plans: HashMap<String, Plan> = HashMap::new();
    for row in &rows {
        let event_id: EventId = row.try_get("", "event_id")?;
        if all.last().is_none_or(|last| last.event_id != event_id) {
            let text: String = row.try_get("", "plan")?;
            let plan = match plans.get(&text) {
                Some(plan) => plan.clone(),
                None => {
                    let plan: Plan = serde_json::from_str(&text)?;
                    plans.insert(text, plan.clone());
                    plan
                }
            };
            all.push(read_running(row, event_id, plan)?);
        }
        let stage: Option<i64> = row.try_get("", "vote_stage")?;
        let (Some(stage), Some(one)) = (stage, all.last_mut()) else {
            continue;
        };
        let member: String = row.try_get("", "member_id")?;
        one.names.push(row.try_get("", "name")?);
        one.approval.votes.push(Vote {
            stage: read_index(stage)?,
            voter: match member.is_empty() {
                true => Voter::Guest,
                false => Voter::Member(MemberId::from(member)),
            },
            decided_at: row.try_get("", "decided_at")?,
        });
        one.vote_revisions.push(row.try_get("", "vote_revision")?);
    }
    Ok(all)
}

fn read_running(row: &Row, event_id: EventId, plan: Plan) -> Result<Running> {
    let handled: Option<Millis> = row.try_get("", "overdue_handled_at")?;
    Ok(Running {
        event_id,
        approval: Approval {
            plan,
            stage: read_index(row.try_get("", "stage")?)?,
            entered_at: row.try_get("", "entered_at")?,
            due_at: row.try_get("", "due_at")?,
            is_overdue: handled.is_some(),
            votes: vec![],
        },
        revision: row.try_get("", "revision")?,
        content_revision: row.try_get("", "content_revision")?,
        names: vec![],
        vote_revisions: vec![],
    })
}

fn read_index(stored: i64) -> Result<usize> {
    Ok(usize::try_from(stored).map_err(Error::internal)?)
}

fn to_stored(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
}

/// Stores the approval of a piece that was submitted with this revision.
pub async fn insert(
    db: &Conn<'_>,
    event_id: &EventId,
    approval: &Approval,
    revision: Revision,
) -> Result<()> {
    let sql = "INSERT INTO approvals (event_id, plan, stage, revision, entered_at, due_at)
               VALUES ($1, $2, $3, $4, $5, $6)";
    let values = [
        event_id.value(),
        serde_json::to_string(&approval.plan)?.into(),
        to_stored(approval.stage).into(),
        revision.value(),
        approval.entered_at.into(),
        approval.due_at.into(),
    ];
    Ok(db.run_later(sql, values).await?)
}

/// Stores a vote. `revision` is the revision of the piece that the vote resulted in.
pub async fn insert_vote(
    db: &Conn<'_>,
    event_id: &EventId,
    vote: &Vote,
    revision: Revision,
) -> Result<()> {
    let sql = "INSERT INTO approval_votes (event_id, stage, member_id, decided_at, revision)
               VALUES ($1, $2, $3, $4, $5)";
    let values = [
        event_id.value(),
        to_stored(vote.stage).into(),
        match &vote.voter {
            Voter::Member(id) => id.value(),
            Voter::Guest => "".into(),
        },
        vote.decided_at.into(),
        revision.value(),
    ];
    Ok(db.run_later(sql, values).await?)
}

/// Stores that a piece entered its next stage with this revision.
pub async fn enter_stage(
    db: &Conn<'_>,
    event_id: &EventId,
    approval: &Approval,
    revision: Revision,
) -> Result<()> {
    let sql = "UPDATE approvals SET stage = $2, revision = $3, entered_at = $4, due_at = $5,
                   overdue_handled_at = NULL
               WHERE event_id = $1";
    let values = [
        event_id.value(),
        to_stored(approval.stage).into(),
        revision.value(),
        approval.entered_at.into(),
        approval.due_at.into(),
    ];
    Ok(db.run_later(sql, values).await?)
}

/// Stores that this revision changed the caption or the media of a piece, if it has a running
/// approval.
pub async fn set_content_revision(
    db: &Conn<'_>,
    event_id: &EventId,
    revision: Revision,
) -> Result<()> {
    let sql = "UPDATE approvals SET content_revision = $2 WHERE event_id = $1";
    Ok(db
        .run_later(sql, [event_id.value(), revision.value()])
        .await?)
}

/// Deletes the approval of a piece and its votes.
pub async fn delete(db: &Conn<'_>, event_id: &EventId) -> Result<()> {
    for table in ["approval_votes", "approvals"] {
        let sql = format!("DELETE FROM {table} WHERE event_id = $1");
        db.run_later(&sql, [event_id.value()]).await?;
    }
    Ok(())
}

/// Marks stages whose deadline has passed as handled, earliest first, and returns their approvals.
/// At most `most` at a time; each stage is returned once, even to competing callers.
pub async fn take_overdue(db: &Conn<'_>, now: Millis, most: i64) -> Result<Vec<Running>> {
    // The conditions are repeated: on PostgreSQL they are checked again after waiting for a writer.
    let sql = "UPDATE approvals SET overdue_handled_at = $1
        WHERE event_id IN (SELECT event_id FROM approvals
            WHERE due_at IS NOT NULL AND overdue_handled_at IS NULL AND due_at <= $1
            ORDER BY due_at, event_id LIMIT $2)
          AND due_at <= $1 AND overdue_handled_at IS NULL
        RETURNING event_id";
    let rows = db.fetch_all(sql, [now.into(), most.into()]).await?;
    let ids: Vec<EventId> = rows
        .iter()
        .map(|row| row.try_get("", "event_id"))
        .collect::<Result<_, _>>()?;
    let mut taken: Vec<_> = load(db, &ids).await?.into_values().collect();
    taken.sort_by(|one, other| one.event_id.cmp(&other.event_id));
    Ok(taken)
}
