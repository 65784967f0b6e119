//! Social networks that publish posts in steps.
//!
//! Only [`PublishingNetwork::publish`] and [`PublishingNetwork::comment`] have an effect that others
//! can see, and the service never repeats them unless the network proves that nothing was posted.
//! All other steps may be repeated.
//!
//! Networks get the files in two ways: some download them from the public URL, others take them in
//! chunks, which the adapter reads from the storage. The progress of an upload is part of
//! [`Prepared`], so that another instance can continue the upload.
//!
//! Most networks publish at once. Some take the post and publish it later by themselves
//! ([`Sent::Taken`]); their answers to [`PublishingNetwork::fetch_state`] show when the post is
//! online.

use async_trait::async_trait;
use domain::{
    Format,
    time::{HOUR, Millis},
};
use serde::{Deserialize, Serialize};

pub use super::shortvideo::Trouble;

/// An account at a network, and its access token.
#[derive(Clone, Copy)]
pub struct Account<'a> {
    /// The network's id of the account.
    pub id: &'a str,
    pub token: &'a str,
}

/// The place where a post appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// A text, an image, a video, or several images and videos.
    Feed,
    /// A vertical video.
    Reel,
    /// One image or video that disappears after a day.
    Story,
    /// Images as the pages of a document.
    Document,
}

/// The maximum length of the shorter side and of the longer side of a page of a document, in pixels.
pub const PAGE_SIDES: (u32, u32) = (1_500, 2_000);

impl From<Format> for Placement {
    fn from(format: Format) -> Self {
        match format {
            Format::Story => Self::Story,
            Format::Document => Self::Document,
            Format::Reel | Format::Short | Format::Video => Self::Reel,
            Format::Post | Format::Feed => Self::Feed,
        }
    }
}

/// One image or video of a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostFile {
    /// The public URL, from which a network can download the file.
    pub url: String,
    /// The path in the storage, from which an adapter can read the file.
    pub path: String,
    /// The size in bytes.
    pub bytes: u64,
    pub media_type: String,
    pub is_video: bool,
    /// The duration of a video in seconds, if the file states it.
    pub seconds: Option<u64>,
    /// The description of an image for people who do not see it.
    pub alt: Option<String>,
}

/// A post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkPost {
    pub placement: Placement,
    pub title: Option<String>,
    pub caption: String,
    pub tags: Vec<String>,
    /// The privacy level of the post, in the network's own terms; `None` means that everyone can
    /// see it.
    pub privacy: Option<String>,
    /// The files, in order; empty for a post of text only.
    pub files: Vec<PostFile>,
    /// The cover image of a video.
    pub cover: Option<PostFile>,
    /// The position of the cover within the video, in milliseconds.
    pub cover_at: Option<u64>,
    /// False if a reel is not shown among the posts of the account.
    pub in_feed: bool,
    /// True if nobody may comment.
    pub comments_off: bool,
    pub disclosure: Disclosure,
    /// The network's id of the playlist to which a video is added.
    pub playlist: Option<String>,
}

/// The limits of the images that a network accepts. Images beyond these limits are converted to
/// JPEG.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageLimits {
    /// The media types that are sent unchanged.
    pub types: &'static [&'static str],
    /// The maximum size of a file, in bytes.
    pub most_bytes: i64,
    /// The maximum length of the shorter and of the longer side, in pixels.
    pub sides: (u32, u32),
    /// The purpose under which converted images are stored. One purpose has one set of limits.
    pub purpose: &'static str,
}

/// The preparation of a post at the network. It is stored between the steps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepared {
    /// The network's ids of the finished parts, such as the files of a carousel, in order.
    #[serde(default)]
    pub parts: Vec<String>,
    /// The network's id of the whole post, which can be published.
    pub whole: Option<String>,
    /// The upload in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload: Option<Upload>,
    /// True if the network has taken the post and publishes it by itself. This cannot be undone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_taken: bool,
}

