//! One statement on one connection.

use std::{borrow::Cow, sync::Arc};

use rusqlite::{
    CachedStatement, Connection, Error, Result,
    types::{ToSqlOutput, ValueRef},
};
use sea_orm::Value;
use serde::de::DeserializeOwned;

use super::decode::{Reading, take};
use crate::row::{Column, SqliteRow};

/// A type of row that a query returns.
pub(crate) trait Found: Sized + Send + 'static {
    /// At most `most` rows; interrupted when their text has more than `room` bytes.
    fn fetch(
        connection: &Connection,
        sql: &str,
        values: &[Value],
        most: usize,
        room: usize,
    ) -> Result<Vec<Self>>;
}

impl Found for SqliteRow {
    fn fetch(
        connection: &Connection,
        sql: &str,
        values: &[Value],
        most: usize,
        mut room: usize,
    ) -> Result<Vec<Self>> {
        let mut statement = prepare(connection, sql)?;
        bind(&mut statement, values)?;
        let columns: Arc<[Column]> = statement.columns().iter().map(column).collect();
        // A statement that writes is run to its end, where its constraints are checked.
        let most = if statement.readonly() {
            most
        } else {
            usize::MAX
        };
        let mut rows = statement.raw_query();
        let mut found = vec![];
        while found.len() < most
            && let Some(row) = rows.next()?
        {
            let values = (0..columns.len()).map(|at| {
                let value = row.get_ref(at)?;
                room = take(room, value)?;
                Ok(read(value, &columns[at]))
            });
            found.push(Self {
                values: values.collect::<Result<_>>()?,
                columns: columns.clone(),
            });
        }
        Ok(found)
    }
}

/// A type of rows that serde reads: the columns in order, then the lists.
pub(crate) trait InOrder: DeserializeOwned + Send + 'static {
    /// The query of each list. `$1` is the first column of the row.
    const LISTS: &'static [&'static str] = &[];
}

/// A row of a query that only reads.
pub(crate) struct Typed<T>(pub T);

impl<T: InOrder> Found for Typed<T> {
    /// The lists are read while the query runs, so all of it is one snapshot.
    fn fetch(
        connection: &Connection,
        sql: &str,
        values: &[Value],
        most: usize,
        room: usize,
    ) -> Result<Vec<Self>> {
        let mut statement = prepare(connection, sql)?;
        bind(&mut statement, values)?;
        let lists = T::LISTS.iter().map(|sql| prepare(connection, sql));
        let mut lists: Vec<_> = lists.collect::<Result<_>>()?;
        let columns = statement.column_count();
        let mut rows = statement.raw_query();
        let mut reading = Reading::of(room);
        let mut found = vec![];
        while found.len() < most
            && let Some(row) = rows.next()?
        {
            found.push(Self(reading.row(row, columns, &mut lists)?));
        }
        Ok(found)
    }
}

/// Runs a statement once for each row of values, and returns how many rows each run changed.
pub(super) fn execute_each<const N: usize>(
    connection: &Connection,
    sql: &str,
    rows: &[[Value; N]],
) -> Result<Vec<usize>> {
    let mut statement = prepare(connection, sql)?;
    let changed = rows.iter().map(|values| {
        bind(&mut statement, values)?;
        statement.raw_execute()
    });
    changed.collect()
}

/// Runs a statement and returns how many rows it changed.
pub(super) fn execute(connection: &Connection, sql: &str, values: &[Value]) -> Result<u64> {
    let mut statement = prepare(connection, sql)?;
    bind(&mut statement, values)?;
    let mut rows = statement.raw_query();
    while rows.next()?.is_some() {}
    drop(rows);
    Ok(connection.changes())
}

fn column(column: &rusqlite::Column<'_>) -> Column {
    let declared = column.decl_type();
    Column {
        name: column.name().into(),
        is_boolean: declared.is_some_and(|name| name.eq_ignore_ascii_case("BOOLEAN")),
    }
}

fn read(value: ValueRef<'_>, column: &Column) -> Value {
    match value {
        ValueRef::Null => Value::String(None),
        ValueRef::Integer(number) if column.is_boolean => Value::Bool(Some(number != 0)),
        ValueRef::Integer(number) => Value::BigInt(Some(number)),
        ValueRef::Real(number) => Value::Double(Some(number)),
        ValueRef::Text(text) => Value::String(Some(String::from_utf8_lossy(text).into_owned())),
        ValueRef::Blob(bytes) => Value::Bytes(Some(bytes.to_vec())),
    }
}

/// Prepares a statement, with its parameters as SQLite numbers them.
fn prepare<'a>(connection: &'a Connection, sql: &str) -> Result<CachedStatement<'a>> {
    connection.prepare_cached(&numbered(sql))
}

/// The same statement with `?1` for `$1`. To SQLite `$1` is a name: it numbers names by their first
/// occurrence, and searches all of them for each parameter that is parsed or bound.
fn numbered(sql: &str) -> Cow<'_, str> {
    let is_digit = |at: usize| sql.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let mut numbered = String::new();
    let mut copied = 0;
    for (at, _) in sql.match_indices('$').filter(|(at, _)| is_digit(at + 1)) {
        if numbered.is_empty() {
            numbered.reserve_exact(sql.len());
        }
        numbered.push_str(&sql[copied..at]);
        numbered.push('?');
        copied = at + 1;
    }
    if numbered.is_empty() {
        return Cow::Borrowed(sql);
    }
    numbered.push_str(&sql[copied..]);
    Cow::Owned(numbered)
}

