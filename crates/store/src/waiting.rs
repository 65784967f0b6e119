//! Counts of the events that wait for a member and of the member's unread notifications, and of the
//! first steps that a team has taken.
//!
//! Each count stops at a limit, so it reads a bounded part of an index regardless of the number of
//! events.

use domain::{EventStatus, Member, time::Millis};

use crate::{
    Bind, Conn, Result, columns,
    notifications::select_unread,
    variants::{UNDECIDED, select_late_by_variants},
};

/// The largest count. A count of this size means "this many or more".
pub const MOST: i64 = 100;

/// The numbers of events that wait for a member.
#[derive(Debug)]
pub struct Waiting {
    /// Refused events that are assigned to the member.
    pub refused: i64,
    /// Events in approval, regardless of which members may decide.
    pub in_approval: i64,
    /// Approved events with undecided variants, regardless of which members may decide, among the events
    /// that the member may see.
    pub changed: i64,
    /// Open events whose date is past, among the events that the member may see.
    pub late: i64,
    /// Open events, among the events that the member may see, whose own date has not passed, but that
    /// have a late variant.
    pub late_by_variants: i64,
    /// Events that are counted both in `refused` and as late.
    pub refused_and_late: i64,
    /// Unread notifications.
    pub unread: i64,
}

columns!(Waiting {
    refused,
    in_approval,
    changed,
    late,
    late_by_variants,
    refused_and_late,
    unread,
});

const COUNT: &str = "
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM event_people p CROSS JOIN events e
        WHERE p.member_id = $1 AND p.is_open AND p.is_assigned AND e.id = p.event_id
          AND e.status = $2
        LIMIT $3 + 0) refused) AS refused,
    (SELECT count(*) FROM (
        SELECT 1 FROM events e WHERE e.status = $4 LIMIT $3 + 0) pending) AS in_approval,
    (SELECT count(*) FROM (
        SELECT DISTINCT v.event_id FROM event_variants v JOIN events e ON e.id = v.event_id
        WHERE e.status = 'aprovado' AND {undecided}{changed_of} LIMIT $3 + 0) changed) AS changed,
    (SELECT count(*) FROM ({late} LIMIT $3 + 0) late) AS late,
    (SELECT count(*) FROM ({late_by_variants} LIMIT $3 + 0) channels) AS late_by_variants,
    (SELECT count(*) FROM (
        SELECT 1 FROM event_people p CROSS JOIN events e
        WHERE p.member_id = $1 AND p.is_open AND p.is_assigned AND e.id = p.event_id
          AND e.status = $2 AND (p.agenda_at < $5 OR e.id IN ({late_variants}))
        LIMIT $3 + 0) overdue) AS refused_and_late,
    (SELECT count(*) FROM ({unread} LIMIT $3 + 0) unread) AS unread";

const LATE: &str = "SELECT 1 FROM events e
    WHERE e.agenda_at < $5 AND e.status NOT IN ('publicado', 'arquivado')";
const LATE_OF_MEMBER: &str = "SELECT 1 FROM event_people p
    WHERE p.member_id = $1 AND p.is_open AND p.agenda_at < $5";

const LATE_BY_VARIANTS: &str = "SELECT 1 FROM events e
    WHERE e.id IN ({late_variants}) AND e.agenda_at >= $5
      AND e.status NOT IN ('publicado', 'arquivado')";
const LATE_BY_VARIANTS_OF_MEMBER: &str = "SELECT 1 FROM event_people p
    WHERE p.member_id = $1 AND p.is_open AND p.agenda_at >= $5 AND p.event_id IN ({late_variants})";

/// The condition that restricts the changed events to those that a member may see.
const CHANGED_OF_MEMBER: &str = " AND EXISTS (SELECT 1 FROM event_people p
    WHERE p.event_id = v.event_id AND p.member_id = $1)";

/// Counts the events that wait for a member.
pub async fn count_waiting(db: &Conn<'_>, member: &Member, now: Millis) -> Result<Waiting> {
    let (late, late_by_variants, changed_of) = match member.sees_all_events() {
        true => (LATE, LATE_BY_VARIANTS, ""),
        false => (
            LATE_OF_MEMBER,
            LATE_BY_VARIANTS_OF_MEMBER,
            CHANGED_OF_MEMBER,
        ),
    };
    let values = [
        member.id.value(),
        EventStatus::Refused.as_str().into(),
        MOST.into(),
        EventStatus::InApproval.as_str().into(),
        now.into(),
    ];
    let sql = COUNT
        .replace("{undecided}", UNDECIDED)
        .replace("{changed_of}", changed_of)
        .replace("{late}", late)
        .replace("{late_by_variants}", late_by_variants)
        .replace("{late_variants}", &select_late_by_variants("$5"))
        .replace("{unread}", &select_unread(member));
    let row = db.fetch_one(&sql, values).await?;
    let row = row.ok_or_else(|| domain::Error::internal("a count returned no row"))?;
    Ok(row.read()?)
}

/// Counts that show which first steps a team has taken. Each count stops as soon as the step counts as
/// taken.
#[derive(Debug)]
pub struct Steps {
    /// The number of members, counted up to two.
    pub members: i64,
    /// The number of events, counted up to one.
    pub events: i64,
    /// The number of agents and of personal tokens, each counted up to one.
    pub agents: i64,
    /// The number of connected network accounts, counted up to one.
    pub networks: i64,
}

columns!(Steps {
    members,
    events,
    agents,
    networks,
});

const STEPS: &str = "
SELECT (SELECT count(*) FROM (SELECT 1 FROM members LIMIT 2) m) AS members,
    (SELECT count(*) FROM (SELECT 1 FROM events LIMIT 1) e) AS events,
    (SELECT count(*) FROM (SELECT 1 FROM agents LIMIT 1) a)
        + (SELECT count(*) FROM (SELECT 1 FROM personal_tokens LIMIT 1) t) AS agents,
    (SELECT count(*) FROM (SELECT 1 FROM connections WHERE status = 'active' LIMIT 1) c)
        AS networks";

/// Reads which of the first steps the team has taken.
pub async fn load_steps(db: &Conn<'_>) -> Result<Steps> {
    let row = db.fetch_one(STEPS, []).await?;
    let row = row.ok_or_else(|| domain::Error::internal("a check returned no row"))?;
    Ok(row.read()?)
}