/// An upload in progress.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upload {
    /// The network's id of the uploaded object, if the network has already assigned one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The number of bytes that the network has confirmed to have received.
    #[serde(default)]
    pub sent: u64,
    /// The size of the file in bytes, for networks whose upload state does not include the size.
    #[serde(default)]
    pub size: u64,
    /// The network's receipts of the chunks, in order; empty if the network issues none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receipts: Vec<String>,
    /// The URLs of the upload. Anyone who knows these URLs can upload, so they are stored
    /// encrypted.
    #[serde(skip)]
    pub addresses: String,
}

impl std::fmt::Debug for Upload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Upload")
            .field("id", &self.id)
            .field("sent", &self.sent)
            .finish_non_exhaustive()
    }
}

/// The result of one step of the preparation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preparation {
    /// The network created another part. The caller stores it and continues.
    Created(Prepared),
    /// The network downloads or checks the files.
    Working,
    /// The post can be published.
    Ready,
    /// The network cannot publish the prepared post; `code` is the reason. Nothing was posted.
    Failed { code: String },
    /// The prepared post has expired or is gone, so the post has to be prepared again.
    Expired,
    /// The prepared post is online. The text is the id of the post, if the network reports it.
    Published(Option<String>),
}

/// The network's answer to a publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// The post is online, with this id.
    Online(String),
    /// The network has taken the post and publishes it by itself. The caller stores the enclosed
    /// value.
    Taken(Prepared),
}

/// The evidence that a network can give about a post after the answer to its publication was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// [`PublishingNetwork::fetch_state`] says whether the prepared post is online.
    State,
    /// Like [`Evidence::State`]. In addition, publishing the prepared post again has no second effect,
    /// so the publication may be repeated as long as the post is not online.
    Repeatable,
    /// No evidence: only a person can check, and a repeated publication creates a second post.
    Nothing,
}

/// The number of posts that the account has published, and the number that it may publish, within
/// the network's period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostQuota {
    pub used: u64,
    pub total: u64,
}

impl PostQuota {
    #[must_use]
    pub fn is_exhausted(self) -> bool {
        self.used >= self.total
    }
}

/// A step of a publication that makes calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// [`PublishingNetwork::check_options`].
    Check,
    /// [`PublishingNetwork::prepare`].
    Prepare,
    /// [`PublishingNetwork::fetch_state`].
    State,
    /// [`PublishingNetwork::publish`].
    Publish,
    /// [`PublishingNetwork::fetch_link`].
    Link,
}

/// A kind of call that a network limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimit {
    /// The name of the kind of call in the stored counter.
    pub call: &'static str,
    pub most: usize,
    pub per: LimitPeriod,
}

/// The period of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitPeriod {
    /// The limit counts the calls of each account in any minute.
    AccountMinute,
    /// The limit counts the calls of all accounts of the application in one day of Pacific time.
    PacificDay,
}

/// The options of a post that can be checked long before its planned time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PostOptions<'a> {
    /// The privacy level of the post, in the network's own terms.
    pub privacy: Option<&'a str>,
    /// The duration of the longest video of the post in seconds, if known.
    pub seconds: Option<u64>,
}

/// The author's statements about brands in a post, and whether others may use the post in their
/// videos.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Disclosure {
    /// The post promotes the author's own business.
    pub own_brand: bool,
    /// A third party pays for the post.
    pub paid_partnership: bool,
    pub duet_off: bool,
    pub stitch_off: bool,
}

/// A post that is online.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnlinePost {
    pub id: String,
    pub caption: String,
    pub link: Option<String>,
    pub posted_at: Millis,
}

/// The publishing API of a network.
///
/// Implementations send at most one request with a visible effect in each call, and never retry it.
#[async_trait]
pub trait PublishingNetwork: Send + Sync {
    /// True if the network downloads the files of a post from their public URLs. This may depend on
    /// whether the post has a video.
    fn downloads_files(&self, _has_video: bool) -> bool {
        false
    }

    /// True if a post needs at least one image or video.
    fn needs_files(&self) -> bool {
        true
    }

