//! Social networks that publish posts in steps.
//!
//! Only [`PublishingNetwork::publish`] and [`PublishingNetwork::comment`] have an effect that others
//! can see, and the service never repeats them unless the network proves that nothing was posted.
//! All other steps may be repeated.

use async_trait::async_trait;
use domain::time::Millis;
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
    /// An image, or a carousel of images and videos.
    Feed,
    /// A vertical video.
    Reel,
    /// One image or video that disappears after a day.
    Story,
}

/// One image or video of a post. The network downloads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostFile {
    /// The public URL.
    pub url: String,
    pub is_video: bool,
    /// The description of an image for people who do not see it.
    pub alt: Option<String>,
}

/// A post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkPost {
    pub placement: Placement,
    pub caption: String,
    /// In order, at least one.
    pub files: Vec<PostFile>,
    /// The public URL of the cover image of a video.
    pub cover: Option<String>,
    /// The position of the cover within the video, in milliseconds.
    pub cover_at: Option<u64>,
    /// False if a reel is not shown among the posts of the account.
    pub in_feed: bool,
}

/// The network's ids of what was prepared for a post. It is stored between the steps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepared {
    /// The ids of the files of a carousel, in order.
    #[serde(default)]
    pub parts: Vec<String>,
    /// The id of the post that can be published.
    pub whole: Option<String>,
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
    /// What was prepared is too old. It has to be prepared again.
    Expired,
    /// The prepared post is online.
    Published,
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
/// Implementations send at most one request with an effect in each call, and never retry it.
#[async_trait]
pub trait PublishingNetwork: Send + Sync {
    /// Reads how many posts the account may still publish.
    async fn fetch_quota(&self, account: Account<'_>) -> Result<PostQuota, Trouble>;

    /// Does the next step of the preparation of a post, which nobody sees. It may be repeated.
    async fn prepare(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
        prepared: &Prepared,
    ) -> Result<Preparation, Trouble>;

    /// Reads the state of a prepared post: `Working`, `Ready`, `Failed`, `Expired` or `Published`.
    async fn fetch_state(&self, account: Account<'_>, whole: &str) -> Result<Preparation, Trouble>;

    /// Publishes a prepared post. Returns the id of the post.
    ///
    /// `Refused` proves that nothing was posted. An error that does not prove it is `Lost`.
    async fn publish(&self, account: Account<'_>, whole: &str) -> Result<String, Trouble>;

    /// The posts of the account since this instant, newest first. Stories are not among them.
    async fn list_posts(
        &self,
        account: Account<'_>,
        since: Millis,
    ) -> Result<Vec<OnlinePost>, Trouble>;

    /// The public link of a post.
    async fn fetch_link(
        &self,
        account: Account<'_>,
        post_id: &str,
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
