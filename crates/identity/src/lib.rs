//! Identity: sessions, passwords, personal tokens, and the authorization server.
//!
//! `ports::IdentityProvider` creates, changes and closes accounts: embedded accounts (`embedded.rs`), or
//! accounts of a hosted issuer (`hosted/`). With `PAUTA_IDENTITY_ISSUER` set, the tokens of that issuer
//! are verified instead of our own tokens, and the area `auth` is not served. No other module depends on
//! which of the two providers is configured.
//!
//! Every request loads the member again, so a lowered level, a sign-out, a new password and
//! offboarding take effect at once.

mod admins;
mod audience;
mod authenticate;
pub mod authorization;
pub mod browser;
pub mod calendar_feed;
mod embedded;
mod entrance;
pub mod entry_code;
pub mod first_access;
pub mod guest_link;
mod hosted;
mod limiter;
pub mod mail;
mod networks;
pub mod operations;
mod passwords;
mod refused_sign_ins;
mod returning;
pub mod sealed;
mod session;
mod tokens;
mod upload_link;

pub use admins::{Created, NewAdmin, create_admin, has_members, store_invitation};
pub use authenticate::{CredentialCheck, signed_in_at};
pub use embedded::{EmbeddedIdentity, INVITE_LIFETIME};
pub use entry_code::EntryCode;
pub use first_access::FirstAccess;
pub use hosted::{Entrance, HostedSessions, IssuerProfile, KeySet};
pub use limiter::{Limiter, WINDOW as LIMIT_WINDOW};
pub use passwords::{Passwords, WEAK_PASSWORD, require_strong};
pub use returning::ReturnPath;
pub use session::{IssuedToken, SessionKeys};
pub use tokens::{RESOURCE as TOKEN, REVOKE_OF_OTHERS, REVOKE_OWN, revoke_all_tokens};
pub use upload_link::{credential_reference, upload_url};
