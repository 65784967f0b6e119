//! Background jobs. A job is leased to one worker at a time; another worker takes it over when the
//! lease expires.

use std::collections::HashSet;

use sea_orm::{ConnectionTrait, DbBackend, Value};

use super::{Bind, Conn, Row, announcements::announce};
use crate::Result;
use domain::{Code, JobId, time::Millis};

/// The end state of an unsuccessful job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The job had no effect, or only a partial one, and is not retried.
    Failed,
    /// The effect may have happened; a person must check whether it did.
    Unknown,
}

impl End {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// A job to be enqueued.
#[derive(Debug)]
pub struct NewJob<'a> {
    pub id: &'a JobId,
    pub name: &'a str,
    /// The payload as JSON.
    pub payload: &'a str,
    /// At most one job with this name and key is queued, and at most one runs.
    pub dedupe_key: Option<&'a str>,
    pub due_at: Millis,
}

/// A lease: the job and its fencing token, which counts the claims.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lease {
    pub id: JobId,
    pub fence: i64,
}

/// A claimed job.
#[derive(Debug)]
pub struct Claimed {
    pub lease: Lease,
    pub name: String,
    /// The payload as JSON.
    pub payload: String,
    pub dedupe_key: Option<String>,
    /// The number of attempts, including this one.
    pub attempts: i64,
    /// Whether the previous lease expired without a recorded outcome.
    pub taken_over: bool,
}

/// The number of jobs with a name and a state.
#[derive(Debug)]
pub struct Count {
    pub name: String,
    pub state: String,
    pub jobs: i64,
}

/// The channel on which PostgreSQL announces enqueued jobs.
pub const CHANNEL: &str = "pauta_jobs";

const INSERT: &str = "
INSERT INTO jobs
    (id, name, payload, dedupe_key, state, due_at, attempts, fence, taken_over, created_at)
VALUES ($1, $2, $3, $4, 'queued', $5, 0, 0, 0, $6)
ON CONFLICT DO NOTHING";

/// Enqueues a job. Returns `false` if a job with its id, or a queued job with its key, already
/// exists.
///
/// PostgreSQL announces the job to the other instances when the transaction commits.
pub async fn insert(db: &Conn<'_>, job: NewJob<'_>, now: Millis) -> Result<bool> {
    let values = [
        job.id.value(),
        job.name.into(),
        job.payload.into(),
        job.dedupe_key.map(str::to_owned).into(),
        job.due_at.into(),
        now.into(),
    ];
    let inserted = db.run(INSERT, values).await? == 1;
    if inserted {
        announce(db, CHANNEL, "").await?;
    }
    Ok(inserted)
}

/// The condition that no other job with the same key is running.
const FREE: &str = "(j.dedupe_key IS NULL OR j.state = 'running' OR NOT EXISTS (
    SELECT 1 FROM jobs r
    WHERE r.name = j.name AND r.dedupe_key = j.dedupe_key AND r.state = 'running'))";

/// Leases up to `limit` due jobs with these names, earliest due time first.
pub async fn claim_due(
    db: &Conn<'_>,
    names: &[&str],
    now: Millis,
    until: Millis,
    limit: usize,
) -> Result<Vec<Claimed>> {
    let mut values = vec![now.into(), until.into()];
    let names = bind_values(&mut values, names.iter().copied());
    let lock = match is_postgres(db) {
        true => "FOR UPDATE OF j SKIP LOCKED",
        false => "",
    };
    let sql = format!(
        "WITH due AS (
            SELECT j.id FROM jobs j WHERE j.due_at <= $1 AND j.name IN ({names}) AND {FREE}
            ORDER BY j.due_at LIMIT {limit} {lock})
         UPDATE jobs SET state = 'running', due_at = $2, attempts = attempts + 1,
            fence = fence + 1, taken_over = CASE WHEN state = 'running' THEN 1 ELSE 0 END
         WHERE id IN (SELECT id FROM due)
         RETURNING id, name, payload, dedupe_key, attempts, fence, taken_over"
    );
    let rows = db.fetch_all(&sql, values).await?;
    let claimed = rows.iter().map(|row| {
        Ok(Claimed {
            lease: Lease {
                id: row.try_get("", "id")?,
                fence: row.try_get("", "fence")?,
            },
            name: row.try_get("", "name")?,
            payload: row.try_get("", "payload")?,
            dedupe_key: row.try_get("", "dedupe_key")?,
            attempts: row.try_get("", "attempts")?,
            taken_over: row.try_get::<i64>("", "taken_over")? == 1,
        })
    });
    claimed.collect()
}

