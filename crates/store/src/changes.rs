//! Whether anything that open pages show has changed since.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::Conn;
use crate::Result;

/// Newest changes that are compared. Ids of other instances come late when their clocks are behind.
const NEWEST: i64 = 50;

const EVENTS: &str = "SELECT id FROM event_history ORDER BY id DESC LIMIT $1";
const PROJECTS: &str = "
SELECT count(*) AS projects, CAST(COALESCE(sum(revision), 0) AS BIGINT) AS revisions FROM projects";

/// A value for each kind of content. It differs after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    pub events: u64,
    pub projects: u64,
}

/// The marks of what is stored now.
pub async fn marks(db: &Conn<'_>) -> Result<Marks> {
    let mut events = DefaultHasher::new();
    for row in db.all(EVENTS, [NEWEST.into()]).await? {
        row.try_get::<String>("", "id")?.hash(&mut events);
    }
    let mut projects = DefaultHasher::new();
    if let Some(row) = db.one(PROJECTS, []).await? {
        row.try_get::<i64>("", "projects")?.hash(&mut projects);
        row.try_get::<i64>("", "revisions")?.hash(&mut projects);
    }
    Ok(Marks {
        events: events.finish(),
        projects: projects.finish(),
    })
}
