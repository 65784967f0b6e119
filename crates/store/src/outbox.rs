//! The outbox: a row for each change that is announced to members or webhooks. The transaction of the
//! change writes the row.
//!
//! Readers need an order in which no new row appears before a row that was already read. On PostgreSQL
//! the order of insertion is not such an order: a transaction may commit after another transaction that
//! inserted later. So a reader first numbers the committed rows ([`assign_positions`]) and then reads by
//! position. All readers share the positions, and each position is assigned once.

use serde_json::{Map, Value};

use super::{Conn, Row};
use crate::Result;
use domain::{Error, MemberId, ProjectId, Revision, TokenId, time::Millis};

/// A row of the outbox to insert.
#[derive(Debug)]
pub struct NewEntry<'a> {
    pub occurred_at: Millis,
    /// The kind of change, in snake_case: `piece_submitted`.
    pub kind: &'a str,
    pub resource_kind: &'a str,
    pub resource_id: &'a str,
    /// The revision of the resource after the change, if it has revisions.
    pub revision: Option<Revision>,
    pub project_id: Option<&'a ProjectId>,
    /// The member who acted, or in whose name a guest acted; `None` for the service itself.
    pub actor_id: Option<&'a MemberId>,
    /// The token, the agent or the guest's link with which the member acted.
    pub credential_id: Option<TokenId>,
    pub auth_method: &'a str,
    /// Ids and values from fixed lists, but no text that people write.
    pub facts: Map<String, Value>,
}

/// A row of the outbox.
#[derive(Debug, Clone)]
pub struct OutboxEntry {
    pub position: i64,
    pub occurred_at: Millis,
    pub kind: String,
    pub resource_kind: String,
    pub resource_id: String,
    pub revision: Option<Revision>,
    pub project_id: Option<ProjectId>,
    pub actor_id: Option<MemberId>,
    pub credential_id: Option<TokenId>,
    pub auth_method: String,
    pub facts: Map<String, Value>,
}

/// The reader name of the progress row that stores the last assigned position.
const ORDER: &str = "order";
/// The number of rows per batch.
const DELETED: i64 = 1_000;

const INSERT: &str = "
INSERT INTO outbox (occurred_at, kind, resource_kind, resource_id, revision, project_id, actor_id,
    credential_id, auth_method, facts)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

/// Inserts a row. On PostgreSQL the statement is sent with the next statement or with the commit.
pub async fn insert(db: &Conn<'_>, entry: NewEntry<'_>) -> Result<()> {
    let values = [
        entry.occurred_at.into(),
        entry.kind.into(),
        entry.resource_kind.into(),
        entry.resource_id.into(),
        entry.revision.map(Revision::get).into(),
        entry.project_id.map(|id| id.as_str().to_owned()).into(),
        entry.actor_id.map(|id| id.as_str().to_owned()).into(),
        entry.credential_id.map(String::from).into(),
        entry.auth_method.into(),
        serde_json::to_string(&entry.facts)?.into(),
    ];
    Ok(db.run_later(INSERT, values).await?)
}

const ASSIGN: &str = "
UPDATE outbox SET position = $1 + numbered.n
FROM (SELECT unordered.id, row_number() OVER (ORDER BY unordered.id) AS n
      FROM (SELECT o.id FROM outbox o WHERE o.position IS NULL ORDER BY o.id LIMIT $2) unordered
     ) numbered
WHERE outbox.id = numbered.id";

/// Assigns positions to at most `most` committed rows, in the order of their insertion.
///
/// Only one transaction at a time assigns positions: another one waits here until the first one commits.
pub async fn assign_positions(db: &Conn<'_>, most: i64) -> Result<()> {
    let last = lock_progress(db, ORDER).await?;
    let assigned = db.run(ASSIGN, [last.into(), most.into()]).await?;
    let last = last + i64::try_from(assigned).unwrap_or_default();
    save_progress(db, ORDER, last).await
}

