//! The original of a medium, as pages serve it.

use gateway::Content;
use store::media::{Media, storage_path};

/// Returns the bytes of a medium, unchanged.
pub(crate) fn original_content(media: Media) -> Content {
    Content::Blob {
        path: storage_path(&media.sha256),
        length: media.bytes.unsigned_abs(),
        sha256: media.sha256,
        media_type: media.media_type,
    }
}
