//! What reports change.

use std::collections::BTreeMap;

/// A row before and after a batch of reports.
pub(super) struct Change<T> {
    pub before: Option<T>,
    pub after: T,
}

/// What reports change of the rows that there are. Reports of one row follow each other in the
/// order in which they arrived; a row that stays as it was is left out.
pub(super) fn changes<K: Ord, T: Clone + PartialEq>(
    mut before: BTreeMap<K, T>,
    reports: Vec<T>,
    key: impl Fn(&T) -> K,
    followed_by: impl Fn(T, T) -> T,
) -> Vec<Change<T>> {
    let mut after = BTreeMap::new();
    for report in reports {
        let key = key(&report);
        let known = after.remove(&key).or_else(|| before.get(&key).cloned());
        let merged = match known {
            Some(known) => followed_by(known, report),
            None => report,
        };
        after.insert(key, merged);
    }
    let changes = after.into_iter().map(|(key, after)| Change {
        before: before.remove(&key),
        after,
    });
    changes
        .filter(|change| change.before.as_ref() != Some(&change.after))
        .collect()
}
