//! Who people are: sessions, passwords, personal tokens.

mod audience;
mod authenticate;
pub mod authorization;
pub mod browser;
mod embedded;
mod entrance;
mod hosted;
mod limiter;
mod networks;
pub mod operations;
mod passwords;
mod returning;
pub mod sealed;
mod session;
mod tokens;

pub use authenticate::{Credentials, signed_in_at};
pub use embedded::EmbeddedIdentity;
pub use hosted::{Entrance, HostedSessions, KeySet, Profile};
pub use limiter::LoginLimiter;
pub use passwords::{Passwords, WEAK_PASSWORD, require_strong};
pub use session::{SessionKeys, SignedIn};
pub use tokens::{
    RESOURCE as TOKEN, REVOKE_OF_OTHERS, REVOKE_OWN, revoke_all as revoke_all_tokens,
};
