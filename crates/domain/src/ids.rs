//! Identifiers, each with its own type.

use std::{
    borrow::{Borrow, Cow},
    fmt,
};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

/// Passes all identifiers to a macro: those that callers send, and those that only the database and
/// this service use.
#[macro_export]
macro_rules! ids {
    ($then:ident) => {
        $then! {
            sent {
                /// An editorial event.
                EventId,
                /// A member of the team.
                MemberId,
                /// A stored image or video.
                MediaId,
                /// A personal token's public id.
                TokenId,
                /// An agent that a member has connected by OAuth.
                AgentId,
                /// A collaborative project.
                ProjectId,
                /// A section of a project.
                SectionId,
                /// An item of a section.
                ItemId,
                /// The generation of a video.
                VideoId,
                /// A publication at an outside account.
                PublicationId,
            }
            internal {
                /// An account, as its issuer names it.
                UserId,
                /// One sign-in, with all its refresh tokens.
                SessionId,
                /// A document of the knowledge base.
                DocumentId,
                /// A chunk of a document.
                ChunkId,
                /// A background job; the id of a recurring job is its name.
                JobId,
                /// A generation of media.
                MediaJobId,
                /// A row of the audit trail.
                AuditEventId,
                /// A change in the history of an event.
                EventChangeId,
                /// An operation in the history of a project.
                ProjectOperationId,
                /// A session of the timeline. It is separate from the browser's own id.
                TimelineSessionId,
                /// The reason given for a cancelled subscription.
                CancellationId,
                /// An OAuth client: random text from its registration, or the address of its
                /// document.
                ClientId,
            }
        }
    };
}

/// An identifier read from a row.
pub(crate) trait Stored: Sized {
    fn stored(text: String) -> Option<Self>;
}

macro_rules! declare {
    (
        sent { $($(#[$doc:meta])* $sent:ident,)+ }
        internal { $($(#[$internal_doc:meta])* $internal:ident,)+ }
    ) => {
        $(
            declare! {
                $(#[$doc])*
                ///
                /// A malformed identifier from a caller becomes the empty text, which no row has, so
                /// the answer is 404.
                $sent
            }

            impl From<&str> for $sent {
                fn from(text: &str) -> Self {
                    text.to_owned().into()
                }
            }

            impl From<String> for $sent {
                fn from(mut text: String) -> Self {
                    if is_id(&text) {
                        text.make_ascii_lowercase();
                    } else {
                        text.clear();
                    }
                    Self(text)
                }
            }

            impl<'de> Deserialize<'de> for $sent {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    Ok(String::deserialize(deserializer)?.into())
                }
            }
        )+
        $(
            declare! { $(#[$internal_doc])* #[derive(Deserialize)] $internal }

            impl From<&str> for $internal {
                fn from(text: &str) -> Self {
                    Self(text.to_owned())
                }
            }

            impl From<String> for $internal {
                fn from(text: String) -> Self {
                    Self(text)
                }
            }
        )+
    };
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Creates an identifier for the instant `now` (milliseconds since the epoch).
            #[must_use]
            pub fn new(now: i64) -> Self {
                Self(new_id(now))
            }

            /// An identifier as stored by this service, unchanged; `None` for an empty text.
            #[must_use]
            pub fn stored(text: String) -> Option<Self> {
                (!text.is_empty()).then_some(Self(text))
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Stored for $name {
            fn stored(text: String) -> Option<Self> {
                Self::stored(text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                if generator.contract().is_serialize() {
                    return String::json_schema(generator);
                }
                json_schema!({ "type": "string", "minLength": 1, "maxLength": 64 })
            }
        }
    };
}

ids!(declare);

/// True if the text is an identifier of any kind.
#[must_use]
pub fn is_id(text: &str) -> bool {
    text.len() == 36 && Uuid::try_parse(text).is_ok()
}

/// Creates a UUIDv7 for the instant `now` (milliseconds since the epoch).
///
/// # Panics
///
/// If the operating system provides no randomness.
#[must_use]
pub fn new_id(now: i64) -> String {
    let mut random = [0u8; 10];
    getrandom::fill(&mut random).expect("the operating system provides randomness");
    id_of(now, &random)
}

/// The smallest possible identifier of this instant. Identifiers of later instants are larger.
#[must_use]
pub fn first_id(now: i64) -> String {
    id_of(now, &[0; 10])
}

fn id_of(now: i64, random: &[u8; 10]) -> String {
    uuid::Builder::from_unix_timestamp_millis(now.max(0).cast_unsigned(), random)
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
    fn stored_ids_are_taken_as_they_are() {
        for text in ["antigo", "0198C0DE-0000-7000-8000-00000000000A"] {
            let id = EventId::stored(text.into()).expect("an id");
            assert_eq!(id.as_str(), text);
        }
        assert_eq!(EventId::stored(String::new()), None);
    }

    #[test]
    fn ids_sort_by_time() {
        assert!(new_id(1_000) < new_id(2_000));
        assert!((new_id(1_999) < first_id(2_000)) && (first_id(2_000) <= new_id(2_000)));
    }
}
