//! Pagination of lists: a limit and an opaque cursor.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{Error, Result};

/// The page size: 1–200 rows, by default 100.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Limit(u8);

impl Default for Limit {
    fn default() -> Self {
        Self(100)
    }
}

impl JsonSchema for Limit {
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": 200, "default": 100 })
    }
}

impl Limit {
    /// Returns the number of rows to fetch: one more than the page size, to detect whether another page
    /// follows.
    #[must_use]
    pub fn fetch_limit(self) -> i64 {
        i64::from(self.0) + 1
    }
}

/// Maximum length of a cursor, in characters: enough for a configuration key of 200 escaped
/// characters.
const LONGEST_CURSOR: u32 = 2048;

/// The cursor after a page: an opaque text that the next call sends back.
#[derive(Debug, Clone, Deserialize)]
pub struct Cursor(String);

impl JsonSchema for Cursor {
    fn schema_name() -> Cow<'static, str> {
        "Cursor".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "maxLength": LONGEST_CURSOR })
    }
}

impl Cursor {
    /// Decodes the position that [`ListPage::from_fetched_rows`] encoded.
    ///
    /// Fails with 400 if the cursor was not created by this list.
    pub fn decode_position<K: DeserializeOwned>(&self) -> Result<K> {
        URL_SAFE_NO_PAD
            .decode(&self.0)
            .ok()
            .and_then(|json| serde_json::from_slice::<Value>(&json).ok())
            .filter(|position| !has_nul(position))
            .and_then(|position| serde_json::from_value(position).ok())
            .ok_or_else(Self::invalid_cursor)
    }

    /// Creates the error (400) for a cursor that this list did not create.
    #[must_use]
    pub fn invalid_cursor() -> Error {
        let message = "não é um cursor devolvido por esta lista";
        Error::invalid_field("cursor", "cursor", message)
    }
}

/// True if a decoded position contains NUL. Valid positions never do, and PostgreSQL rejects NUL
/// even in comparisons.
fn has_nul(position: &Value) -> bool {
    match position {
        Value::String(text) => text.contains('\0'),
        Value::Array(parts) => parts.iter().any(has_nul),
        _ => false,
    }
}

/// Encodes a position as the text of a cursor, for [`Cursor::decode_position`].
pub fn encode_position(key: &impl Serialize) -> String {
    let json = serde_json::to_vec(key).expect("a cursor key is plain data");
    URL_SAFE_NO_PAD.encode(json)
}

/// One page of a list.
#[derive(Debug)]
pub struct ListPage<T> {
    pub rows: Vec<T>,
    pub next_cursor: Option<String>,
}

impl<T> ListPage<T> {
    /// Creates a page from the fetched rows: drops the extra row and sets the cursor of the next
    /// page.
    pub fn from_fetched_rows<K: Serialize>(
        mut rows: Vec<T>,
        limit: Limit,
        key: impl Fn(&T) -> K,
    ) -> Self {
        let full = usize::from(limit.0);
        let more = rows.len() > full;
        rows.truncate(full);
        let next_cursor = rows
            .last()
            .filter(|_| more)
            .map(|last| encode_position(&key(last)));
        Self { rows, next_cursor }
    }

    pub fn map<U>(self, f: impl FnMut(T) -> U) -> ListPage<U> {
        ListPage {
            rows: self.rows.into_iter().map(f).collect(),
            next_cursor: self.next_cursor,
        }
    }
}
