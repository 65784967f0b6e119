//! LinkedIn's API has no figures for the posts of members. The readings of these posts contain only the
//! visits through the link in the post, which the service counts itself.

use async_trait::async_trait;
use ports::{
    figures::{Figures, PostFigures, Unavailable},
    publishing::{Account, Placement},
};

use super::SCOPES;

/// An adapter that returns no figures, because LinkedIn's API has none for the posts of members.
pub struct NoFigures;

#[async_trait]
impl PostFigures for NoFigures {
    fn scopes(&self) -> &'static [&'static str] {
        SCOPES
    }

    fn most_at_once(&self) -> usize {
        50
    }

    async fn fetch_figures(
        &self,
        _account: Account<'_>,
        post_ids: &[&str],
        _placement: Placement,
    ) -> Vec<Result<Figures, Unavailable>> {
        post_ids.iter().map(|_| Ok(Figures::default())).collect()
    }
}
