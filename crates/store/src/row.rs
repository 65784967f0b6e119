//! Rows of query results, from either database.

use std::{collections::BTreeMap, sync::Arc};

use domain::{Revision, Version};
use sea_orm::{DbErr, FromQueryResult, ProxyRow, QueryResult, TryGetable, Value};

/// A row of a query; the values are in the order of the columns.
#[derive(Debug)]
pub(crate) struct Row {
    pub columns: Arc<[Column]>,
    pub values: Vec<Value>,
}

#[derive(Debug)]
pub(crate) struct Column {
    pub name: Box<str>,
    /// True if an SQLite column contains booleans, which SQLite stores as integers.
    pub is_boolean: bool,
}

impl Row {
    /// Reads the column `{prefix}{name}`.
    pub fn try_get<T: Read>(&self, prefix: &str, name: &str) -> Result<T, DbErr> {
        let raw = self.find(prefix, name).and_then(T::raw_from_value);
        raw.and_then(T::from_raw)
            .ok_or_else(|| invalid_value::<T>(prefix, name))
    }

    fn find(&self, prefix: &str, name: &str) -> Option<&Value> {
        let length = prefix.len() + name.len();
        let at = self.columns.iter().position(|column| {
            let column = &*column.name;
            // Comparing lengths first is cheap, and most names differ in length.
            column.len() == length && column.ends_with(name) && column.starts_with(prefix)
        });
        at.map(|at| &self.values[at])
    }

    /// Reads a struct declared with `columns!`.
    pub fn read<T: Columns>(&self) -> Result<T, DbErr> {
        T::from_row(self)
    }

    /// Reads the model of an entity of sea-orm.
    pub fn read_model<T: FromQueryResult>(&self) -> Result<T, DbErr> {
        let names = self.columns.iter().map(|column| column.name.to_string());
        let values = self.values.iter().cloned();
        let row = ProxyRow::new(names.zip(values).collect()).into();
        T::from_query_result(&row, "")
    }

    /// Converts the row to a row of sea-orm without copying its values.
    pub fn into_query_result(self) -> QueryResult {
        let names = self.columns.iter().map(|column| column.name.to_string());
        ProxyRow::new(names.zip(self.values).collect::<BTreeMap<_, _>>()).into()
    }
}

/// Reads the column `{prefix}{name}` from a row of sea-orm.
pub(crate) fn get<T: Read>(row: &QueryResult, prefix: &str, name: &str) -> Result<T, DbErr> {
    let raw = row.try_get::<T::Raw>(prefix, name)?;
    T::from_raw(raw).ok_or_else(|| invalid_value::<T>(prefix, name))
}

/// Converts a field of a row that sea-orm has read.
pub(crate) fn convert<T: Read>(raw: T::Raw) -> Result<T, DbErr> {
    T::from_raw(raw).ok_or_else(|| {
        let kind = std::any::type_name::<T>();
        DbErr::Type(format!("a row has an invalid {kind}"))
    })
}

fn invalid_value<T>(prefix: &str, name: &str) -> DbErr {
    let kind = std::any::type_name::<T>();
    DbErr::Type(format!("the column {prefix}{name} has no valid {kind}"))
}

/// A type that can be read from a column.
pub(crate) trait Read: Sized {
    /// The type of the value in the database.
    type Raw: TryGetable;

    /// Converts a value of a row. Returns `None` if the value has another type.
    fn raw_from_value(value: &Value) -> Option<Self::Raw>;

    /// Converts the raw value. Returns `None` if the value is invalid for this type.
    fn from_raw(raw: Self::Raw) -> Option<Self>;
}

/// A query parameter of a type that sea-orm does not support.
pub(crate) trait Bind {
    fn value(&self) -> Value;
}

impl Read for String {
    type Raw = Self;

    fn raw_from_value(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => text.clone(),
            _ => None,
        }
    }

    fn from_raw(raw: Self) -> Option<Self> {
        Some(raw)
    }
}

impl Read for i64 {
    type Raw = Self;

    fn raw_from_value(value: &Value) -> Option<Self> {
        match value {
            Value::BigInt(number) => *number,
            _ => None,
        }
    }

    fn from_raw(raw: Self) -> Option<Self> {
        Some(raw)
    }
}

impl Read for bool {
    type Raw = Self;

    fn raw_from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(truth) => *truth,
            Value::BigInt(number) => number.map(|number| number != 0),
            _ => None,
        }
    }

    fn from_raw(raw: Self) -> Option<Self> {
        Some(raw)
    }
}

impl<T: Read> Read for Option<T> {
    type Raw = Option<T::Raw>;

    fn raw_from_value(value: &Value) -> Option<Self::Raw> {
        match value {
            Value::String(None) => Some(None),
            value => T::raw_from_value(value).map(Some),
        }
    }

    fn from_raw(raw: Self::Raw) -> Option<Self> {
        match raw {
            None => Some(None),
            Some(raw) => T::from_raw(raw).map(Some),
        }
    }
}

macro_rules! number {
    ($($name:ident),+) => {$(
        impl Read for $name {
            type Raw = i64;

            fn raw_from_value(value: &Value) -> Option<i64> {
                i64::raw_from_value(value)
            }

            fn from_raw(raw: i64) -> Option<Self> {
                Some(Self::new(raw))
            }
        }

        impl Bind for $name {
            fn value(&self) -> Value {
                self.get().into()
            }
        }
    )+};
}

number!(Revision, Version);

macro_rules! column {
    ($($kind:ident { $($(#[$doc:meta])* $name:ident),+ $(,)? })+) => {$($(
        impl Read for domain::$name {
            type Raw = String;

            fn raw_from_value(value: &Value) -> Option<String> {
                String::raw_from_value(value)
            }

            fn from_raw(raw: String) -> Option<Self> {
                Self::from_stored(raw)
            }
        }

        impl Bind for domain::$name {
            fn value(&self) -> Value {
                self.as_str().into()
            }
        }
    )+)+};
}

domain::ids!(column);
column!(named {
    TemplateId,
    PersonId,
    PlatformId
});

/// A struct that is read from the columns named like its fields; declared with [`columns!`].
pub(crate) trait Columns: Sized {
    fn from_row(row: &Row) -> Result<Self, DbErr>;
}

/// Declares that enums are read from their texts, in rows of this crate and of sea-orm.
macro_rules! text_column {
    ($($name:ty),+ $(,)?) => {$(
        impl $crate::row::Read for $name {
            type Raw = String;

            fn raw_from_value(value: &sea_orm::Value) -> Option<String> {
                String::raw_from_value(value)
            }

            fn from_raw(raw: String) -> Option<Self> {
                raw.parse().ok()
            }
        }
    )+};
}
pub(crate) use text_column;

/// Declares that a struct is read from the columns named like its fields, in rows of this crate and
/// of sea-orm.
macro_rules! columns {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::row::Columns for $name {
            fn from_row(row: &$crate::row::Row) -> Result<Self, sea_orm::DbErr> {
                Ok(Self {
                    $($field: row.try_get("", stringify!($field))?,)+
                })
            }
        }

        impl sea_orm::FromQueryResult for $name {
            fn from_query_result(
                row: &sea_orm::QueryResult,
                prefix: &str,
            ) -> Result<Self, sea_orm::DbErr> {
                Ok(Self {
                    $($field: $crate::row::get(row, prefix, stringify!($field))?,)+
                })
            }
        }
    };
}

pub(crate) use columns;
