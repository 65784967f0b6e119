//! Lists of remarks: whole threads, the oldest thread first.

use std::collections::{HashMap, HashSet};

use super::{HAS_REMARKS, Remark, SELECT};
use crate::{Bind, Conn, Result, Row, conditions::Conditions};
use domain::{EventId, MemberId, RemarkId, TemplateId};

/// The state of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Open,
    Resolved,
}

/// The filter of a list. Each condition selects whole threads.
#[derive(Debug, Default)]
pub struct Filter {
    pub event_id: Option<EventId>,
    /// Only remarks on events that this member created or is assigned to.
    pub visible_to: Option<MemberId>,
    pub state: Option<State>,
    /// Only threads in which this member wrote.
    pub author: Option<MemberId>,
    /// Only threads that mention this member.
    pub mentioned: Option<MemberId>,
    /// Only threads about this e-mail draft.
    pub template_id: Option<TemplateId>,
    /// Omits threads about e-mail drafts.
    pub without_email_drafts: bool,
    /// Only remarks after this position (thread_id, id).
    pub after: Option<(RemarkId, RemarkId)>,
}

/// Lists at most `probe` remarks, by thread. A removed remark is listed only if it begins a thread
/// that has other remarks.
pub async fn list(db: &Conn<'_>, filter: Filter, probe: i64) -> Result<Vec<Remark>> {
    let mut query = Conditions::default();
    if let Some(event_id) = &filter.event_id {
        let id = query.bind(event_id.value());
        // The condition is on both tables, so that the planner can begin with either.
        query.and(&format!("r.event_id = {id} AND h.event_id = {id}"));
    }
    if let Some(member) = &filter.visible_to {
        let id = query.bind(member.value());
        query.and(&format!(
            "r.event_id IN (SELECT p.event_id FROM event_people p WHERE p.member_id = {id})"
        ));
    }
    match filter.state {
        Some(State::Open) => query.and("h.id = h.thread_id AND h.resolved_at IS NULL"),
        Some(State::Resolved) => query.and("h.resolved_at IS NOT NULL"),
        None => {}
    }
    if let Some(author) = &filter.author {
        let id = query.bind(author.value());
        query.and(&format!(
            "r.thread_id IN (SELECT o.thread_id FROM remarks o
             WHERE o.author_id = {id} AND o.guest_link_id IS NULL AND o.removed_at IS NULL)"
        ));
    }
    if let Some(member) = &filter.mentioned {
        let id = query.bind(member.value());
        query.and(&format!(
            "r.thread_id IN (SELECT o.thread_id FROM remark_mentions n
             JOIN remarks o ON o.id = n.remark_id WHERE n.member_id = {id})"
        ));
    }
    if let Some(template) = &filter.template_id {
        let id = query.bind(template.value());
        query.and(&format!("r.template_id = {id}"));
    }
    if filter.without_email_drafts {
        query.and("r.template_id IS NULL");
    }
    if let Some((thread, id)) = &filter.after {
        let (thread, id) = (query.bind(thread.value()), query.bind(id.value()));
        query.and(&format!("(r.thread_id, r.id) > ({thread}, {id})"));
    }
    query.and(&format!(
        "(r.removed_at IS NULL OR r.id = r.thread_id AND {})",
        HAS_REMARKS.replace("{row}", "r")
    ));
    let limit = query.bind(probe);
    let sql = format!(
        "{SELECT} {} ORDER BY r.thread_id, r.id LIMIT {limit} + 0",
        query.text
    );
    let rows = db.fetch_all(&sql, query.values).await?;
    Ok(rows.iter().map(Row::read).collect::<Result<_, _>>()?)
}

/// Remarks that guests see.
#[derive(Debug, Default)]
pub struct ForGuests {
    /// The remarks, by thread.
    pub remarks: Vec<Remark>,
    /// The pieces whose older remarks were omitted.
    pub cut: HashSet<EventId>,
}

/// Lists the newest remarks that guests see on these pieces, `most` of each piece, and the first remarks
/// of their threads. A removed remark is listed only if it begins a thread that has other remarks.
pub async fn list_for_guests(
    db: &Conn<'_>,
    events: impl IntoIterator<Item = &EventId>,
    most: i64,
) -> Result<ForGuests> {
    let mut query = Conditions::default();
    let events: Vec<String> = events
        .into_iter()
        .map(|event| query.bind(event.value()))
        .collect();
    if events.is_empty() {
        return Ok(ForGuests::default());
    }
    let (limit, most) = (most, query.bind(most));
    let sql = format!(
        "WITH numbered AS (
            SELECT n.id, n.thread_id, n.event_id,
                ROW_NUMBER() OVER (PARTITION BY n.event_id ORDER BY n.id DESC) AS place
            FROM remarks n
            WHERE n.event_id IN ({}) AND n.for_guests AND n.removed_at IS NULL)
         {SELECT} r.id IN (SELECT s.id FROM numbered s WHERE s.place <= {most} + 0)
            OR r.id IN (SELECT s.thread_id FROM numbered s WHERE s.place <= {most} + 0)
         ORDER BY r.thread_id, r.id",
        events.join(", ")
    );
    let values = query.values.clone();
    let rows = db.fetch_all(&sql, values).await?;
    let remarks: Vec<Remark> = rows.iter().map(Row::read).collect::<Result<_, _>>()?;
    let mut counts: HashMap<&EventId, i64> = HashMap::new();
    for remark in &remarks {
        *counts.entry(&remark.event_id).or_default() += 1;
    }
    if counts.values().all(|count| *count < limit) {
        let cut = HashSet::new();
        return Ok(ForGuests { remarks, cut });
    }
    let sql = format!(
        "SELECT n.event_id FROM remarks n
         WHERE n.event_id IN ({}) AND n.for_guests AND n.removed_at IS NULL
         GROUP BY n.event_id HAVING count(*) > {most} + 0",
        events.join(", ")
    );
    let rows = db.fetch_all(&sql, query.values).await?;
    let cut = rows.iter().map(|row| row.try_get("", "event_id"));
    Ok(ForGuests {
        remarks,
        cut: cut.collect::<Result<_, _>>()?,
    })
}

/// Loads the ids and names of the members that these remarks mention, by remark, in the order of the
/// names.
pub async fn load_mentions(
    db: &Conn<'_>,
    remarks: impl IntoIterator<Item = &RemarkId>,
) -> Result<HashMap<RemarkId, Vec<(MemberId, String)>>> {
    let remarks: Vec<_> = remarks.into_iter().map(Bind::value).collect();
    if remarks.is_empty() {
        return Ok(HashMap::new());
    }
    let places: Vec<String> = (1..=remarks.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "SELECT n.remark_id, n.member_id, m.name
         FROM remark_mentions n JOIN members m ON m.id = n.member_id
         WHERE n.remark_id IN ({}) ORDER BY m.name, m.id",
        places.join(", ")
    );
    let mut mentions: HashMap<RemarkId, Vec<(MemberId, String)>> = HashMap::new();
    for row in db.fetch_all(&sql, remarks).await? {
        let person = (row.try_get("", "member_id")?, row.try_get("", "name")?);
        let of_remark = mentions.entry(row.try_get("", "remark_id")?).or_default();
        of_remark.push(person);
    }
    Ok(mentions)
}
