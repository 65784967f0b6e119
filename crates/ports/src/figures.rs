//! What networks say about posts that are online.

use async_trait::async_trait;

use super::publishing::{Account, Placement};

/// The figures of a post. `None` is not available, which is not 0.
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
    /// True if the network said nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Why figures were not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unavailable {
    /// The account has not given the permission to read results.
    NoPermission,
    /// The network does not accept the token.
    TokenRefused,
    /// The post was deleted, or the account may not see it.
    Gone,
    /// The network states figures of more viewers only.
    TooFewViewers,
    /// The network limits calls now. It may say for how many seconds.
    Busy { wait: Option<u64> },
    /// The network has no figures yet.
    NotYet,
    /// The network refuses for another reason.
    Refused,
    /// No usable answer arrived.
    Unreached,
}

/// A network that says what came of posts. Reading has no effect, so it may be repeated.
#[async_trait]
pub trait PostFigures: Send + Sync {
    /// The permission that reading needs.
    fn scope(&self) -> &'static str;

    /// Reads the figures of a post.
    async fn fetch_figures(
        &self,
        account: Account<'_>,
        post_id: &str,
        placement: Placement,
    ) -> Result<Figures, Unavailable>;
}