    /// Returns the limits of the images of a post.
    fn image_limits(&self) -> ImageLimits;

    /// Returns the limits of cover images.
    fn cover_limits(&self) -> ImageLimits {
        self.image_limits()
    }

    /// Returns the limits of the images that become pages of a document.
    fn page_limits(&self) -> ImageLimits {
        self.image_limits()
    }

    /// Returns the scopes that the connection needs for a publication.
    fn required_scopes(&self) -> &'static [&'static str];

    /// Returns the evidence that the network can give if the answer to the publication of this
    /// prepared post is lost.
    fn evidence(&self, prepared: &Prepared) -> Evidence;

    /// Returns how long before the planned time the preparation of a video may begin. A video that
    /// is prepared then does not expire before the planned time.
    fn video_lead(&self) -> Millis {
        HOUR
    }

    /// Returns the calls of a step that the network limits. The caller counts them before the step,
    /// because exceeding a limit may block the account for longer.
    fn limited_calls(&self, _step: Step, _has_video: bool, _prepared: &Prepared) -> Vec<CallLimit> {
        vec![]
    }

    /// Returns the time at which a quota is available again after the network reported with this
    /// error code that it is used up; `None` if the time is unknown.
    fn quota_returns_at(&self, _code: Option<&str>, _now: Millis) -> Option<Millis> {
        None
    }

    /// Returns the privacy levels that the application may choose; `None` for all levels of the
    /// channel.
    fn allowed_privacy(&self) -> Option<&'static [&'static str]> {
        None
    }

    /// True if [`Self::check_options`] checks something.
    fn checks_options(&self) -> bool {
        false
    }

    /// Checks whether the account may publish a post with these options. If it may not, `Refused`
    /// states the reason.
    async fn check_options(
        &self,
        _account: Account<'_>,
        _options: PostOptions<'_>,
    ) -> Result<(), Trouble> {
        Ok(())
    }

    /// Reads how many posts the account may still publish; `None` if the network does not report a
    /// quota.
    async fn fetch_quota(&self, account: Account<'_>) -> Result<Option<PostQuota>, Trouble>;

    /// Does the next step of the preparation of a post. Others cannot see the result, and the step
    /// may be repeated.
    async fn prepare(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
        prepared: &Prepared,
    ) -> Result<Preparation, Trouble>;

    /// Reads the state of a prepared post: `Working`, `Ready`, `Failed`, `Expired` or `Published`;
    /// `Created` if the network has taken the post in the meantime, with the new value to store.
    async fn fetch_state(
        &self,
        account: Account<'_>,
        prepared: &Prepared,
    ) -> Result<Preparation, Trouble>;

    /// Publishes a prepared post.
    ///
    /// `Refused` proves that this request has posted nothing. An error that does not prove it is
    /// `Lost`.
    async fn publish(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
        prepared: &Prepared,
    ) -> Result<Sent, Trouble>;

    /// True if the network keeps a prepared post until [`PublishingNetwork::discard`] deletes it.
    fn keeps_prepared(&self) -> bool {
        false
    }

    /// Deletes a prepared post. Does nothing if others can see the post.
    async fn discard(&self, _account: Account<'_>, _prepared: &Prepared) -> Result<(), Trouble> {
        Ok(())
    }

    /// Lists the posts of the account since this instant, newest first, without stories. Returns
    /// `None` if the network does not list posts.
    async fn list_posts(
        &self,
        account: Account<'_>,
        since: Millis,
    ) -> Result<Option<Vec<OnlinePost>>, Trouble>;

    /// Fetches the public link of a post. `is_video` is true if the post is a video.
    async fn fetch_link(
        &self,
        account: Account<'_>,
        post_id: &str,
        is_video: bool,
    ) -> Result<Option<String>, Trouble>;

    /// Adds a comment to a post. Returns the id of the comment. An error that does not prove that
    /// there is no comment is `Lost`.
    async fn comment(
        &self,
        account: Account<'_>,
        post_id: &str,
        text: &str,
    ) -> Result<String, Trouble>;
}
