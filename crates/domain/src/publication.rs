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

text_enum! {
    /// The progress of the publication of a variant.
    pub enum PostState {
        /// Waits for its hour.
        Scheduled = "scheduled",
        /// The network downloads and checks the files. Nobody sees the post.
        Preparing = "preparing",
        /// The network has everything, and the post waits for its hour.
        Ready = "ready",
        /// Stored before the request that makes the post public is sent.
        Publishing = "publishing",
        /// The answer to that request was lost. The service looks for evidence.
        Checking = "checking",
        Published = "published",
        /// Nothing was posted, and the service does not try again.
        Failed = "failed",
        /// The post may be online, so a person has to look.
        Unknown = "unknown",
        /// The hour has passed without an attempt, so a person has to decide.
        Late = "late",
        /// Nothing was posted, and nothing will be: somebody canceled it, or the variant changed.
        Canceled = "canceled",
    }
}

impl PostState {
    /// True if a person has to decide what happens next.
    #[must_use]
    pub const fn asks_person(self) -> bool {
        matches!(self, Self::Failed | Self::Unknown | Self::Late)
    }

    /// True while nothing was sent that others could see, and the service continues by itself.
    #[must_use]
    pub const fn is_waiting(self) -> bool {
        matches!(self, Self::Scheduled | Self::Preparing | Self::Ready)
    }
}

text_enum! {
    /// The first comment of a published variant.
    pub enum CommentState {
        /// There is none.
        Absent = "absent",
        /// It is added when the post is online.
        Pending = "pending",
        /// Stored before the request is sent.
        Sending = "sending",
        Added = "added",
        /// The network refused it.
        Failed = "failed",
        /// It may be there, so it is not sent again.
        Unknown = "unknown",
    }
}
