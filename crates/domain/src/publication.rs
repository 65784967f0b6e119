//! Publications at outside accounts.

use super::text_enum;

text_enum! {
    /// What is published.
    pub enum PublicationKind {
        Photo = "PHOTO",
        Video = "VIDEO",
    }
}

text_enum! {
    /// How far a publication is.
    pub enum PublicationState {
        /// Stored before the provider is called; the outcome of the call is not stored yet.
        Submitting = "submitting",
        /// The provider waits for the bytes of a video.
        Uploading = "uploading",
        /// The provider fetches or checks the media.
        Processing = "processing",
        Published = "published",
        /// It is not online.
        Failed = "failed",
        /// It may be online: a person has to check.
        Unknown = "unknown",
    }
}
