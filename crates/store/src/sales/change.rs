//! Merges reports into the existing rows.

use std::collections::BTreeMap;

/// A row before and after a batch of reports.
pub(super) struct Change<T> {
    pub before: Option<T>,
    pub after: T,
}

/// Merges reports into their rows, in the order of arrival. Returns only the rows that changed.
pub(super) fn merge_reports<K: Ord, T: Clone + PartialEq>(
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
