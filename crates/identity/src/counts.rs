//! Counts attempts by key within a time window, in the memory of this instance.

use std::{collections::HashMap, hash::Hash};

use domain::time::{MINUTE, Millis, SECOND};

/// The length of the window. After it, the count of a key restarts.
pub(crate) const WINDOW: Millis = 15 * MINUTE;
/// Maximum number of counts in memory. Beyond it the oldest are dropped.
pub(crate) const MOST_COUNTS: usize = 50_000;

/// The attempts of one key within [`WINDOW`].
struct Count {
    since: Millis,
    /// A sequence number. The oldest counts have the lowest numbers.
    number: u64,
    attempts: u32,
}

pub(crate) struct Counts<K> {
    by_key: HashMap<K, Count>,
    made: u64,
}

impl<K> Default for Counts<K> {
    fn default() -> Self {
        Self {
            by_key: HashMap::new(),
            made: 0,
        }
    }
}

impl<K: Hash + Eq> Counts<K> {
    /// Seconds until another attempt with this key is allowed; `None` if it is allowed now.
    pub(crate) fn seconds_to_wait(&self, key: &K, most: u32, now: Millis) -> Option<u64> {
        let count = self.by_key.get(key)?;
        let left = count.since + WINDOW - now;
        let full = count.attempts >= most && left > 0;
        full.then(|| ((left + SECOND - 1) / SECOND).unsigned_abs())
    }

    pub(crate) fn add_attempt(&mut self, key: K, now: Millis) {
        self.made += 1;
        let fresh = || Count {
            since: now,
            number: self.made,
            attempts: 0,
        };
        let count = self.by_key.entry(key).or_insert_with(fresh);
        if count.since + WINDOW <= now {
            *count = fresh();
        }
        count.attempts += 1;
    }

    /// Removes a key and returns its number of attempts.
    pub(crate) fn remove(&mut self, key: &K) -> u32 {
        self.by_key.remove(key).map_or(0, |count| count.attempts)
    }

    /// Subtracts a number of attempts from a key.
    pub(crate) fn subtract(&mut self, key: &K, attempts: u32) {
        if let Some(count) = self.by_key.get_mut(key) {
            count.attempts = count.attempts.saturating_sub(attempts);
        }
    }

    /// Makes room for `keys` more keys. If there is none, drops the keys whose window has ended,
    /// and then the oldest ones until 90 % of the limit remain.
    pub(crate) fn make_room(&mut self, keys: usize, now: Millis) {
        if self.by_key.len() + keys <= MOST_COUNTS {
            return;
        }
        self.by_key.retain(|_, count| count.since + WINDOW > now);
        let too_many = self.by_key.len().saturating_sub(MOST_COUNTS / 10 * 9);
        if too_many > 0 {
            let mut numbers: Vec<u64> = self.by_key.values().map(|c| c.number).collect();
            let (_, oldest_kept, _) = numbers.select_nth_unstable(too_many);
            self.by_key.retain(|_, count| count.number >= *oldest_kept);
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.by_key.len()
    }
}
