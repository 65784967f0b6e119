//! Queries that return many rows as one JSON text, which serde deserializes in one call.

use sea_orm::{ConnectionTrait, DbBackend, Value};
use serde::de::DeserializeOwned;

use crate::{Conn, Result};

/// Runs a query and deserializes the given columns of its rows. The database aggregates them into
/// one row of JSON arrays.
pub(super) async fn fetch_rows<T: DeserializeOwned>(
    db: &Conn<'_>,
    columns: &str,
    query: &str,
    values: Vec<Value>,
) -> Result<Vec<T>> {
    let sql = if is_postgres(db) {
        format!("SELECT json_agg(json_build_array({columns}))::text AS found FROM ({query}) page")
    } else {
        format!("SELECT json_group_array(json_array({columns})) AS found FROM ({query}) page")
    };
    let row = db.fetch_one(&sql, values).await?;
    let found = row
        .map(|row| row.try_get::<Option<String>>("", "found"))
        .transpose()?;
    match found.flatten() {
        Some(json) => Ok(serde_json::from_str(&json)?),
        None => Ok(vec![]),
    }
}

pub(super) fn is_postgres(db: &Conn<'_>) -> bool {
    db.get_database_backend() == DbBackend::Postgres
}

/// Appends the values and returns their placeholders, `$n, $n+1, …`.
pub(super) fn bind_values<V: Into<Value>>(
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
