//! Identifiers: UUIDv7 text. Text that is not a UUID matches no row.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        ///
        /// A malformed identifier becomes the empty text, which no row has, so the answer is 404.
        #[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(canonical(text))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Ok(Self::from(Cow::<str>::deserialize(deserializer)?.as_ref()))
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "minLength": 1, "maxLength": 64 })
            }
        }
    )+};
}

id! {
    /// An editorial event.
    EventId,
    /// A member of the team.
    MemberId,
    /// A stored image or video.
    MediaId,
    /// A personal token's public id.
    TokenId,
    /// A collaborative project.
    ProjectId,
    /// A section of a project.
    SectionId,
    /// An item of a section.
    ItemId,
}

fn canonical(text: &str) -> String {
    match Uuid::try_parse(text) {
        Ok(id) if text.len() == 36 => id.to_string(),
        _ => String::new(),
    }
}

/// Whether the text is an identifier of any kind.
#[must_use]
pub fn is_id(text: &str) -> bool {
    !canonical(text).is_empty()
}

/// A new UUIDv7 for the instant `now` (milliseconds since the epoch).
///
/// # Panics
/// When the operating system gives no randomness.
#[must_use]
pub fn new_id(now: i64) -> String {
    let mut random = [0u8; 10];
    getrandom::fill(&mut random).expect("the operating system provides randomness");
    uuid::Builder::from_unix_timestamp_millis(now.max(0).cast_unsigned(), &random)
        .into_uuid()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_ids_name_nothing() {
        for bad in [
            "",
            "x",
            "../etc",
            "0198c0de00007000800000000000000a",
            "'; --",
        ] {
            assert_eq!(EventId::from(bad).as_str(), "");
        }
        let id = new_id(1_760_000_000_000);
        assert_eq!(EventId::from(id.as_str()).as_str(), id);
        assert_eq!(EventId::from(id.to_uppercase().as_str()).as_str(), id);
    }

    #[test]
    fn ids_sort_by_time() {
        assert!(new_id(1_000) < new_id(2_000));
    }
}
