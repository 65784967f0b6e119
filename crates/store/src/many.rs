//! Statements over many rows.

use std::fmt::Write;

use sea_orm::{ConnectionTrait, DbBackend, Value};

use crate::{Conn, Result};

/// Rows of one statement. The text of a full statement is always the same, so it is prepared once.
pub(crate) const ROWS: usize = 250;

/// The placeholders of the rows, `($1, $2), ($3, $4), …`, and their values.
pub(crate) fn lines<const N: usize>(
    rows: impl IntoIterator<Item = [Value; N]>,
) -> (String, Vec<Value>) {
    let (mut text, mut values) = (String::new(), vec![]);
    for row in rows {
        text.push_str(if values.is_empty() { "(" } else { ", (" });
        for (at, value) in row.into_iter().enumerate() {
            if at > 0 {
                text.push_str(", ");
            }
            values.push(value);
            // Writing to a text does not fail.
            let _ = write!(text, "${}", values.len());
        }
        text.push(')');
    }
    (text, values)
}

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
