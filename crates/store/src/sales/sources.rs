//! The sources of sales data, each with its cursor and the result of its last run.

use domain::time::Millis;

use crate::{Conn, Result, columns};

/// A connector, such as `hotmart`, or an import, such as `importacao:purchases`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub source: String,
    /// Where the next run of a connector continues, in the connector's own format.
    pub cursor: Option<String>,
    /// The instant up to which the source's data is complete.
    pub fresh_until: Option<Millis>,
    pub finished_at: Option<Millis>,
    pub rows_read: i64,
    pub rows_written: i64,
    /// The error of the last run, if it failed.
    pub error_code: Option<String>,
}

columns!(Source {
    source,
    cursor,
    fresh_until,
    finished_at,
    rows_read,
    rows_written,
    error_code,
});

const SAVE: &str = "
INSERT INTO sales_sources
    (source, cursor, fresh_until, finished_at, rows_read, rows_written, error_code)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (source) DO UPDATE SET cursor = excluded.cursor,
    fresh_until = CASE
        WHEN excluded.fresh_until IS NULL OR sales_sources.fresh_until > excluded.fresh_until
        THEN sales_sources.fresh_until ELSE excluded.fresh_until END,
    finished_at = excluded.finished_at, rows_read = excluded.rows_read,
    rows_written = excluded.rows_written, error_code = excluded.error_code";

/// Records a run. An older file does not reduce `fresh_until`.
pub async fn record_run(db: &Conn<'_>, source: Source) -> Result<()> {
    let values = [
        source.source.into(),
        source.cursor.into(),
        source.fresh_until.into(),
        source.finished_at.into(),
        source.rows_read.into(),
        source.rows_written.into(),
        source.error_code.into(),
    ];
    db.run(SAVE, values).await?;
    Ok(())
}

const CLAIM: &str = "
INSERT INTO sales_sources (source, rows_read, rows_written, lease, lease_until)
VALUES ($1, 0, 0, $2, $3)
ON CONFLICT (source) DO UPDATE SET lease = excluded.lease, lease_until = excluded.lease_until
WHERE sales_sources.lease_until <= $4
RETURNING source, cursor, fresh_until, finished_at, rows_read, rows_written, error_code";

/// Leases a source until an instant. Returns `None` while another reader holds the lease.
pub async fn lease_source(
    db: &Conn<'_>,
    source: &str,
    lease: &str,
    until: Millis,
    now: Millis,
) -> Result<Option<Source>> {
    let values = [source.into(), lease.into(), until.into(), now.into()];
    let row = db.fetch_one(CLAIM, values).await?;
    Ok(row.map(|row| row.read()).transpose()?)
}

/// Records the progress of the reader that holds the lease, and extends the lease.
///
/// Returns `false` if another reader has taken over the lease.
pub async fn record_progress(
    db: &Conn<'_>,
    source: &str,
    lease: &str,
    cursor: Option<&str>,
    until: Millis,
) -> Result<bool> {
    let sql = "UPDATE sales_sources SET cursor = COALESCE($3, cursor), lease_until = $4
        WHERE source = $1 AND lease = $2";
    let values = [source.into(), lease.into(), cursor.into(), until.into()];
    Ok(db.run(sql, values).await? > 0)
}

/// Records the end of a run, and ends the lease. A failed run sets `error_code`, a successful one
/// `fresh_until`.
pub async fn end_lease(db: &Conn<'_>, lease: &str, ended: Source) -> Result<()> {
    let sql = "UPDATE sales_sources SET fresh_until = COALESCE($3, fresh_until), finished_at = $4,
            rows_read = $5, rows_written = $6, error_code = $7, lease = NULL, lease_until = 0
        WHERE source = $1 AND lease = $2";
    let values = [
        ended.source.into(),
        lease.into(),
        ended.fresh_until.into(),
        ended.finished_at.into(),
        ended.rows_read.into(),
        ended.rows_written.into(),
        ended.error_code.into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

/// Returns all sources, by name.
pub async fn list_sources(db: &Conn<'_>) -> Result<Vec<Source>> {
    let rows = db
        .fetch_all("SELECT * FROM sales_sources ORDER BY source", [])
        .await?;
    Ok(rows
        .iter()
        .map(crate::Row::read)
        .collect::<Result<_, _>>()?)
}
