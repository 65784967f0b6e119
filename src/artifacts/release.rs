//! The version of the interface that the documents describe.

/// The API version, which is the release version.
pub const API_VERSION: &str = env!("CARGO_PKG_VERSION");
/// The release date of this API version.
pub const RELEASE_DATE: &str = "2026-08-22";
