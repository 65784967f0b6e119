//! What adapters that read figures of posts have in common.

use ports::figures::{Figures, Unavailable};

/// Larger numbers are not taken for figures.
const MOST: i64 = 1_000_000_000_000;

/// The number, if it can be a figure.
pub(super) fn possible(number: i64) -> Option<i64> {
    (0..=MOST).contains(&number).then_some(number)
}

/// The figures; without any, the network has none yet.
pub(super) fn require_any(figures: Figures) -> Result<Figures, Unavailable> {
    match figures.is_empty() {
        true => Err(Unavailable::NotYet),
        false => Ok(figures),
    }
}

/// The result of each post, in the order of the posts, from an answer that leaves out those that are gone.
pub(super) fn of_posts<T>(
    post_ids: &[&str],
    answer: &Result<Vec<T>, Unavailable>,
    id_of: impl Fn(&T) -> Option<&str>,
    read: impl Fn(&T) -> Result<Figures, Unavailable>,
) -> Vec<Result<Figures, Unavailable>> {
    let results = post_ids.iter().map(|id| match answer {
        Err(unavailable) => Err(unavailable.clone()),
        Ok(posts) => {
            let post = posts.iter().find(|post| id_of(post) == Some(id));
            post.ok_or(Unavailable::Gone).and_then(&read)
        }
    });
    results.collect()
}
