//! Events and their sessions.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use domain::{
    PersonId, TimelineSessionId,
    time::Millis,
    timeline::{Channel, TimelineEventKind},
};
use sea_orm::Value;

use super::partitions;
use crate::{
    Bind, Conn, Result, Row,
    many::{ROWS, lines},
    sqlite::Cell,
    turns::is_postgres,
};

/// An event that a site reports.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// The browser's session.
    pub session: String,
    /// Unique within the session.
    pub id: String,
    pub kind: TimelineEventKind,
    pub occurred_at: Millis,
    pub person: Option<PersonId>,
    pub product: Option<String>,
    pub launch: Option<String>,
    /// Where the visit came from, if the event says so.
    pub channel: Option<Channel>,
    /// JSON text.
    pub detail: Option<String>,
}

/// What became of a batch of events.
#[derive(Debug)]
pub struct Recorded {
    /// The places in the batch of the events that are new.
    pub new: Vec<usize>,
}

/// A session, as stored or as a batch leaves it.
#[derive(Debug)]
struct Session {
    id: TimelineSessionId,
    /// When and by whom it was identified.
    identified: Option<(Millis, PersonId)>,
    first_at: Millis,
    last_at: Millis,
}

impl Session {
    /// Of several identifications the last one holds: who corrects a mistyped address is that
    /// person. The order of arrival does not matter.
    fn extend(&mut self, event: &NewEvent) {
        self.first_at = self.first_at.min(event.occurred_at);
        self.last_at = self.last_at.max(event.occurred_at);
        if let Some(person) = &event.person {
            let named = Some((event.occurred_at, person.clone()));
            self.identified = self.identified.take().max(named);
        }
    }
}

/// Records events. Those whose session and id are there already are ignored, whatever else they say.
pub async fn record(db: &Conn<'_>, events: &[NewEvent], now: Millis) -> Result<Recorded> {
    partitions::prepare(db, events.iter().map(|event| event.occurred_at)).await?;
    let mut recorded = Recorded { new: vec![] };
    let mut first = 0;
    for batch in events.chunks(ROWS) {
        let new = record_batch(db, batch, now).await?;
        recorded.new.extend(new.iter().map(|at| first + at));
        first += batch.len();
    }
    Ok(recorded)
}

async fn record_batch(db: &Conn<'_>, events: &[NewEvent], now: Millis) -> Result<Vec<usize>> {
    let distinct = distinct(events);
    let (mut sessions, known) = open_sessions(db, events, &distinct, now).await?;
    let fresh = without_known(db, events, distinct, &sessions, &known).await?;
    insert(db, events, &fresh, &sessions, now).await?;
    let mut changed = BTreeSet::new();
    for &at in &fresh {
        let event = &events[at];
        let name = event.session.as_str();
        if known.contains(name)
            && let Some(session) = sessions.get_mut(name)
        {
            session.extend(event);
            changed.insert(name);
        }
    }
    let changed = changed.into_iter().filter_map(|name| sessions.get(name));
    update_sessions(db, changed).await?;
    Ok(fresh)
}

/// The places of the events, each session and id once.
fn distinct(events: &[NewEvent]) -> Vec<usize> {
    let mut seen = HashSet::with_capacity(events.len());
    let first = |at: &usize| seen.insert((&events[*at].session, &events[*at].id));
    (0..events.len()).filter(first).collect()
}

/// Sessions by the names that browsers gave them.
type Sessions<'a> = BTreeMap<&'a str, Session>;

/// The stored sessions of the events, and the names of those that were there before.
async fn open_sessions<'a>(
    db: &Conn<'_>,
    events: &'a [NewEvent],
    distinct: &[usize],
    now: Millis,
) -> Result<(Sessions<'a>, BTreeSet<&'a str>)> {
    let mut sessions = Sessions::new();
    for &at in distinct {
        let event = &events[at];
        let session = sessions.entry(&event.session).or_insert_with(|| Session {
            id: TimelineSessionId::new(now),
            identified: None,
            first_at: event.occurred_at,
            last_at: event.occurred_at,
        });
        session.extend(event);
    }
    let mut known = BTreeSet::new();
    for row in there_already(db, &sessions).await? {
        let name: String = row.try_get("", "session")?;
        let id: TimelineSessionId = row.try_get("", "id")?;
        let found = events.iter().find(|event| event.session == name);
        let found =
            found.and_then(|event| Some((&*event.session, sessions.get_mut(name.as_str())?)));
        let Some((name, session)) = found.filter(|(_, session)| session.id != id) else {
            continue;
        };
        let person: Option<PersonId> = row.try_get("", "person")?;
        let identified_at: Option<Millis> = row.try_get("", "identified_at")?;
        *session = Session {
            id,
            identified: identified_at.zip(person),
            first_at: row.try_get("", "first_at")?,
            last_at: row.try_get("", "last_at")?,
        };
        known.insert(name);
    }
    Ok((sessions, known))
}

