//! Pure rules and the newtypes of the wire: no database, no clock of its own.

mod capability;
mod email;
mod idempotency_key;
mod ids;
mod level;
mod page;
pub mod project;
mod secret;
mod status;
mod template_id;
mod text_enum;
pub mod time;
mod update_token;
mod visible;
mod window;

pub use capability::{Capabilities, Capability};
pub use email::Email;
pub use idempotency_key::{IdempotencyKey, PATTERN as IDEMPOTENCY_KEY_PATTERN};
pub use ids::{EventId, ItemId, MediaId, MemberId, ProjectId, SectionId, TokenId, is_id, new_id};
pub use level::{Level, Role};
pub(crate) use page::position;
pub use page::{Cursor, Limit, Page};
pub(crate) use secret::hex;
pub use secret::{TOKEN_PREFIX, TokenSecret, random_text, sha256_hex};
pub use status::EventStatus;
pub use template_id::TemplateId;
pub use text_enum::UnknownText;
pub(crate) use text_enum::{text_enum, without_comment};
pub use update_token::{ExpectedUpdate, UpdateToken};
pub use visible::{VISIBLE, is_blank};
pub use window::{Part, Span, Window};

/// The compare-and-set token of an event or a project: how many changes led to it.
pub type Revision = i64;
