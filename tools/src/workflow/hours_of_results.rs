//! Compares the hours at which the posts of the team were seen most.
//!
//! Decided here:
//!
//! - A post is compared only with posts of the same network and format, because a reel is seen by more
//!   people than a story at any hour. Its figure is divided by the median of these posts.
//! - An hour is rated by the median of its posts, so that a single viral post does not make a good hour.
//!   Only hours with at least [`ENOUGH_IN_HOUR`] posts are rated.

use std::collections::BTreeMap;

use domain::{Format, time::weekday_and_hour};
use store::post_results::SeenPost;

/// The minimum number of posts of an hour, and of a network and format.
pub(super) const ENOUGH_IN_HOUR: usize = 3;

/// An hour of a weekday with the figures of its posts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SeenHour {
    pub weekday: i8,
    pub hour: i8,
    /// The relative number of views of its posts: 1 is the median of posts of the same network and
    /// format.
    pub seen: f64,
    pub posts: usize,
}

/// Returns the hours with enough posts, the most seen first, and the number of posts that were compared.
pub(super) fn compare_hours(posts: &[SeenPost]) -> (Vec<SeenHour>, usize) {
    let mut alike: BTreeMap<(&str, &str), Vec<&SeenPost>> = BTreeMap::new();
    for post in posts {
        let kind = (post.network.as_str(), Format::as_str(post.kind));
        alike.entry(kind).or_default().push(post);
    }
    let mut hours: BTreeMap<(i8, i8), Vec<f64>> = BTreeMap::new();
    let mut compared = 0;
    for group in alike.into_values() {
        let usual = median(group.iter().map(|post| to_number(post.seen)).collect());
        if group.len() < ENOUGH_IN_HOUR || usual <= 0.0 {
            continue;
        }
        compared += group.len();
        for post in group {
            let of_hour = hours.entry(weekday_and_hour(post.finished_at)).or_default();
            of_hour.push(to_number(post.seen) / usual);
        }
    }
    hours.retain(|_, posts| posts.len() >= ENOUGH_IN_HOUR);
    let hours = hours.into_iter().map(|((weekday, hour), posts)| SeenHour {
        weekday,
        hour,
        posts: posts.len(),
        seen: median(posts),
    });
    let mut hours: Vec<SeenHour> = hours.collect();
    // Equal hours stay in weekly order.
    hours.sort_by(|one, other| other.seen.total_cmp(&one.seen));
    (hours, compared)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "figures of posts are far below 2^52"
)]
const fn to_number(count: i64) -> f64 {
    count as f64
}

/// Returns the median; 0 for an empty list.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() {
        0 => 0.0,
        even if even % 2 == 0 => f64::midpoint(numbers[middle - 1], numbers[middle]),
        _ => numbers[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::{DAY, HOUR};

    fn post(kind: Format, at: i64, seen: i64) -> SeenPost {
        SeenPost {
            network: "instagram".into(),
            kind,
            finished_at: at,
            seen,
        }
    }

    #[test]
    fn posts_are_compared_with_those_of_their_format_and_one_hit_makes_no_hour() {
        // Reels are seen ten times as often as stories.
        let monday = 4 * DAY + 12 * HOUR;
        let mut posts = vec![];
        for week in 0..4 {
            let at = monday + week * 7 * DAY;
            posts.push(post(Format::Reel, at, 1_000));
            posts.push(post(Format::Story, at + 6 * HOUR, 300));
            posts.push(post(Format::Story, at, 100));
        }
        posts.push(post(Format::Reel, monday + 6 * HOUR, 1_000_000));
        posts.push(post(Format::Feed, monday, 5));
        let (hours, compared) = compare_hours(&posts);
        // A single feed post is not compared.
        assert_eq!(compared, 13);
        let best: Vec<(i8, usize)> = hours.iter().map(|hour| (hour.hour, hour.posts)).collect();
        assert_eq!(best, [(15, 5), (9, 8)]);
        assert!(hours[0].seen < 2.0, "{hours:?}");
    }

    #[test]
    fn hours_with_few_posts_and_posts_that_nobody_saw_do_not_count() {
        let few = [post(Format::Reel, 0, 5), post(Format::Reel, HOUR, 5)];
        assert_eq!(compare_hours(&few), (vec![], 0));
        let unseen = [0, 0, 0].map(|seen| post(Format::Reel, 0, seen));
        assert_eq!(compare_hours(&unseen), (vec![], 0));
        assert_eq!(compare_hours(&[]), (vec![], 0));
    }
}