fn bind(statement: &mut CachedStatement<'_>, values: &[Value]) -> Result<()> {
    for number in 1..=statement.parameter_count() {
        let value = values
            .get(number - 1)
            .ok_or(Error::InvalidParameterCount(number, values.len()))?;
        statement.raw_bind_parameter(number, bound(value)?)?;
    }
    Ok(())
}

fn bound(value: &Value) -> Result<ToSqlOutput<'_>> {
    let integer = |number: Option<i64>| number.map_or(ValueRef::Null, ValueRef::Integer);
    let bound = match value {
        Value::Bool(truth) => integer(truth.map(i64::from)),
        Value::Int(number) => integer(number.map(i64::from)),
        Value::BigInt(number) => integer(*number),
        Value::Unsigned(number) => integer(number.map(i64::from)),
        Value::BigUnsigned(number) => {
            let number = number.map(i64::try_from).transpose();
            integer(number.map_err(|error| Error::ToSqlConversionFailure(error.into()))?)
        }
        Value::Double(number) => number.map_or(ValueRef::Null, ValueRef::Real),
        Value::String(text) => {
            let text = text.as_ref();
            text.map_or(ValueRef::Null, |text| ValueRef::Text(text.as_bytes()))
        }
        Value::Bytes(bytes) => {
            let bytes = bytes.as_ref();
            bytes.map_or(ValueRef::Null, |bytes| ValueRef::Blob(bytes))
        }
        other => {
            let unknown = format!("a value that no column here has: {other:?}");
            return Err(Error::ToSqlConversionFailure(unknown.into()));
        }
    };
    Ok(ToSqlOutput::Borrowed(bound))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::sqlite::error::is_interrupted;

    #[derive(Deserialize, PartialEq, Debug)]
    struct Shelf(String, i64, Vec<(String,)>, Vec<(i64, Option<String>)>);

    impl InOrder for Shelf {
        const LISTS: &'static [&'static str] = &[
            "SELECT $1 || 'x' WHERE $1 = 'efgh'",
            "VALUES (1, $1), (2, NULL), (3, upper($1))",
        ];
    }

    fn fetch<F: Found>(room: usize) -> Result<Vec<F>> {
        let connection = Connection::open_in_memory()?;
        let sql = "SELECT 'abcd', 1 UNION ALL SELECT 'efgh', 2";
        F::fetch(&connection, sql, &[], usize::MAX, room)
    }

    fn is_held<F: Found>(text: usize) {
        assert_eq!(fetch::<F>(text).map(|found| found.len()), Ok(2));
        assert!(fetch::<F>(text - 1).is_err_and(|error| is_interrupted(&error)));
    }

    #[test]
    fn a_query_that_finds_more_text_than_it_may_is_interrupted() {
        is_held::<SqliteRow>(8);
        is_held::<Typed<Shelf>>(8 + 5 + 4 * 4);
    }

    #[test]
    fn parameters_are_bound_by_their_numbers() {
        let connection = Connection::open_in_memory().expect("opens");
        let sql = "SELECT $2, $1, $10 || $1, json_extract($3, '$.a'), '$'";
        let mut values: Vec<Value> = vec!["a".into(), 2_i64.into(), "{\"a\":7}".into()];
        values.resize(9, Value::String(None));
        values.push("x".into());
        let rows = SqliteRow::fetch(&connection, sql, &values, 1, usize::MAX).expect("a row");
        let expected: [Value; 5] = [
            2_i64.into(),
            "a".into(),
            "xa".into(),
            7_i64.into(),
            "$".into(),
        ];
        assert_eq!(rows[0].values, expected);
        let few = SqliteRow::fetch(&connection, sql, &values[..9], 1, usize::MAX);
        assert_eq!(few.err(), Some(Error::InvalidParameterCount(10, 9)));
    }

    #[test]
    fn a_statement_runs_once_for_each_row_of_values() {
        let connection = Connection::open_in_memory().expect("opens");
        let made = connection.execute_batch("CREATE TABLE t (a TEXT PRIMARY KEY, b TEXT)");
        made.expect("makes");
        let sql = "INSERT INTO t (b, a) VALUES ($2, $1) ON CONFLICT DO NOTHING";
        let rows = [["1", "x"], ["2", "y"], ["1", "z"]].map(|row| row.map(Value::from));
        let changed = execute_each(&connection, sql, &rows).expect("runs");
        assert_eq!(changed, [1, 1, 0]);
        let kept = "SELECT group_concat(a || b) AS kept FROM t";
        let kept = SqliteRow::fetch(&connection, kept, &[], 1, usize::MAX).expect("reads");
        assert_eq!(kept[0].values, [Value::from("1x,2y")]);
    }

    #[test]
    fn each_row_has_its_own_lists() {
        let found = fetch::<Typed<Shelf>>(usize::MAX).expect("rows");
        let found: Vec<_> = found.into_iter().map(|Typed(shelf)| shelf).collect();
        let all = |key: &str| {
            vec![
                (1, Some(key.to_owned())),
                (2, None),
                (3, Some(key.to_uppercase())),
            ]
        };
        assert_eq!(
            found,
            [
                Shelf("abcd".into(), 1, vec![], all("abcd")),
                Shelf("efgh".into(), 2, vec![("efghx".into(),)], all("efgh")),
            ]
        );
    }
}
