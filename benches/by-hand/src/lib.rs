//! The same work as the service, written by hand over axum: no registry, schema, logging or guard beyond the token.
//!
//! These are the baselines, so they are written to be fast. The package is of its own so that the release
//! profile can compile it for speed, as it does what is hot in the service.

pub mod approvals;
pub mod bare;
pub mod caller;
pub mod draft;
pub mod links;
pub mod over_rusqlite;

pub use caller::sha256_hex;
pub use draft::fold;

/// The same guarantee as the service: a commit is on disk before the answer. An environment variable can
/// lower it, to measure its cost.
pub fn synchronous() -> &'static str {
    match std::env::var("HAND_SYNCHRONOUS").as_deref() {
        Ok("normal") => "normal",
        _ => "full",
    }
}
