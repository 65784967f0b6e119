//! LinkedIn tells applications no figures of the posts of members. Their readings have only what the service
//! counts itself: the visits by the link of the post.

use async_trait::async_trait;
use ports::{
    figures::{Figures, PostFigures, Unavailable},
    publishing::{Account, Placement},
};

use super::SCOPES;

/// The figures of posts of members: none.
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
