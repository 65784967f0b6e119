//! Deserializes a row with serde: columns in order, and a list from JSON text.

use rusqlite::{
    Row,
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

/// A tuple, or a struct with its fields in the order of the columns.
pub(super) fn decode<T: DeserializeOwned>(row: &Row<'_>, columns: usize) -> rusqlite::Result<T> {
    let cells = Cells {
        row,
        next: 0,
        columns,
    };
    T::deserialize(value::SeqAccessDeserializer::new(cells))
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Null, Box::new(error)))
}

struct Cells<'a, 'r> {
    row: &'a Row<'r>,
    next: usize,
    columns: usize,
}

impl<'de> SeqAccess<'de> for Cells<'de, '_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if self.next == self.columns {
            return Ok(None);
        }
        let cell = self.row.get_ref(self.next).map_err(Error::custom)?;
        self.next += 1;
        seed.deserialize(Cell(cell)).map(Some)
    }
}

struct Cell<'a>(ValueRef<'a>);

impl<'de> Cell<'de> {
    fn text(&self) -> Result<&'de str, Error> {
        self.0.as_str().map_err(Error::custom)
    }
}

impl<'de> Deserializer<'de> for Cell<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            ValueRef::Null => visitor.visit_unit(),
            ValueRef::Integer(number) => visitor.visit_i64(number),
            ValueRef::Real(number) => visitor.visit_f64(number),
            ValueRef::Text(_) => visitor.visit_str(self.text()?),
            ValueRef::Blob(bytes) => visitor.visit_bytes(bytes),
        }
    }

    /// SQLite stores a boolean as an integer.
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
        let text = self.text()?.into_deserializer();
        Deserializer::deserialize_enum(text, name, variants, visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        serde_json::Deserializer::from_str(self.text()?).deserialize_seq(visitor)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct tuple tuple_struct map struct identifier ignored_any
    }
}
