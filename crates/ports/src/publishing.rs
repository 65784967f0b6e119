//! Social networks that publish posts in steps.
//!
//! Only [`PublishingNetwork::publish`] and [`PublishingNetwork::comment`] have an effect that others
//! can see, and the service never repeats them unless the network proves that nothing was posted.
//! All other steps may be repeated.
//!
//! Networks get the files in two ways: some download them from the public URL, others take them in
//! chunks, which the adapter reads from the storage. What was sent is part of [`Prepared`], so that
//! another instance continues an upload.
//!
//! Most networks publish at once. Some take the post and publish it later by themselves
//! ([`Sent::Taken`]); their state says when it is online.

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

/// Where a post appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// A text, an image, a video, or several images and videos.
    Feed,
    /// A vertical video.
    Reel,
    /// One image or video that disappears after a day.
    Story,
}

impl From<Format> for Placement {
    fn from(format: Format) -> Self {
        match format {
            Format::Story => Self::Story,
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
    /// The length of a video in seconds, if its file says it.
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
    /// Who sees it, as the network names it; `None` for everyone.
    pub privacy: Option<String>,
    /// In order. Empty for a post that is text only.
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

/// The images that a network takes. Others, and larger ones, are converted to JPEG.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageLimits {
    /// The media types that are sent unchanged.
    pub types: &'static [&'static str],
    /// The largest file, in bytes.
    pub most_bytes: i64,
    /// Maximum pixels of the shorter and of the longer side.
    pub sides: (u32, u32),
    /// The purpose under which converted images are stored. One purpose has one set of limits.
    pub purpose: &'static str,
}

/// What was prepared for a post at the network. It is stored between the steps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepared {
    /// The network's ids of the parts that are done, such as the files of a carousel, in order.
    #[serde(default)]
    pub parts: Vec<String>,
    /// The id of the post that can be published.
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
    /// The network's id of what is uploaded, if it has one already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The number of bytes that the network has received, as far as it is known.
    #[serde(default)]
    pub sent: u64,
    /// The size of the file in bytes, where the state of the upload does not tell it.
    #[serde(default)]
    pub size: u64,
    /// The network's receipts of the chunks, in order, if it gives some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receipts: Vec<String>,
    /// The addresses of the upload. Whoever knows them can upload, so they are stored encrypted.
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
    /// The network cannot publish what was prepared; `code` says why. Nothing was posted.
    Failed { code: String },
    /// What was prepared is too old or gone. It has to be prepared again.
    Expired,
    /// The prepared post is online. The text is its id, if the network tells it.
    Published(Option<String>),
}

/// The answer to a publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// The post is online, with this id.
    Online(String),
    /// The network has taken the post and publishes it by itself. The caller stores this.
    Taken(Prepared),
}

/// What a network can say about a post after the answer to its publication was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// [`PublishingNetwork::fetch_state`] says whether the prepared post is online.
    State,
    /// The same; and to publish the prepared post again has no second effect, so it may be repeated
    /// while the state says that the post is not online.
    Repeatable,
    /// Nothing: only a person can look, and a repeated publication makes a second post.
    Nothing,
}

/// How many posts the account has published and may publish within the network's period.
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
    /// The kind of call, as the counter of the account names it.
    pub call: &'static str,
    pub most: usize,
    pub per: LimitPeriod,
}

/// The period of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitPeriod {
    /// Each account, in any minute.
    AccountMinute,
    /// All accounts of the application together, in a day of Pacific time.
    PacificDay,
}

/// The options of a post that can be checked long before its hour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PostOptions<'a> {
    /// Who sees the post, as the network names it.
    pub privacy: Option<&'a str>,
    /// The length of its longest video in seconds, if it is known.
    pub seconds: Option<u64>,
}

/// What the author of a post says about brands, and whether others may make videos of it.
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
    /// Whether the network downloads the files of a post, with a video or not, from their public
    /// URLs.
    fn downloads_files(&self, _has_video: bool) -> bool {
        false
    }

    /// Whether a post has at least one image or video.
    fn needs_files(&self) -> bool {
        true
    }

    /// The images of posts that the network takes.
    fn image_limits(&self) -> ImageLimits;

    /// The cover images that the network takes.
    fn cover_limits(&self) -> ImageLimits {
        self.image_limits()
    }

    /// The scopes that the connection needs for a publication.
    fn required_scopes(&self) -> &'static [&'static str];

    /// What the network can say after a lost answer to the publication of what was prepared.
    fn evidence(&self, prepared: &Prepared) -> Evidence;

    /// How long before the hour the preparation of a video may begin. What is prepared lasts until
    /// the hour.
    fn video_lead(&self) -> Millis {
        HOUR
    }

    /// The calls of a step that the network limits. The caller counts them before the step, because a
    /// network that refuses a call for its number may block the account for longer.
    fn limited_calls(&self, _step: Step, _has_video: bool, _prepared: &Prepared) -> Vec<CallLimit> {
        vec![]
    }

    /// When the quota comes back that this code of the network says is used up; `None` if it is unknown.
    fn quota_returns_at(&self, _code: Option<&str>, _now: Millis) -> Option<Millis> {
        None
    }

    /// The levels of privacy that the application may choose; `None` for all of the channel.
    fn allowed_privacy(&self) -> Option<&'static [&'static str]> {
        None
    }

    /// True if [`Self::check_options`] checks something.
    fn checks_options(&self) -> bool {
        false
    }

    /// Checks whether the account may publish a post with these options. `Refused` says why it may not.
    async fn check_options(
        &self,
        _account: Account<'_>,
        _options: PostOptions<'_>,
    ) -> Result<(), Trouble> {
        Ok(())
    }

    /// Reads how many posts the account may still publish; `None` if the network does not tell.
    async fn fetch_quota(&self, account: Account<'_>) -> Result<Option<PostQuota>, Trouble>;

    /// Does the next step of the preparation of a post, which nobody sees. It may be repeated.
    async fn prepare(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
        prepared: &Prepared,
    ) -> Result<Preparation, Trouble>;

    /// Reads the state of a prepared post: `Working`, `Ready`, `Failed`, `Expired` or `Published`;
    /// `Created` if the network has taken it meanwhile, with what is to be stored.
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

    /// Whether the network keeps what was prepared until [`PublishingNetwork::discard`] deletes it.
    fn keeps_prepared(&self) -> bool {
        false
    }

    /// Deletes what was prepared. Does nothing if others can see it.
    async fn discard(&self, _account: Account<'_>, _prepared: &Prepared) -> Result<(), Trouble> {
        Ok(())
    }

    /// The posts of the account since this instant, newest first; `None` if the network does not
    /// list them. Stories are not among them.
    async fn list_posts(
        &self,
        account: Account<'_>,
        since: Millis,
    ) -> Result<Option<Vec<OnlinePost>>, Trouble>;

    /// The public link of a post, of a video or not.
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
