//! A row of a query, from either database.

use std::{collections::BTreeMap, sync::Arc};

use sea_orm::{DbErr, FromQueryResult, ProxyRow, QueryResult, TryGetable, Value};

/// What a query of the store found.
#[derive(Debug)]
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(QueryResult),
}

/// Values in the order of their columns.
#[derive(Debug)]
pub(crate) struct SqliteRow {
    pub columns: Arc<[Column]>,
    pub values: Vec<Value>,
}

#[derive(Debug)]
pub(crate) struct Column {
    pub name: Box<str>,
    /// SQLite keeps truth as an integer.
    pub is_boolean: bool,
}

impl Row {
    /// The value of the column `{prefix}{name}`.
    pub fn try_get<T: Read>(&self, prefix: &str, name: &str) -> Result<T, DbErr> {
        match self {
            Self::Postgres(row) => row.try_get(prefix, name),
            Self::Sqlite(row) => {
                let column = row.columns.iter().position(|column| {
                    column
                        .name
                        .strip_prefix(prefix)
                        .is_some_and(|rest| rest == name)
                });
                let value = column.map(|at| &row.values[at]);
                let read = value.and_then(T::read);
                read.ok_or_else(|| DbErr::Type(format!("no such value: {prefix}{name}")))
            }
        }
    }

    /// The whole row, or the columns of it that begin with the prefix.
    pub fn read<T: FromQueryResult>(&self, prefix: &str) -> Result<T, DbErr> {
        match self {
            Self::Postgres(row) => T::from_query_result(row, prefix),
            Self::Sqlite(row) => T::from_query_result(&row.to_result(), prefix),
        }
    }
}

impl SqliteRow {
    fn to_result(&self) -> QueryResult {
        let names = self.columns.iter().map(|column| column.name.to_string());
        let values = self.values.iter().cloned();
        ProxyRow::new(names.zip(values).collect()).into()
    }

    /// The same for the mapper.
    pub fn into_result(self) -> QueryResult {
        let names = self.columns.iter().map(|column| column.name.to_string());
        ProxyRow::new(names.zip(self.values).collect::<BTreeMap<_, _>>()).into()
    }
}

/// A value that a column may hold.
pub(crate) trait Read: TryGetable {
    fn read(value: &Value) -> Option<Self>;
}

impl Read for String {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => text.clone(),
            _ => None,
        }
    }
}

impl Read for i64 {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::BigInt(number) => *number,
            _ => None,
        }
    }
}

impl Read for bool {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(truth) => *truth,
            Value::BigInt(number) => number.map(|number| number != 0),
            _ => None,
        }
    }
}

impl<T: Read> Read for Option<T> {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(None) => Some(None),
            value => T::read(value).map(Some),
        }
    }
}
