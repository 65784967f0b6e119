//! Where sales come from: how far each source was read, and how its last run ended.

use domain::time::Millis;

use crate::{Conn, Result, columns};

/// A connector, such as `hotmart`, or an import, such as `importacao:purchases`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub source: String,
    /// Where the next run of a connector continues, in its own words.
    pub cursor: Option<String>,
    /// Until when its data is known.
    pub fresh_until: Option<Millis>,
    pub finished_at: Option<Millis>,
    pub rows_read: i64,
    pub rows_written: i64,
    /// Of the last run, when it failed.
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
ON CONFLICT (source) DO UPDATE SET cursor = excluded.cursor, fresh_until = excluded.fresh_until,
    finished_at = excluded.finished_at, rows_read = excluded.rows_read,
    rows_written = excluded.rows_written, error_code = excluded.error_code";

pub async fn save(db: &Conn<'_>, source: Source) -> Result<()> {
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

/// Every source, by name.
pub async fn all(db: &Conn<'_>) -> Result<Vec<Source>> {
    let rows = db
        .all("SELECT * FROM sales_sources ORDER BY source", [])
        .await?;
    Ok(rows
        .iter()
        .map(|row| row.read(""))
        .collect::<Result<_, _>>()?)
}
