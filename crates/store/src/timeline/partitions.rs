//! The monthly partitions of the timeline on PostgreSQL.

use std::collections::BTreeSet;

use domain::time::{Millis, Month};

use crate::{
    Conn, Result,
    turns::{Turn, is_postgres, take_turn},
};

const PREFIX: &str = "timeline_events_";

/// The number of months after the current one for which partitions are prepared.
pub const MONTHS_AHEAD: i16 = 2;

/// Creates missing partitions for events at these instants. SQLite has no partitions.
pub async fn create_missing(
    db: &Conn<'_>,
    instants: impl IntoIterator<Item = Millis>,
) -> Result<()> {
    if !is_postgres(db) {
        return Ok(());
    }
    let months: BTreeSet<Month> = instants.into_iter().map(Month::from_instant).collect();
    for month in months {
        if partition_exists(db, month).await? {
            continue;
        }
        take_turn(db, Turn::Partitions).await?;
        if partition_exists(db, month).await? {
            continue;
        }
        // Creating the table directly as a partition would wait for all readers of the timeline.
        let name = partition_name(month);
        let sql = format!("CREATE TABLE {name} (LIKE timeline_events INCLUDING ALL)");
        db.run(&sql, []).await?;
        let sql = format!(
            "ALTER TABLE timeline_events ATTACH PARTITION {name} FOR VALUES FROM ({}) TO ({})",
            month.first_instant(),
            month.next().first_instant(),
        );
        db.run(&sql, []).await?;
    }
    Ok(())
}

async fn partition_exists(db: &Conn<'_>, month: Month) -> Result<bool> {
    // Unlike `to_regclass`, this query sees what another transaction has just committed.
    let sql = "SELECT 1 AS found FROM pg_class
        WHERE relname = $1 AND relkind = 'r' AND pg_table_is_visible(oid)";
    Ok(db
        .fetch_one(sql, [partition_name(month).into()])
        .await?
        .is_some())
}

/// Returns the oldest month that has a partition.
pub(super) async fn find_oldest_month(db: &Conn<'_>) -> Result<Option<Month>> {
    let sql = "SELECT CAST(c.relname AS TEXT) AS name
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = CAST('timeline_events' AS regclass)";
    let mut oldest = None;
    for row in db.fetch_all(sql, []).await? {
        let name: String = row.try_get("", "name")?;
        let month = name.strip_prefix(PREFIX).and_then(|name| name.parse().ok());
        let month: Option<Month> = month;
        oldest = match (oldest, month) {
            (Some(oldest), Some(month)) => Some(month.min(oldest)),
            (oldest, month) => oldest.or(month),
        };
    }
    Ok(oldest)
}

pub(super) fn partition_name(month: Month) -> String {
    format!("{PREFIX}{month}")
}
