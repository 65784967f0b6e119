//! Identifiers, each with its own type.

use std::{
    borrow::{Borrow, Cow},
    fmt,
};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

/// Calls a macro with all identifier types: first those that callers send, then those that only the
/// database and this service use.
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
                /// The public id of a personal token.
                TokenId,
                /// An agent that a member has connected through OAuth.
                AgentId,
                /// A collaborative project.
                ProjectId,
                /// A section of a project.
                SectionId,
                /// An item of a section.
                ItemId,
                /// A video generation.
                VideoId,
                /// A publication at an external account.
                PublicationId,
                /// An upload by a signed link.
                UploadId,
                /// A remark on a piece. A thread has the id of its first remark.
                RemarkId,
                /// A link for a guest.
                GuestLinkId,
                /// A notification of a member.
                NotificationId,
                /// A calendar that a member subscribes to.
                CalendarFeedId,
                /// A variant of a piece, for one channel.
                VariantId,
                /// A webhook: a subscription to changes, which are sent to a URL.
                WebhookId,
                /// A message of a webhook.
                WebhookMessageId,
                /// A device that receives notifications.
                PushDeviceId,
            }
            internal {
                /// An account, by the id that its issuer gave it.
                UserId,
                /// One sign-in, with all its refresh tokens.
                SessionId,
                /// A document of the knowledge base.
                DocumentId,
                /// A chunk of a document.
                ChunkId,
                /// A background job; the id of a recurring job is its name.
                JobId,
                /// An e-mail to a member.
                MailId,
                /// A message to a device of a member.
                PushMessageId,
                /// The group of push messages with the same content to all devices of a member.
                PushId,
                /// A media generation.
                MediaJobId,
                /// A row of the audit trail.
                AuditEventId,
                /// A recorded change of an event.
                EventChangeId,
                /// A recorded operation on a project.
                ProjectOperationId,
                /// A session of the timeline. This id is separate from the browser's own id.
                TimelineSessionId,
                /// The reason given for a cancelled subscription.
                CancellationId,
                /// An OAuth client: the random text from its registration, or the URL of its
                /// metadata document.
                ClientId,
            }
        }
    };
}

/// An identifier type that can be read from a database row.
pub(crate) trait Stored: Sized {
    fn from_stored(text: String) -> Option<Self>;
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
                /// A malformed identifier from a caller becomes the empty text, which matches no
                /// row, so the response is 404.
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
            /// Generates an identifier for the instant `now` (milliseconds since the epoch).
            #[must_use]
            pub fn new(now: i64) -> Self {
                Self(new_id(now))
            }

            /// Wraps an identifier from the database, unchanged; `None` for an empty text.
            #[must_use]
            pub fn from_stored(text: String) -> Option<Self> {
                (!text.is_empty()).then_some(Self(text))
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Stored for $name {
            fn from_stored(text: String) -> Option<Self> {
                Self::from_stored(text)
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

/// True if the text has the format of an identifier.
#[must_use]
pub fn is_id(text: &str) -> bool {
    text.len() == 36 && Uuid::try_parse(text).is_ok()
}

/// Generates a UUIDv7 for the instant `now` (milliseconds since the epoch).
///
/// # Panics
///
/// If the operating system provides no randomness.
#[must_use]
pub fn new_id(now: i64) -> String {
    let mut random = [0u8; 10];
    getrandom::fill(&mut random).expect("the operating system provides randomness");
    uuid_v7(now, &random)
}

/// Returns the smallest possible identifier of this instant, a lower bound for range queries.
#[must_use]
pub fn first_id(now: i64) -> String {
    uuid_v7(now, &[0; 10])
}

fn uuid_v7(now: i64, random: &[u8; 10]) -> String {
    uuid::Builder::from_unix_timestamp_millis(now.max(0).cast_unsigned(), random)
        .into_uuid()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_ids_become_empty() {
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
    fn stored_ids_are_not_changed() {
        for text in ["antigo", "0198C0DE-0000-7000-8000-00000000000A"] {
            let id = EventId::from_stored(text.into()).expect("an id");
            assert_eq!(id.as_str(), text);
        }
        assert_eq!(EventId::from_stored(String::new()), None);
    }

    #[test]
    fn ids_are_ordered_by_time() {
        assert!(new_id(1_000) < new_id(2_000));
        assert!((new_id(1_999) < first_id(2_000)) && (first_id(2_000) <= new_id(2_000)));
    }
}