/// Makes queued recurring jobs due at `due_at` at the latest. Returns `false` if one of the jobs is
/// running, or if another worker is changing one.
pub async fn bring_forward(db: &Conn<'_>, names: &[&str], due_at: Millis) -> Result<bool> {
    if names.is_empty() {
        return Ok(true);
    }
    let mut values = vec![due_at.into()];
    let bound = bind_values(&mut values, names.iter().copied());
    // Does not wait for locked rows: two workers that wait for each other's rows would deadlock.
    let lock = match is_postgres(db) {
        true => "FOR UPDATE SKIP LOCKED",
        false => "",
    };
    let sql = format!(
        "WITH free AS (SELECT j.id FROM jobs j WHERE j.name IN ({bound}) {lock})
         UPDATE jobs SET due_at = CASE WHEN state = 'queued' AND due_at > $1 THEN $1 ELSE due_at END
         WHERE id IN (SELECT id FROM free) RETURNING state"
    );
    let rows = db.fetch_all(&sql, values).await?;
    let mut all_queued = rows.len() == names.len();
    for row in rows {
        all_queued &= row.try_get::<String>("", "state")? == "queued";
    }
    Ok(all_queued)
}

/// Makes the queued job with this id due at `latest` at the latest.
pub async fn limit_wait(db: &Conn<'_>, id: &str, latest: Millis) -> Result<()> {
    let sql = "UPDATE jobs SET due_at = $2 WHERE id = $1 AND state = 'queued' AND due_at > $2";
    db.run(sql, [id.into(), latest.into()]).await?;
    Ok(())
}

/// Makes the queued job with this name and key due at `due_at` at the latest.
pub async fn bring_forward_keyed(
    db: &Conn<'_>,
    name: &str,
    key: &str,
    due_at: Millis,
) -> Result<()> {
    let sql = "UPDATE jobs SET due_at = $3
               WHERE name = $1 AND dedupe_key = $2 AND state = 'queued' AND due_at > $3";
    if db
        .run(sql, [name.into(), key.into(), due_at.into()])
        .await?
        > 0
    {
        announce(db, CHANNEL, "").await?;
    }
    Ok(())
}

/// Returns when the next job with one of these names becomes due, or the next lease expires.
pub async fn next_due_time(db: &Conn<'_>, names: &[&str]) -> Result<Option<Millis>> {
    let mut values = vec![];
    let names = bind_values(&mut values, names.iter().copied());
    let sql = format!(
        "SELECT j.due_at FROM jobs j
         WHERE j.due_at IS NOT NULL AND j.name IN ({names}) AND {FREE}
         ORDER BY j.due_at LIMIT 1"
    );
    let row = db.fetch_one(&sql, values).await?;
    Ok(row.map(|row| row.try_get("", "due_at")).transpose()?)
}

/// Extends leases. Returns the ids of the jobs whose leases are still held.
pub async fn renew_leases(
    db: &Conn<'_>,
    leases: &[Lease],
    until: Millis,
) -> Result<HashSet<JobId>> {
    let mut values = vec![until.into()];
    let leases = bind_leases(&mut values, leases);
    let sql = format!(
        "UPDATE jobs SET due_at = $1
         WHERE (id, fence) IN (VALUES {leases}) AND state = 'running' RETURNING id"
    );
    read_ids(&db.fetch_all(&sql, values).await?)
}

/// Deletes completed jobs. Returns the ids of the jobs whose leases were still held.
pub async fn complete_jobs(db: &Conn<'_>, leases: &[Lease]) -> Result<HashSet<JobId>> {
    let mut values = vec![];
    let leases = bind_leases(&mut values, leases);
    let sql = format!(
        "DELETE FROM jobs WHERE (id, fence) IN (VALUES {leases}) AND state = 'running' RETURNING id"
    );
    read_ids(&db.fetch_all(&sql, values).await?)
}

