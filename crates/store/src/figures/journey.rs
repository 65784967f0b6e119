//! The steps of the timeline: how many sessions and people took each step for the first time on a
//! day.
//!
//! A session counts once per step and scope, on the day of its first event with that step and
//! scope. A person counts in the same way over all of their sessions. The row of a session stores
//! what was counted for it. So a late event moves the session from one day to another, and
//! identifying a person counts the person without counting the session again.
//!
//! Distinct counts cannot be added up, so each session and person is counted once per place. The places
//! are stored on the row of the session (`counted`) and in `figure_people`, and settling a session
//! changes the sums by the difference. If a session is assigned to a person, or to another person, both
//! people are recounted.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    Error,
    time::{Millis, brasilia_day},
    timeline::TimelineEventKind,
};
use sea_orm::Value;
use serde::Deserialize;

use super::{
    people,
    places::{Counted, Difference, Of, Place, from_json, merge_places, to_json},
    purchases::VISITED,
};
use crate::{
    Conn, Result,
    many::{ROWS, bind_rows},
    turns::is_postgres,
};

/// A marked session.
struct Session {
    person: Option<String>,
    counted_for: Option<String>,
    before: Counted,
    after: Counted,
    first_at: Millis,
    last_at: Millis,
}

/// Adds a batch of marked sessions to the figures. Returns the number of sessions processed.
pub(super) async fn settle_batch(db: &Conn<'_>) -> Result<usize> {
    let mut sessions = lock_stale_sessions(db).await?;
    if sessions.is_empty() {
        return Ok(0);
    }
    let taken = sessions.len();
    add_events(db, &mut sessions).await?;
    let mut difference = Difference::default();
    for session in sessions.values() {
        difference.replace_count(Of::Sessions, &session.before, &session.after);
    }
    save_counts(db, &sessions).await?;
    let mut named = BTreeMap::new();
    for session in sessions.values() {
        let moved = session.counted_for != session.person;
        if let Some(person) = &session.person {
            named.entry(person.clone()).or_insert(false);
        }
        if let Some(person) = session.counted_for.as_ref().filter(|_| moved) {
            named.insert(person.clone(), true);
        }
    }
    people::recount_people(db, &named, &mut difference).await?;
    difference.apply(db).await?;
    mark_purchases(db, &sessions).await?;
    Ok(taken)
}

async fn lock_stale_sessions(db: &Conn<'_>) -> Result<BTreeMap<String, Session>> {
    // Skips locked sessions, which another transaction is writing. The next batch counts them.
    let lock = if is_postgres(db) {
        "FOR UPDATE SKIP LOCKED"
    } else {
        ""
    };
    let sql = format!(
        "SELECT id, person, counted, counted_for, first_at, last_at FROM timeline_sessions
         WHERE stale = 1 LIMIT {ROWS} {lock}"
    );
    let mut sessions = BTreeMap::new();
    for row in db.fetch_all(&sql, []).await? {
        let counted: Option<String> = row.try_get("", "counted")?;
        let before = counted.as_deref().map(from_json).transpose()?;
        let before = before.unwrap_or_default();
        let session = Session {
            person: row.try_get("", "person")?,
            counted_for: row.try_get("", "counted_for")?,
            after: before.clone(),
            before,
            first_at: row.try_get("", "first_at")?,
            last_at: row.try_get("", "last_at")?,
        };
        sessions.insert(row.try_get("", "id")?, session);
    }
    Ok(sessions)
}

