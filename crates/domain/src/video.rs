//! Video generations.

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
    /// The progress of a video generation.
    pub enum VideoState {
        /// The request has not been sent to the provider yet.
        Queued = "queued",
        /// The request is being sent to the provider. This state is stored before sending, so that
        /// the request is never sent twice.
        Submitting = "submitting",
        /// The provider has confirmed the request.
        InProgress = "in_progress",
        /// The result is being copied to the blob storage.
        Storing = "storing",
        Completed = "completed",
        Failed = "failed",
        Canceled = "canceled",
    }
}

impl VideoState {
    /// True if the generation has ended.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled)
    }
}
