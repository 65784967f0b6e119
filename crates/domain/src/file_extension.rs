//! The extensions of files.

/// Returns the extension of a file of this media type; `bin` for a type that the service does not
/// store.
#[must_use]
pub fn file_extension(media_type: &str) -> &'static str {
    match media_type {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/webp" => "webp",
        "image/gif" => "gif",
        "video/mp4" => "mp4",
        "video/quicktime" => "mov",
        _ => "bin",
    }
}
