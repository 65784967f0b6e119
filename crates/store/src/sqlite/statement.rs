//! Execution of one statement on one connection.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use rusqlite::{
    CachedStatement, Connection, Error, Result,
    types::{ToSqlOutput, ValueRef},
};
use sea_orm::Value;
use serde::de::DeserializeOwned;

use super::decode::{Reading, deduct_size};
use crate::row::{Column, Row};

/// A type of row that a query returns.
pub(crate) trait Found: Sized + Send + 'static {
    /// Runs a query. Returns at most `most` rows; the query is interrupted when their text exceeds
    /// `room` bytes.
    fn fetch(
        connection: &Connection,
        sql: &str,
        values: &[Value],
        most: usize,
        room: usize,
    ) -> Result<Vec<Self>>;
}

impl Found for Row {
    fn fetch(
        connection: &Connection,
        sql: &str,
        values: &[Value],
        most: usize,
        mut room: usize,
    ) -> Result<Vec<Self>> {
        let mut statement = prepare(connection, sql)?;
        bind_values(&mut statement, values)?;
        let columns: Arc<[Column]> = statement.columns().iter().map(describe_column).collect();
        // A writing statement runs to its end, because SQLite checks constraints at the end.
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
                room = deduct_size(room, value)?;
                Ok(read_value(value, &columns[at]))
            });
            found.push(Self {
                values: values.collect::<Result<_>>()?,
                columns: columns.clone(),
            });
        }
        Ok(found)
    }
}

/// A type that serde deserializes from the columns in order, followed by the results of `LISTS`.
pub(crate) trait InOrder: DeserializeOwned + Send + 'static {
    /// The query of each list; `$1` is the first column of the row.
    const LISTS: &'static [&'static str] = &[];
}

/// A row of a read-only query, deserialized by serde.
pub(crate) struct Typed<T>(pub T);

impl<T: InOrder> Found for Typed<T> {
    /// Reads the lists while the query is open, so that everything comes from one snapshot.
    fn fetch(
        connection: &Connection,
        sql: &str,
        values: &[Value],
        most: usize,
        room: usize,
    ) -> Result<Vec<Self>> {
        let mut statement = prepare(connection, sql)?;
        bind_values(&mut statement, values)?;
        let lists = T::LISTS.iter().map(|sql| prepare(connection, sql));
        let mut lists: Vec<_> = lists.collect::<Result<_>>()?;
        let columns = statement.column_count();
        let mut rows = statement.raw_query();
        let mut reading = Reading::new(room);
        let mut found = vec![];
        while found.len() < most
            && let Some(row) = rows.next()?
        {
            found.push(Self(reading.deserialize_row(row, columns, &mut lists)?));
        }
        Ok(found)
    }
}

/// A value of a row to insert. NULL has a type too, because PostgreSQL needs one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cell<'a> {
    Integer(Option<i64>),
    Text(Option<&'a str>),
}

impl From<i64> for Cell<'_> {
    fn from(number: i64) -> Self {
        Self::Integer(Some(number))
    }
}

impl From<Option<i64>> for Cell<'_> {
    fn from(number: Option<i64>) -> Self {
        Self::Integer(number)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Some(text))
    }
}

impl<'a> From<Option<&'a str>> for Cell<'a> {
    fn from(text: Option<&'a str>) -> Self {
        Self::Text(text)
    }
}

impl From<Cell<'_>> for Value {
    fn from(cell: Cell<'_>) -> Self {
        match cell {
            Cell::Integer(number) => number.into(),
            Cell::Text(text) => text.into(),
        }
    }
}

impl<'a> Cell<'a> {
    fn to_sqlite(self) -> ToSqlOutput<'a> {
        ToSqlOutput::Borrowed(match self {
            Self::Integer(Some(number)) => ValueRef::Integer(number),
            Self::Text(Some(text)) => ValueRef::Text(text.as_bytes()),
            Self::Integer(None) | Self::Text(None) => ValueRef::Null,
        })
    }
}

