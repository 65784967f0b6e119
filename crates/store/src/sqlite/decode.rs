//! Deserializes a row with serde: first its columns in order, then its lists.

use rusqlite::{
    CachedStatement, Row, Rows, ffi,
    types::{Type, ValueRef},
};
use serde::{
    Deserializer,
    de::{
        DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, SeqAccess, Visitor, value,
    },
    forward_to_deserialize_any,
};
use serde_json::Error;

/// The remaining budget of a read in bytes, and the database error that ended the read.
pub(super) struct Reading {
    pub room: usize,
    failure: Option<rusqlite::Error>,
}

impl Reading {
    pub fn new(room: usize) -> Self {
        let failure = None;
        Self { room, failure }
    }

    /// Deserializes a tuple, or a struct whose fields are in the order of the columns and the
    /// lists.
    pub fn deserialize_row<T: DeserializeOwned>(
        &mut self,
        row: &Row<'_>,
        columns: usize,
        lists: &mut [CachedStatement<'_>],
    ) -> rusqlite::Result<T> {
        let cells = Cells {
            row,
            next: 0,
            columns,
            lists: lists.iter_mut(),
            reading: self,
        };
        let read = T::deserialize(value::SeqAccessDeserializer::new(cells));
        read.map_err(|error| {
            let invalid =
                || rusqlite::Error::FromSqlConversionFailure(0, Type::Null, Box::new(error));
            self.failure.take().unwrap_or_else(invalid)
        })
    }

    /// Keeps a database error for the caller, because serde cannot carry it.
    fn store_error<T>(&mut self, result: rusqlite::Result<T>) -> Result<T, Error> {
        result.map_err(|error| {
            let text = Error::custom(&error);
            self.failure = Some(error);
            text
        })
    }
}

struct Cells<'a, 'r, 'c> {
    row: &'a Row<'r>,
    next: usize,
    columns: usize,
    /// The queries of the lists that are not read yet.
    lists: std::slice::IterMut<'a, CachedStatement<'c>>,
    reading: &'a mut Reading,
}

impl<'de> SeqAccess<'de> for Cells<'_, '_, '_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if self.next < self.columns {
            let cell = self.row.get_ref(self.next);
            let cell = self.reading.store_error(cell)?;
            self.reading.room = self
                .reading
                .store_error(deduct_size(self.reading.room, cell))?;
            self.next += 1;
            return seed.deserialize(Cell(cell)).map(Some);
        }
        let Some(list) = self.lists.next() else {
            return Ok(None);
        };
        let key = self.row.get_ref(0);
        let key = key.and_then(|key| list.raw_bind_parameter(1, key.as_str()?));
        self.reading.store_error(key)?;
        let columns = list.column_count();
        let rows = list.raw_query();
        let list = List {
            rows,
            columns,
            reading: self.reading,
        };
        seed.deserialize(value::SeqAccessDeserializer::new(list))
            .map(Some)
    }
}

/// The rows of a list.
struct List<'a, 's> {
    rows: Rows<'s>,
    columns: usize,
    reading: &'a mut Reading,
}

impl<'de> SeqAccess<'de> for List<'_, '_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let row = self.rows.next();
        let Some(row) = self.reading.store_error(row)? else {
            return Ok(None);
        };
        let cells = Cells {
            row,
            next: 0,
            columns: self.columns,
            lists: [].iter_mut(),
            reading: self.reading,
        };
        seed.deserialize(value::SeqAccessDeserializer::new(cells))
            .map(Some)
    }
}

struct Cell<'a>(ValueRef<'a>);

impl<'a> Cell<'a> {
    fn read_text(&self) -> Result<&'a str, Error> {
        self.0.as_str().map_err(Error::custom)
    }
}

impl<'de> Deserializer<'de> for Cell<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            ValueRef::Null => visitor.visit_unit(),
            ValueRef::Integer(number) => visitor.visit_i64(number),
            ValueRef::Real(number) => visitor.visit_f64(number),
            ValueRef::Text(_) => visitor.visit_str(self.read_text()?),
            ValueRef::Blob(bytes) => visitor.visit_bytes(bytes),
        }
    }

    /// Reads a boolean, which SQLite stores as an integer.
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.0.as_i64().map_err(Error::custom)? != 0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            ValueRef::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let text = self.read_text()?.into_deserializer();
        Deserializer::deserialize_enum(text, name, variants, visitor)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Returns the byte budget that remains after this value.
pub(super) fn deduct_size(room: usize, value: ValueRef<'_>) -> rusqlite::Result<usize> {
    let size = match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len(),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => 0,
    };
    room.checked_sub(size).ok_or_else(interruption_error)
}

fn interruption_error() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_INTERRUPT), None)
}
