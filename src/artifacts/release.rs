//! The version of the interface that the documents describe.

/// The version of the interface, which is that of the release.
pub const API_VERSION: &str = env!("CARGO_PKG_VERSION");
/// When this version of the interface was released.
pub const RELEASE_DATE: &str = "2026-08-22";
