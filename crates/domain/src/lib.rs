//! Pure domain rules and the newtypes of the API, without a database or a clock.

mod anchor;
pub mod approval;
mod brand;
mod calendar_feed;
mod capability;
pub mod channels;
mod connection;
mod email;
mod error;
mod event;
mod file_extension;
mod fold;
mod guest;
mod idempotency_key;
mod ids;
mod lack;
mod level;
mod mail;
mod member;
mod network;
mod notification;
mod outcome;
mod page;
mod person;
mod picture;
mod plain_emails;
mod plain_phones;
mod platform_id;
pub mod project;
mod publication;
mod push;
mod reading;
mod revision;
pub mod sales;
mod secret;
mod status;
mod style;
mod template_id;
mod text_enum;
pub mod time;
pub mod timeline;
mod update_token;
pub mod variant;
mod version;
mod video;
mod visible;
mod webhook;
mod window;

pub use anchor::{Anchor, Place, find_passage};
pub use brand::{Brand, Font};
pub use calendar_feed::{FEED_STATUSES, FeedFilter};
pub use capability::{Capabilities, Capability};
pub use channels::Format;
pub use connection::ConnectionStatus;
pub use email::Email;
pub use error::{Code, Error, ErrorBody, Fault, MOST_FAULTS, Result};
pub use event::{Attached, Event, MOST_TAG};
pub use file_extension::file_extension;
pub use fold::fold_text;
pub use guest::{
    GUEST_PREFIX, Guest, GuestRight, caption_shown_to_guests, is_content_shown_to_guests,
    is_shown_to_guests,
};
pub use idempotency_key::{IdempotencyKey, PATTERN as IDEMPOTENCY_KEY_PATTERN};
pub use ids::{
    AgentId, AuditEventId, CalendarFeedId, CancellationId, ChunkId, ClientId, DocumentId,
    EventChangeId, EventId, GuestLinkId, ItemId, JobId, MailId, MediaId, MediaJobId, MemberId,
    NotificationId, ProjectId, ProjectOperationId, PublicationId, PushDeviceId, PushId,
    PushMessageId, RemarkId, SectionId, SessionId, TimelineSessionId, TokenId, UploadId, UserId,
    VariantId, VideoId, WebhookId, WebhookMessageId, first_id, is_id, new_id,
};
pub use lack::Lack;
pub use level::{Level, Role};
pub use mail::{MailKind, MailState, MailTimes};
pub use member::{ACCOUNT_NOT_LINKED, EMAIL_IN_USE, Member};
pub use network::{network_prefix, site_prefix};
pub use notification::{Choices, NotificationKind, reminder_subject};
pub use outcome::Outcome;
pub use page::{Cursor, Limit, ListPage, encode_position};
pub use person::PersonId;
pub use picture::PICTURE_WIDTHS;
pub use plain_emails::{has_email, without_emails};
pub use plain_phones::without_phones;
pub use platform_id::PlatformId;
pub use publication::{CommentState, PostState, PublicationKind, PublicationState};
pub use push::{PUSH_LIFETIME, PushState};
pub use reading::{ReadingAge, ResultMeasure};
pub use revision::Revision;
pub use secret::{
    AGENT_PREFIX, AgentSecret, LinkSecret, TOKEN_PREFIX, TokenSecret, hex, random_bytes,
    random_text, sha256_base64url, sha256_hex,
};
pub use status::EventStatus;
pub use style::Style;
pub use template_id::TemplateId;
pub use text_enum::{UnknownText, without_comment};
pub use time::BrasiliaTime;
pub use update_token::{ExpectedUpdate, UpdateToken};
pub use version::Version;
pub use video::{Aspect, VideoState};
pub use visible::{VISIBLE, VISIBLE_ANYWHERE, is_blank, visible_line};
pub use webhook::{
    FailedAttempts, GIVE_UP_AFTER, LONGEST_ASKED, WebhookMessageState, WebhookState,
    read_retry_after,
};
pub use window::{RequestedWindow, TextRange, Window};

/// The JSON Schema keyword of fields in which null is a value of its own and not the same as an
/// absent field.
pub const NULLABLE: &str = "x-nullable";