/// The number of rows per execution of an insert. The fixed cost of an execution is about the cost of
/// half a row; more rows per execution would make the text of the statement long.
const TOGETHER: usize = 10;

/// Inserts rows. `head` is `INTO t (a, b)`; `tail` is the SQL after the rows. Returns the number of
/// rows inserted or changed.
///
/// With `OR FAIL`, SQLite keeps the rows before an error, and the caller rolls back. Without this
/// clause, SQLite would copy every page before changing it, to be able to undo the statement.
pub(super) fn insert<const N: usize>(
    connection: &Connection,
    parts: (&str, &str),
    rows: &[[Cell<'_>; N]],
) -> Result<usize> {
    let (groups, rest) = rows.as_chunks::<TOGETHER>();
    let (rest, _) = rest.as_chunks::<1>();
    Ok(insert_groups(connection, parts, groups)? + insert_groups(connection, parts, rest)?)
}

fn insert_groups<const N: usize, const ROWS: usize>(
    connection: &Connection,
    (head, tail): (&str, &str),
    groups: &[[[Cell<'_>; N]; ROWS]],
) -> Result<usize> {
    if groups.is_empty() {
        return Ok(0);
    }
    let row = format!("({})", ["?"; N].join(", "));
    let rows = [row.as_str(); ROWS].join(", ");
    let mut statement =
        connection.prepare_cached(&format!("INSERT OR FAIL {head} VALUES {rows} {tail}"))?;
    let mut written = 0;
    for group in groups {
        for (at, cell) in group.as_flattened().iter().enumerate() {
            statement.raw_bind_parameter(at + 1, cell.to_sqlite())?;
        }
        written += statement.raw_execute()?;
    }
    Ok(written)
}

/// Runs a statement and returns the number of changed rows.
pub(super) fn execute(connection: &Connection, sql: &str, values: &[Value]) -> Result<u64> {
    let mut statement = prepare(connection, sql)?;
    bind_values(&mut statement, values)?;
    let mut rows = statement.raw_query();
    while rows.next()?.is_some() {}
    drop(rows);
    Ok(connection.changes())
}

fn describe_column(column: &rusqlite::Column<'_>) -> Column {
    let declared = column.decl_type();
    Column {
        name: column.name().into(),
        is_boolean: declared.is_some_and(|name| name.eq_ignore_ascii_case("BOOLEAN")),
    }
}

fn read_value(value: ValueRef<'_>, column: &Column) -> Value {
    match value {
        ValueRef::Null => Value::String(None),
        ValueRef::Integer(number) if column.is_boolean => Value::Bool(Some(number != 0)),
        ValueRef::Integer(number) => Value::BigInt(Some(number)),
        ValueRef::Real(number) => Value::Double(Some(number)),
        ValueRef::Text(text) => Value::String(Some(String::from_utf8_lossy(text).into_owned())),
        ValueRef::Blob(bytes) => Value::Bytes(Some(bytes.to_vec())),
    }
}

/// The maximum number of statements whose converted text a thread caches. The key is the address of the
/// original text. A full cache is emptied.
const KNOWN: usize = 512;

thread_local! {
    static NUMBERED: RefCell<HashMap<usize, [String; 2]>> = RefCell::default();
}

/// Prepares a statement, with its parameters converted for SQLite.
fn prepare<'a>(connection: &'a Connection, sql: &str) -> Result<CachedStatement<'a>> {
    NUMBERED.with_borrow_mut(|known| {
        let place = sql.as_ptr() as usize;
        // The texts are compared because a dynamically built text may reuse the address of an
        // earlier one.
        match known.get(&place) {
            Some([text, numbered]) if text == sql => connection.prepare_cached(numbered),
            _ => {
                if known.len() >= KNOWN {
                    known.clear();
                }
                let texts = [sql.to_owned(), number_parameters(sql)];
                let [_, numbered] = known.entry(place).insert_entry(texts).into_mut();
                connection.prepare_cached(numbered)
            }
        }
    })
}

/// Replaces `$1` by `?1`. SQLite treats `$1` as a name: it numbers names by their first occurrence,
/// and searches all names whenever it parses or binds a parameter.
fn number_parameters(sql: &str) -> String {
    let mut characters = sql.chars().peekable();
    let mut numbered = String::with_capacity(sql.len());
    while let Some(character) = characters.next() {
        let is_place = character == '$' && characters.peek().is_some_and(char::is_ascii_digit);
        numbered.push(if is_place { '?' } else { character });
    }
    numbered
}

fn bind_values(statement: &mut CachedStatement<'_>, values: &[Value]) -> Result<()> {
    for number in 1..=statement.parameter_count() {
        let value = values
            .get(number - 1)
            .ok_or(Error::InvalidParameterCount(number, values.len()))?;
        statement.raw_bind_parameter(number, to_sqlite(value)?)?;
    }
    Ok(())
}

fn to_sqlite(value: &Value) -> Result<ToSqlOutput<'_>> {
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
            let unknown = format!("a value of an unsupported type: {other:?}");
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

    fn assert_text_limit<F: Found>(text: usize) {
        assert_eq!(fetch::<F>(text).map(|found| found.len()), Ok(2));
        assert!(fetch::<F>(text - 1).is_err_and(|error| is_interrupted(&error)));
    }

    #[test]
    fn a_query_over_its_text_limit_is_interrupted() {
        assert_text_limit::<Row>(8);
        assert_text_limit::<Typed<Shelf>>(8 + 5 + 4 * 4);
    }

    #[test]
    fn parameters_are_bound_by_their_numbers() {
        let connection = Connection::open_in_memory().expect("opens");
        let sql = "SELECT $2, $1, $10 || $1, json_extract($3, '$.a'), '$'";
        let mut values: Vec<Value> = vec!["a".into(), 2_i64.into(), "{\"a\":7}".into()];
        values.resize(9, Value::String(None));
        values.push("x".into());
        let rows = Row::fetch(&connection, sql, &values, 1, usize::MAX).expect("a row");
        let expected: [Value; 5] = [
            2_i64.into(),
            "a".into(),
            "xa".into(),
            7_i64.into(),
            "$".into(),
        ];
        assert_eq!(rows[0].values, expected);
        let few = Row::fetch(&connection, sql, &values[..9], 1, usize::MAX);
        assert_eq!(few.err(), Some(Error::InvalidParameterCount(10, 9)));
    }

    #[test]
    fn a_text_at_a_reused_address_is_prepared_again() {
        let connection = Connection::open_in_memory().expect("opens");
        let mut sql = String::with_capacity(64);
        for number in 0..9 {
            sql.clear();
            sql.push_str(&format!("SELECT {number} + $1"));
            let rows = Row::fetch(&connection, &sql, &[1_i64.into()], 1, usize::MAX);
            assert_eq!(
                rows.expect("a row")[0].values,
                [Value::from(number + 1_i64)]
            );
        }
    }

    #[test]
    fn insert_accepts_any_number_of_rows_and_returns_it() {
        let connection = Connection::open_in_memory().expect("opens");
        let made = connection.execute_batch("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)");
        made.expect("makes");
        let parts = ("INTO t (b, a)", "ON CONFLICT DO NOTHING");
        let name = |a: i64| (a % 7 > 0).then(|| a.to_string());
        for (rows, new) in [(0..0, 0), (0..3, 3), (0..10, 7), (5..28, 18), (28..53, 25)] {
            let names: Vec<_> = rows.clone().map(name).collect();
            let cells = rows.clone().zip(&names);
            let cells: Vec<_> = cells
                .map(|(a, name)| [Cell::from(name.as_deref()), Cell::from(a)])
                .collect();
            assert_eq!(insert(&connection, parts, &cells), Ok(new));
        }
        let kept = Row::fetch(&connection, "SELECT a, b FROM t", &[], usize::MAX, 9_000);
        let kept: Vec<_> = kept
            .expect("reads")
            .into_iter()
            .map(|row| row.values)
            .collect();
        let expected = (0..53).map(|a| vec![Value::from(a), Value::String(name(a))]);
        assert_eq!(kept, expected.collect::<Vec<_>>());
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
