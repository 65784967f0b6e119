//! Who people are: sessions, passwords, personal tokens.

mod authenticate;
mod embedded;
mod keys;
mod limiter;
mod networks;
pub mod operations;
mod passwords;
mod session;

pub use authenticate::authenticate;
pub(crate) use authenticate::signed_in_at;
pub use embedded::EmbeddedIdentity;
pub use keys::Keys;
pub use limiter::LoginLimiter;
pub use passwords::Passwords;
pub use session::{SessionKeys, SignedIn};
