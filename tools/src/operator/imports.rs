//! The record of an import of sales.

use domain::time::Millis;
use gateway::Result;
use store::{
    Tx,
    sales::{self, Source},
};

use super::operator_audit_row;

/// The result of an import.
#[derive(Debug, Clone, Copy, Default)]
pub struct Imported {
    pub rows_read: usize,
    pub rows_written: usize,
    /// The instant of the newest row.
    pub latest: Option<Millis>,
}

/// Records an import in the transaction of the import: the time up to which the data are complete, and
/// the audit row.
pub async fn finish_import(tx: &Tx, kind: &str, imported: Imported, now: Millis) -> Result<()> {
    let count = |rows: usize| i64::try_from(rows).unwrap_or(i64::MAX);
    let source = Source {
        source: format!("importacao:{kind}"),
        cursor: None,
        // A row dated in the future does not mean that the data are complete until then.
        fresh_until: imported.latest.map(|latest| latest.min(now)),
        finished_at: Some(now),
        rows_read: count(imported.rows_read),
        rows_written: count(imported.rows_written),
        error_code: None,
    };
    sales::save_source(&tx.conn(), source).await?;
    let mut row = operator_audit_row("import_sales", now);
    row.resource_type = Some("sales");
    row.resource_id = Some(kind.to_owned());
    row.metadata
        .insert("rows_read".into(), imported.rows_read.into());
    row.metadata
        .insert("rows_written".into(), imported.rows_written.into());
    Ok(store::audit::insert(&tx.conn(), row).await?)
}
