//! Folds groups of people that are too small to show into one group.

/// Minimum number of people in a group that is shown.
const LEAST: i64 = 5;

/// The key of a group and its number of people; the key of the folded group is `None`.
pub(crate) type Group<K> = (Option<K>, i64);

/// Returns the `most` largest groups, the largest first. The remaining groups, and all groups of
/// fewer than 5 people, are folded into one group at the end. While that group has fewer than 5
/// people, the smallest remaining group is folded too. With fewer than 5 people in total, no group
/// is returned.
pub(crate) fn fold_small_groups<K: Ord>(
    groups: impl IntoIterator<Item = (K, i64)>,
    most: usize,
) -> Vec<Group<K>> {
    let mut groups: Vec<(K, i64)> = groups.into_iter().filter(|(_, n)| *n > 0).collect();
    groups.sort_by(|(a, many), (b, few)| few.cmp(many).then_with(|| a.cmp(b)));
    let rest = groups.split_off(groups.len().min(most));
    let mut folded = rest.iter().map(|(_, people)| people).sum();
    while let Some((_, people)) = groups.last() {
        if *people >= LEAST && (folded == 0 || folded >= LEAST) {
            break;
        }
        folded += people;
        groups.pop();
    }
    let mut shown: Vec<Group<K>> = groups
        .into_iter()
        .map(|(key, people)| (Some(key), people))
        .collect();
    if folded >= LEAST {
        shown.push((None, folded));
    }
    shown
}

/// Returns the number of people, or `None` if it is too small to show.
pub(crate) fn hide_if_small(people: i64) -> Option<i64> {
    (people >= LEAST || people == 0).then_some(people)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_groups_are_folded_into_one_that_is_not_small() {
        let folded = |groups: &[(&'static str, i64)]| fold_small_groups(groups.iter().copied(), 3);
        assert_eq!(
            folded(&[("a", 9), ("b", 8), ("c", 7), ("d", 6)]),
            [(Some("a"), 9), (Some("b"), 8), (Some("c"), 7), (None, 6)]
        );
        assert_eq!(
            folded(&[("a", 9), ("b", 5), ("c", 3), ("d", 2)]),
            [(Some("a"), 9), (Some("b"), 5), (None, 5)]
        );
        assert_eq!(
            folded(&[("a", 9), ("b", 5), ("c", 1)]),
            [(Some("a"), 9), (None, 6)]
        );
        assert_eq!(folded(&[("a", 6), ("c", 4)]), [(None, 10)]);
        assert_eq!(folded(&[("a", 2), ("c", 2)]), []);
        assert_eq!(
            folded(&[("b", 5), ("a", 5)]),
            [(Some("a"), 5), (Some("b"), 5)]
        );
        assert_eq!(folded(&[]), []);
    }
}