/// Locks the progress of a reader until the end of the transaction, and returns its position.
pub async fn lock_progress(db: &Conn<'_>, reader: &str) -> Result<i64> {
    let sql = "UPDATE outbox_progress SET position = position WHERE reader = $1 RETURNING position";
    let row = db.fetch_one(sql, [reader.into()]).await?;
    let row = row.ok_or_else(|| Error::internal("a reader of the outbox has no progress row"))?;
    Ok(row.try_get("", "position")?)
}

/// Assigns positions to all committed rows, and returns the last position. Rows that commit later get
/// later positions, regardless of clocks.
pub async fn assign_all_positions(db: &Conn<'_>) -> Result<i64> {
    loop {
        assign_positions(db, DELETED).await?;
        if !has_unordered(db).await? {
            return find_progress(db, ORDER).await;
        }
    }
}

/// Finds the position up to which a reader has read.
pub async fn find_progress(db: &Conn<'_>, reader: &str) -> Result<i64> {
    let sql = "SELECT position FROM outbox_progress WHERE reader = $1";
    let row = db.fetch_one(sql, [reader.into()]).await?;
    let row = row.ok_or_else(|| Error::internal("a reader of the outbox has no progress row"))?;
    Ok(row.try_get("", "position")?)
}

/// Stores the position up to which a reader has read.
pub async fn save_progress(db: &Conn<'_>, reader: &str, position: i64) -> Result<()> {
    let sql = "UPDATE outbox_progress SET position = $2 WHERE reader = $1";
    db.run(sql, [reader.into(), position.into()]).await?;
    Ok(())
}

const LIST: &str = "
SELECT position, occurred_at, kind, resource_kind, resource_id, revision, project_id, actor_id,
    credential_id, auth_method, facts
FROM outbox WHERE position > $1 ORDER BY position LIMIT $2";

/// Lists the rows after a position, at most `most`.
pub async fn list_after(db: &Conn<'_>, position: i64, most: i64) -> Result<Vec<OutboxEntry>> {
    let rows = db.fetch_all(LIST, [position.into(), most.into()]).await?;
    rows.iter().map(read_entry).collect()
}

/// True if there are rows without a position.
pub async fn has_unordered(db: &Conn<'_>) -> Result<bool> {
    let sql = "SELECT 1 AS one FROM outbox WHERE position IS NULL LIMIT 1";
    Ok(db.fetch_one(sql, []).await?.is_some())
}

fn read_entry(row: &Row) -> Result<OutboxEntry> {
    let id = |name| row.try_get::<Option<String>>("", name);
    let facts: String = row.try_get("", "facts")?;
    let revision: Option<i64> = row.try_get("", "revision")?;
    Ok(OutboxEntry {
        position: row.try_get("", "position")?,
        occurred_at: row.try_get("", "occurred_at")?,
        kind: row.try_get("", "kind")?,
        resource_kind: row.try_get("", "resource_kind")?,
        resource_id: row.try_get("", "resource_id")?,
        revision: revision.map(Revision::new),
        project_id: id("project_id")?.and_then(ProjectId::from_stored),
        actor_id: id("actor_id")?.and_then(MemberId::from_stored),
        credential_id: id("credential_id")?.and_then(TokenId::from_stored),
        auth_method: row.try_get("", "auth_method")?,
        facts: serde_json::from_str(&facts)?,
    })
}

/// Deletes the rows that at least one reader has not read yet, so that these changes are not announced.
pub(crate) async fn delete_unread(db: &Conn<'_>) -> Result<()> {
    let sql = "DELETE FROM outbox WHERE position IS NULL
               OR position > (SELECT min(p.position) FROM outbox_progress p)";
    db.run(sql, []).await?;
    Ok(())
}

/// Deletes rows from before an instant that every reader has read; at most 1,000. Returns whether more
/// may remain.
pub async fn delete_read_rows(db: &Conn<'_>, before: Millis) -> Result<bool> {
    let sql = "DELETE FROM outbox WHERE occurred_at < $1 AND position IN (
        SELECT o.position FROM outbox o
        WHERE o.position <= (SELECT min(p.position) FROM outbox_progress p)
        ORDER BY o.position LIMIT $2)";
    let deleted = db.run(sql, [before.into(), DELETED.into()]).await?;
    Ok(deleted >= DELETED.unsigned_abs())
}
