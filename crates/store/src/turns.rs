//! Turns among writers of many rows, on PostgreSQL.

use sea_orm::{ConnectionTrait, DbBackend};

use crate::{Conn, Result};

/// Writers of many rows of one kind, which take turns on PostgreSQL: they may hold locks on rows for
/// long, and would otherwise wait for each other in a circle.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Turn {
    Sales = 72_616_401,
    Partitions = 72_616_402,
}

/// Waits for the other writers of this kind, and keeps them waiting until the end of the transaction.
/// SQLite has one writer anyway.
///
/// Until then PostgreSQL also finds rows by their indexes. The writers of sales look hundreds of keys
/// up among rows that are newer than its statistics, by which it would read whole tables. For the same
/// reason they read marks beside keys and do not filter by them: rows without a mark may be all or none
/// for it.
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