/// Adds the events of each session, from its first to its last instant. Counts from deleted events
/// remain.
async fn add_events(db: &Conn<'_>, sessions: &mut BTreeMap<String, Session>) -> Result<()> {
    let rows = sessions.iter().map(|(id, session)| {
        let row: [Value; 3] = [
            id.as_str().into(),
            session.first_at.into(),
            session.last_at.into(),
        ];
        row
    });
    let (rows, values) = bind_rows(rows);
    let sql = format!(
        "WITH wanted (id, first_at, last_at) AS (VALUES {rows}),
         events AS (
            SELECT e.session_id, e.kind, e.product, e.launch, e.occurred_at,
                CASE WHEN e.kind = 'respondeu_enquete' OR (e.launch IS NULL AND e.product IS NULL)
                    THEN e.detail END AS detail
            FROM wanted w
            JOIN timeline_events e ON e.session_id = w.id
                AND e.occurred_at BETWEEN w.first_at AND w.last_at)
         SELECT session_id, kind, product, launch, detail, MIN(occurred_at) AS first_at FROM events
         GROUP BY session_id, kind, product, launch, detail"
    );
    for row in db.fetch_all(&sql, values).await? {
        let id: String = row.try_get("", "session_id")?;
        let kind: String = row.try_get("", "kind")?;
        let detail: Option<String> = row.try_get("", "detail")?;
        let kind: TimelineEventKind = kind.parse().map_err(Error::internal)?;
        let launch: Option<String> = row.try_get("", "launch")?;
        let product: Option<String> = row.try_get("", "product")?;
        let detail = detail.as_deref().map(serde_json::from_str).transpose()?;
        let place = place_of_event(kind, launch, product, detail.unwrap_or_default());
        let day = brasilia_day(row.try_get("", "first_at")?).to_string();
        if let (Some(session), Some(place)) = (sessions.get_mut(&id), place) {
            merge_places(&mut session.after, [(place, day)]);
        }
    }
    Ok(())
}

/// The fields of `detalhe` that determine where an event counts.
#[derive(Default, Deserialize)]
struct Detail {
    utm_campaign: Option<String>,
    votacao: Option<String>,
    opcao: Option<String>,
}

fn place_of_event(
    kind: TimelineEventKind,
    launch: Option<String>,
    product: Option<String>,
    detail: Detail,
) -> Option<Place> {
    let scopes = [("l", launch), ("p", product), ("c", detail.utm_campaign)];
    let scope = scopes.into_iter().find_map(|(prefix, name)| {
        let name = name.filter(|name| !name.is_empty())?;
        Some(format!("{prefix}:{name}"))
    });
    let (poll, choice) = match kind {
        TimelineEventKind::AnsweredPoll => (detail.votacao?, detail.opcao?),
        _ => Default::default(),
    };
    Some(Place {
        step: kind.as_str().to_owned(),
        scope: scope.unwrap_or_default(),
        poll,
        choice,
    })
}

async fn save_counts(db: &Conn<'_>, sessions: &BTreeMap<String, Session>) -> Result<()> {
    let rows = sessions.iter().map(|(id, session)| {
        let row: [Value; 3] = [
            id.as_str().into(),
            to_json(&session.after)?.into(),
            session.person.as_deref().into(),
        ];
        Ok(row)
    });
    let rows = rows.collect::<Result<Vec<_>>>()?;
    let (rows, values) = bind_rows(rows);
    let sql = format!(
        "WITH counted_now (id, counted, counted_for) AS (VALUES {rows})
         UPDATE timeline_sessions SET stale = 0, counted = counted_now.counted,
            counted_for = counted_now.counted_for
         FROM counted_now WHERE timeline_sessions.id = counted_now.id"
    );
    db.run(&sql, values).await?;
    Ok(())
}

/// Marks the purchases that these sessions may have led to.
async fn mark_purchases(db: &Conn<'_>, sessions: &BTreeMap<String, Session>) -> Result<()> {
    let mut since: BTreeSet<(&str, Millis)> = BTreeSet::new();
    for session in sessions.values() {
        for person in [&session.person, &session.counted_for] {
            since.extend(person.as_deref().map(|person| (person, session.first_at)));
        }
    }
    // The set is sorted, so the earliest instant of each person comes first.
    let mut seen = BTreeSet::new();
    let rows = since.into_iter().filter(|(person, _)| seen.insert(*person));
    let rows = rows.map(|(person, first_at)| {
        let row: [Value; 2] = [person.into(), first_at.into()];
        row
    });
    let (rows, values) = bind_rows(rows);
    if values.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "WITH visited (person, since) AS (VALUES {rows})
         UPDATE purchases SET stale = {VISITED} FROM visited
         WHERE purchases.person = visited.person AND purchases.occurred_at >= visited.since
            AND purchases.stale = 0"
    );
    db.run(&sql, values).await?;
    Ok(())
}
