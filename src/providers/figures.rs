//! Code that the adapters share that read figures of posts.

use ports::figures::{Figures, Unavailable};

/// The maximum of a figure. A larger number in a response is treated as missing.
const MOST: i64 = 1_000_000_000_000;

/// Returns the number if it is between 0 and [`MOST`], otherwise `None`.
pub(super) fn valid_figure(number: i64) -> Option<i64> {
    (0..=MOST).contains(&number).then_some(number)
}

/// Returns the figures. Fails with `NotYet` if the network has not published a single figure.
pub(super) fn require_any_figure(figures: Figures) -> Result<Figures, Unavailable> {
    match figures.is_empty() {
        true => Err(Unavailable::NotYet),
        false => Ok(figures),
    }
}

/// Returns the result of each post, in the order of `post_ids`. A post that is missing in the answer was
/// deleted, so its result is `Gone`.
pub(super) fn results_of_posts<T>(
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
