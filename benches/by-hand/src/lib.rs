//! The baseline servers: the same work as the service, written by hand over axum. They check the
//! token, but have no registry, schema, logging or guard.
//!
//! They are written to be fast. They are in a separate package, so that the release profile can
//! optimize this package for speed, as it does for the hot code of the service.

pub mod approvals;
pub mod bare;
pub mod caller;
pub mod draft;
pub mod links;
pub mod over_rusqlite;

pub use caller::sha256_hex;
pub use draft::fold_text;

/// Returns the `synchronous` mode of SQLite. As in the service, a commit is on disk before the
/// response. `HAND_SYNCHRONOUS=normal` lowers that durability, to measure its cost.
pub fn synchronous() -> &'static str {
    match std::env::var("HAND_SYNCHRONOUS").as_deref() {
        Ok("normal") => "normal",
        _ => "full",
    }
}
