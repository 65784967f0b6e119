//! Publications at external accounts.

use super::text_enum;

text_enum! {
    /// The type of a publication.
    pub enum PublicationKind {
        Photo = "PHOTO",
        Video = "VIDEO",
    }
}

text_enum! {
    /// The progress of a publication.
    pub enum PublicationState {
        /// Stored before the request to the provider is sent; its outcome is not known yet.
        Submitting = "submitting",
        /// The provider is waiting for the bytes of a video.
        Uploading = "uploading",
        /// The provider is downloading or checking the media.
        Processing = "processing",
        Published = "published",
        /// The publication did not go online.
        Failed = "failed",
        /// The publication may be online, so a person has to check.
        Unknown = "unknown",
    }
}
