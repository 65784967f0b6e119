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

/// Waits for the other writers of this kind, until the end of the transaction. SQLite has one writer
/// anyway.
pub(crate) async fn take_turn(db: &Conn<'_>, turn: Turn) -> Result<()> {
    if is_postgres(db) {
        let sql = "SELECT pg_advisory_xact_lock($1)";
        db.run(sql, [(turn as i64).into()]).await?;
    }
    Ok(())
}

pub(crate) fn is_postgres(db: &Conn<'_>) -> bool {
    db.get_database_backend() == DbBackend::Postgres
}
