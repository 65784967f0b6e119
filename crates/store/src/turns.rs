//! Mutual exclusion of bulk writers on PostgreSQL (advisory locks).

use sea_orm::{ConnectionTrait, DbBackend};

use crate::{Conn, Result};

/// The kinds of bulk writers. On PostgreSQL, only one writer of each kind runs at a time, because bulk
/// writers hold row locks for a long time and would otherwise deadlock.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Turn {
    Sales = 72_616_401,
    Partitions = 72_616_402,
}

/// Waits for the other writers of this kind, and excludes them until the end of the transaction.
/// Does nothing on SQLite, which has a single writer.
///
/// Until the end of the transaction PostgreSQL also prefers indexes. Sales writers look up hundreds
/// of keys among rows newer than the planner's statistics; without this setting PostgreSQL would
/// read whole tables. For the same reason some lookups select the column `stale` and test it in
/// Rust instead of in SQL: PostgreSQL may estimate that all or none of the rows are unmarked.
pub(crate) async fn take_turn(db: &Conn<'_>, turn: Turn) -> Result<()> {
    if is_postgres(db) {
        let sql = "SELECT pg_advisory_xact_lock($1), set_config('enable_seqscan', 'off', true),
            set_config('enable_hashjoin', 'off', true),
            set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true)";
        db.run(sql, [(turn as i64).into()]).await?;
    }
    Ok(())
}

pub(crate) fn is_postgres(db: &Conn<'_>) -> bool {
    db.get_database_backend() == DbBackend::Postgres
}
