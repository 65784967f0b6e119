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
        /// Stored before the request to the provider is sent; the outcome of the request is not
        /// known yet.
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
        /// The post waits for its planned time.
        Scheduled = "scheduled",
        /// The network downloads and checks the files. Nobody sees the post.
        Preparing = "preparing",
        /// The network has all files, and the post waits for its planned time.
        Ready = "ready",
        /// Stored before the request that makes the post public is sent.
        Publishing = "publishing",
        /// The answer to the publishing request was lost. The service checks whether the post is
        /// online.
        Checking = "checking",
        Published = "published",
        /// Nothing was posted, and the service does not try again.
        Failed = "failed",
        /// The post may be online, so a person has to look.
        Unknown = "unknown",
        /// The planned time has passed without an attempt, so a person has to decide.
        Late = "late",
        /// Nothing was posted, and nothing will be posted: a person canceled the publication, or
        /// the variant changed.
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
    /// The progress of the first comment of a published variant.
    pub enum CommentState {
        /// The variant has no first comment.
        Absent = "absent",
        /// The comment is added when the post is online.
        Pending = "pending",
        /// Stored before the request that adds the comment is sent.
        Sending = "sending",
        Added = "added",
        /// The network refused the comment.
        Failed = "failed",
        /// The comment may be online, so it is not sent again.
        Unknown = "unknown",
    }
}