const TAKE: &str = "
DELETE FROM jobs WHERE id = $1 AND fence = $2 AND state = 'running'
RETURNING name, payload, dedupe_key, taken_over, created_at";

const PUT_BACK: &str = "
INSERT INTO jobs
    (id, name, payload, dedupe_key, state, due_at, attempts, fence, taken_over, error_code,
     created_at)
VALUES ($1, $2, $3, $4, 'queued', $5, $6, $7, $8, $9, $10)
ON CONFLICT DO NOTHING";

/// Queues a job again for `due_at`. Returns `false` if its lease was lost.
///
/// If another job with the same key was queued meanwhile, that job remains and this one is deleted. The
/// row is deleted and inserted, not updated: `ON CONFLICT` waits for a transaction that is queueing a
/// job with the key, and an update would fail when that transaction commits.
pub async fn requeue_job(
    db: &Conn<'_>,
    lease: &Lease,
    due_at: Millis,
    attempts: i64,
    code: Option<Code>,
) -> Result<bool> {
    let taken = db.fetch_one(TAKE, [lease.id.value(), lease.fence.into()]);
    let Some(row) = taken.await? else {
        return Ok(false);
    };
    let values = [
        lease.id.value(),
        row.try_get::<String>("", "name")?.into(),
        row.try_get::<String>("", "payload")?.into(),
        row.try_get::<Option<String>>("", "dedupe_key")?.into(),
        due_at.into(),
        attempts.into(),
        lease.fence.into(),
        row.try_get::<i64>("", "taken_over")?.into(),
        code.map(Code::as_str).into(),
        row.try_get::<Millis>("", "created_at")?.into(),
    ];
    db.run(PUT_BACK, values).await?;
    Ok(true)
}

/// Marks a job as `failed` or `unknown` and keeps its row for the operator. Returns `false` if the
/// lease was lost.
pub async fn mark_failed(
    db: &Conn<'_>,
    lease: &Lease,
    end: End,
    code: Code,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE jobs SET state = $3, due_at = NULL, error_code = $4, finished_at = $5
        WHERE id = $1 AND fence = $2 AND state = 'running'";
    let values = [
        lease.id.value(),
        lease.fence.into(),
        end.as_str().into(),
        code.as_str().into(),
        now.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}

/// Returns the number of jobs, by name and state.
pub async fn count_by_state(db: &Conn<'_>) -> Result<Vec<Count>> {
    let sql = "SELECT name, state, count(*) AS jobs FROM jobs GROUP BY name, state";
    let rows = db.fetch_all(sql, []).await?;
    let counts = rows.iter().map(|row| {
        Ok(Count {
            name: row.try_get("", "name")?,
            state: row.try_get("", "state")?,
            jobs: row.try_get("", "jobs")?,
        })
    });
    counts.collect()
}

/// Deletes jobs that ended before this instant.
pub async fn delete_ended_jobs(db: &Conn<'_>, before: Millis) -> Result<()> {
    let sql = "DELETE FROM jobs WHERE due_at IS NULL AND finished_at <= $1";
    db.run(sql, [before.into()]).await?;
    Ok(())
}

fn is_postgres(db: &Conn<'_>) -> bool {
    db.get_database_backend() == DbBackend::Postgres
}

fn read_ids(rows: &[Row]) -> Result<HashSet<JobId>> {
    let ids = rows.iter().map(|row| row.try_get("", "id"));
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Appends the values and returns their placeholders, `$n, $n+1, …`.
fn bind_values<V: Into<Value>>(
    values: &mut Vec<Value>,
    more: impl IntoIterator<Item = V>,
) -> String {
    let mut names = vec![];
    for value in more {
        values.push(value.into());
        names.push(format!("${}", values.len()));
    }
    names.join(", ")
}

/// Appends the leases and returns their placeholders, `($n, $n+1), …`.
fn bind_leases(values: &mut Vec<Value>, leases: &[Lease]) -> String {
    let mut pairs = vec![];
    for lease in leases {
        let pair: [Value; 2] = [lease.id.value(), lease.fence.into()];
        pairs.push(format!("({})", bind_values(values, pair)));
    }
    pairs.join(", ")
}
