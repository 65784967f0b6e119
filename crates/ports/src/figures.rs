//! The figures that networks report about published posts.

use async_trait::async_trait;

use super::publishing::{Account, Placement};

/// The figures of a post. `None` means that a figure is not available; it does not mean 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Accounts that saw the post.
    pub reach: Option<i64>,
    pub views: Option<i64>,
    pub likes: Option<i64>,
    pub comments: Option<i64>,
    pub shares: Option<i64>,
    pub saves: Option<i64>,
    pub clicks: Option<i64>,
}

impl Figures {
    /// Returns these figures. Takes each missing figure from `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            reach: self.reach.or(other.reach),
            views: self.views.or(other.views),
            likes: self.likes.or(other.likes),
            comments: self.comments.or(other.comments),
            shares: self.shares.or(other.shares),
            saves: self.saves.or(other.saves),
            clicks: self.clicks.or(other.clicks),
        }
    }

    /// True if all figures are missing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The reason why figures could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unavailable {
    /// The account has not given the permission to read results.
    NoPermission,
    /// The network does not accept the token.
    TokenRefused,
    /// The post was deleted, or the account may not see it.
    Gone,
    /// The post has too few viewers for the network to report figures.
    TooFewViewers,
    /// The network is limiting calls. `wait` is the number of seconds to wait, if the network
    /// states it.
    Busy { wait: Option<u64> },
    /// The network has no figures yet.
    NotYet,
    /// The network refuses for another reason.
    Refused,
    /// No usable answer arrived.
    Unreached,
}

/// A network that reports the figures of posts. Reading figures has no effect, so it may be
/// repeated.
#[async_trait]
pub trait PostFigures: Send + Sync {
    /// Returns the scopes that permit reading; the connection needs at least one of them.
    fn scopes(&self) -> &'static [&'static str];

    /// Returns the maximum number of posts that one call reads, at least 1.
    fn most_at_once(&self) -> usize {
        1
    }

    /// Reads the figures of at most [`Self::most_at_once`] posts with the same placement. The
    /// results are in the order of the posts.
    async fn fetch_figures(
        &self,
        account: Account<'_>,
        post_ids: &[&str],
        placement: Placement,
    ) -> Vec<Result<Figures, Unavailable>>;
}