/// Inserts the sessions that are new. Returns the rows of the others, and maybe of new ones.
///
/// On PostgreSQL all rows are locked, in the order of their names: of two callers with the same
/// session, one waits and then sees the events of the other.
async fn there_already(db: &Conn<'_>, sessions: &Sessions<'_>) -> Result<Vec<Row>> {
    let rows = sessions.iter().map(|(name, session)| {
        let identified = session.identified.as_ref();
        let row: [Cell<'_>; 6] = [
            session.id.as_str().into(),
            (*name).into(),
            identified.map(|(_, person)| person.as_str()).into(),
            identified.map(|(at, _)| *at).into(),
            session.first_at.into(),
            session.last_at.into(),
        ];
        row
    });
    let rows: Vec<_> = rows.collect();
    let columns = "id, session, person, identified_at, first_at, last_at";
    let insert = format!("INSERT INTO timeline_sessions ({columns})");
    if is_postgres(db) {
        let (rows, values) = lines(rows.iter().map(|row| row.map(Value::from)));
        let sql = format!(
            "{insert} VALUES {rows} ON CONFLICT (session) DO UPDATE SET stale = 1
             RETURNING {columns}"
        );
        return Ok(db.all(&sql, values).await?);
    }
    let unless_there = "ON CONFLICT (session) DO NOTHING";
    let inserted = db.insert((&insert, unless_there), &rows).await?;
    if usize::try_from(inserted) == Ok(rows.len()) {
        return Ok(vec![]);
    }
    let (names, values) = lines(sessions.keys().map(|name| [(*name).into()]));
    let sql = format!("SELECT {columns} FROM timeline_sessions WHERE session IN (VALUES {names})");
    Ok(db.all(&sql, values).await?)
}

/// The events that are not there yet. Those of new sessions never are.
///
/// The key of a partitioned table contains the instant, so PostgreSQL does not find a repeated event
/// with another instant by itself.
async fn without_known(
    db: &Conn<'_>,
    events: &[NewEvent],
    distinct: Vec<usize>,
    sessions: &Sessions<'_>,
    known: &BTreeSet<&str>,
) -> Result<Vec<usize>> {
    let of_known = || known.iter().filter_map(|name| sessions.get(name));
    let first_at = of_known().map(|session| session.first_at).min();
    let last_at = of_known().map(|session| session.last_at).max();
    let (Some(first_at), Some(last_at)) = (first_at, last_at) else {
        return Ok(distinct);
    };
    let candidates = distinct.iter().map(|at| &events[*at]);
    let keys = candidates.filter_map(|event| {
        let session = sessions.get(known.get(&*event.session)?)?;
        let key: [Value; 2] = [session.id.value(), event.id.as_str().into()];
        Some(key)
    });
    let (keys, mut values) = lines(keys);
    let mut sql = format!(
        "SELECT session_id, id FROM timeline_events WHERE (session_id, id) IN (VALUES {keys})"
    );
    if is_postgres(db) {
        // The partitions to look in.
        values.extend([first_at.into(), last_at.into()]);
        let (from, to) = (values.len() - 1, values.len());
        let range = format!(" AND occurred_at BETWEEN ${from} AND ${to}");
        sql.push_str(&range);
    }
    let mut there = BTreeSet::new();
    for row in db.all(&sql, values).await? {
        let session: TimelineSessionId = row.try_get("", "session_id")?;
        there.insert((session, row.try_get::<String>("", "id")?));
    }
    let is_new = |at: &usize| {
        let event = &events[*at];
        sessions
            .get(&*event.session)
            .is_some_and(|session| !there.contains(&(session.id.clone(), event.id.clone())))
    };
    Ok(distinct.into_iter().filter(is_new).collect())
}

/// Inserts these events, which are not there.
async fn insert(
    db: &Conn<'_>,
    events: &[NewEvent],
    fresh: &[usize],
    sessions: &Sessions<'_>,
    now: Millis,
) -> Result<()> {
    let rows = fresh.iter().filter_map(|at| {
        let event = &events[*at];
        let row: [Cell<'_>; 10] = [
            sessions.get(&*event.session)?.id.as_str().into(),
            event.id.as_str().into(),
            event.occurred_at.into(),
            now.into(),
            event.kind.as_str().into(),
            event.person.as_ref().map(PersonId::as_str).into(),
            event.product.as_deref().into(),
            event.launch.as_deref().into(),
            event.channel.map(Channel::as_str).into(),
            event.detail.as_deref().into(),
        ];
        Some(row)
    });
    let rows: Vec<_> = rows.collect();
    let head = "INSERT INTO timeline_events (session_id, id, occurred_at, received_at, kind,
        person, product, launch, channel, detail)";
    db.insert((head, ""), &rows).await?;
    Ok(())
}

async fn update_sessions<'a>(
    db: &Conn<'_>,
    sessions: impl Iterator<Item = &'a Session>,
) -> Result<()> {
    let rows = sessions.map(|session| {
        let row: [Value; 5] = [
            session.id.value(),
            session
                .identified
                .as_ref()
                .map(|(_, person)| person.as_str())
                .into(),
            session.identified.as_ref().map(|(at, _)| *at).into(),
            session.first_at.into(),
            session.last_at.into(),
        ];
        row
    });
    let (rows, values) = lines(rows);
    if values.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "WITH changed (id, person, identified_at, first_at, last_at) AS (VALUES {rows})
         UPDATE timeline_sessions SET person = changed.person,
            identified_at = changed.identified_at, first_at = changed.first_at,
            last_at = changed.last_at, stale = 1
         FROM changed WHERE timeline_sessions.id = changed.id"
    );
    db.run(&sql, values).await?;
    Ok(())
}
