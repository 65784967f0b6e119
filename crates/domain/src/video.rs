//! The generation of videos.

use crate::text_enum;

text_enum! {
    /// The aspect ratio of a video.
    pub enum Aspect {
        Portrait = "9:16",
        Landscape = "16:9",
        Square = "1:1",
    }
}

text_enum! {
    /// How far the generation of a video is.
    pub enum VideoState {
        /// The provider was not asked yet.
        Queued = "queued",
        /// The provider is being asked. It is stored before the request is sent, and never sent twice.
        Submitting = "submitting",
        /// The provider has confirmed the request.
        InProgress = "in_progress",
        /// The result is being copied into the storage.
        Storing = "storing",
        Completed = "completed",
        Failed = "failed",
        Canceled = "canceled",
    }
}

impl VideoState {
    /// Whether it has ended.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled)
    }
}
