//! Publications at outside accounts.

use super::text_enum;

text_enum! {
    /// The kind of a publication.
    pub enum PublicationKind {
        Photo = "PHOTO",
        Video = "VIDEO",
    }
}

text_enum! {
    /// The progress of a publication.
    pub enum PublicationState {
        /// Stored before the call to the provider. The outcome of the call is not stored yet.
        Submitting = "submitting",
        /// The provider waits for the bytes of a video.
        Uploading = "uploading",
        /// The provider fetches or checks the media.
        Processing = "processing",
        Published = "published",
        /// The publication is not online.
        Failed = "failed",
        /// The publication may be online, so a person has to check.
        Unknown = "unknown",
    }
}
