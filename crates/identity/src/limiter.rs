//! Rate limits on attempts by unauthenticated callers, in this instance: password attempts per
//! account and per network, and other requests per network.
//!
//! Failed sign-ins are counted per account and network, per account, and per network: an IPv4
//! address, or the /64 of an IPv6 address. For a network from which the account has signed in
//! before, only the first of these counts applies, so that others cannot lock the owner out.
//!
//! Requests that need no account are counted per network: with one count for all networks, a single
//! attacker could block everyone.

use std::{
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{network_prefix, site_prefix, time::Millis};
use gateway::{Code, Error, Result};

use crate::counts::Counts;

/// Maximum failures of one account from one network, of one account in total, and of one network in
/// total.
const MOST: [u32; 3] = [8, 30, 60];

#[derive(Hash, PartialEq, Eq, Clone)]
enum Key {
    Pair(String, Option<IpAddr>),
    Account(String),
    Network(IpAddr),
}

/// The limit that was exceeded, with the seconds to wait.
enum Limited {
    /// Too many failures of the account from this network.
    Pair(u64),
    /// Too many failures of the account or of the network in total.
    Total(u64),
}

/// Limits failed sign-ins in windows of 15 minutes.
#[derive(Default)]
pub struct LoginLimiter {
    counts: Mutex<Counts<Key>>,
}

impl LoginLimiter {
    /// Counts an attempt as a failure before the password is verified, so that simultaneous
    /// attempts cannot exceed the limit.
    ///
    /// Fails with 429 and the seconds to wait after too many failures. If `known` resolves to true,
    /// the account has signed in from this network before and only failures from this network
    /// count. `known` is awaited only if the result depends on it.
    pub async fn admit_attempt(
        &self,
        account: &str,
        address: Option<IpAddr>,
        known: impl Future<Output = Result<bool>>,
        now: Millis,
    ) -> Result<()> {
        let mut counted = self.count_attempt(account, address, false, now);
        if matches!(counted, Err(Limited::Total(_))) && known.await? {
            counted = self.count_attempt(account, address, true, now);
        }
        counted.map_err(|(Limited::Pair(seconds) | Limited::Total(seconds))| {
            Error::new(Code::RATE_LIMITED).with_retry_after(seconds)
        })
    }

    fn count_attempt(
        &self,
        account: &str,
        address: Option<IpAddr>,
        known: bool,
        now: Millis,
    ) -> Result<(), Limited> {
        let mut counts = self.lock();
        for (key, most) in keys_with_limits(account, address) {
            let is_pair = matches!(key, Key::Pair(..));
            if let Some(seconds) = counts.seconds_to_wait(&key, most, now)
                && (is_pair || !known)
            {
                let limited = if is_pair {
                    Limited::Pair
                } else {
                    Limited::Total
                };
                return Err(limited(seconds));
            }
        }
        counts.make_room(MOST.len(), now);
        for (key, _) in keys_with_limits(account, address) {
            counts.add_attempt(key, now);
        }
        Ok(())
    }

    /// Removes the failures of this account from this network from all counts, because its owner
    /// caused them. Failures from other networks still count.
    pub fn forget_failures(&self, account: &str, address: Option<IpAddr>) {
        let mut counts = self.lock();
        let mut own = 0;
        for (key, _) in keys_with_limits(account, address) {
            if let Key::Pair(..) = key {
                own = counts.remove(&key);
            } else {
                counts.subtract(&key, own);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts<Key>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Limits requests without an account, in windows of 15 minutes. Each network has its own limit, so
/// callers from one network cannot block those from another.
pub(crate) struct NetworkLimiter {
    most: u32,
    /// The counts by network. Callers without a known IP address count as one network.
    counts: Mutex<Counts<Option<IpAddr>>>,
}

impl NetworkLimiter {
    pub(crate) fn new(most: u32) -> Self {
        Self {
            most,
            counts: Mutex::default(),
        }
    }

    /// Counts an attempt. Fails with 429 and the seconds to wait after too many attempts.
    pub(crate) fn admit_request(&self, address: Option<IpAddr>, now: Millis) -> Result<()> {
        let key = address.map(site_prefix);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seconds) = counts.seconds_to_wait(&key, self.most, now) {
            return Err(Error::new(Code::RATE_LIMITED).with_retry_after(seconds));
        }
        counts.make_room(1, now);
        counts.add_attempt(key, now);
        Ok(())
    }
}

fn keys_with_limits(account: &str, address: Option<IpAddr>) -> impl Iterator<Item = (Key, u32)> {
    let network = address.map(network_prefix);
    let pair = Some((Key::Pair(account.into(), network), MOST[0]));
    let account = Some((Key::Account(account.into()), MOST[1]));
    [pair, account, network.map(|n| (Key::Network(n), MOST[2]))]
        .into_iter()
        .flatten()
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;
    use crate::counts::{MOST_COUNTS, WINDOW};

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

    fn other_address(n: u32) -> IpAddr {
        std::net::Ipv4Addr::from(0xC000_0000 + n).into()
    }

    /// Makes one attempt. Returns the seconds to wait if it is rejected.
    fn make_attempt(
        limiter: &LoginLimiter,
        account: &str,
        address: IpAddr,
        known: bool,
        now: Millis,
    ) -> Option<u64> {
        let asked = limiter.admit_attempt(account, Some(address), async { Ok(known) }, now);
        let judged = asked.now_or_never().expect("nothing to wait for");
        judged
            .err()
            .and_then(|refused| refused.retry_after_seconds())
    }

    #[test]
    fn too_many_failures_are_refused_until_the_window_ends() {
        let limiter = LoginLimiter::default();
        for _ in 0..MOST[0] {
            assert_eq!(make_attempt(&limiter, "ana@x", HERE, false, 0), None);
        }
        for known in [false, true] {
            assert_eq!(make_attempt(&limiter, "ana@x", HERE, known, 1), Some(900));
        }
        assert_eq!(
            make_attempt(&limiter, "ana@x", other_address(1), false, 1),
            None
        );
        assert_eq!(make_attempt(&limiter, "bia@x", HERE, false, 1), None);
        assert_eq!(make_attempt(&limiter, "ana@x", HERE, false, WINDOW), None);
    }

    #[test]
    fn one_network_cannot_try_many_accounts() {
        let limiter = LoginLimiter::default();
        for n in 0..MOST[2] {
            let account = format!("{n}@x");
            assert_eq!(make_attempt(&limiter, &account, HERE, false, 0), None);
        }
        assert!(make_attempt(&limiter, "new@x", HERE, false, 1).is_some());
    }

    #[test]
    fn failures_from_many_networks_lock_an_account_except_in_its_known_network() {
        let limiter = LoginLimiter::default();
        for n in 0..MOST[1] {
            assert_eq!(
                make_attempt(&limiter, "ana@x", other_address(n), false, 0),
                None
            );
        }
        assert!(make_attempt(&limiter, "ana@x", HERE, false, 1).is_some());
        for _ in 0..MOST[0] {
            assert_eq!(make_attempt(&limiter, "ana@x", HERE, true, 1), None);
        }
        assert!(make_attempt(&limiter, "ana@x", HERE, true, 1).is_some());
    }

    #[test]
    fn a_successful_sign_in_removes_only_its_own_failures() {
        let limiter = LoginLimiter::default();
        for _ in 0..MOST[2] * 2 {
            assert_eq!(make_attempt(&limiter, "ana@x", HERE, false, 0), None);
            limiter.forget_failures("ana@x", Some(HERE));
        }
        for n in 0..MOST[1] {
            assert_eq!(
                make_attempt(&limiter, "ana@x", other_address(n), false, 0),
                None
            );
        }
        assert_eq!(make_attempt(&limiter, "ana@x", HERE, true, 0), None);
        limiter.forget_failures("ana@x", Some(HERE));
        assert!(make_attempt(&limiter, "ana@x", other_address(99), false, 0).is_some());
    }

    #[test]
    fn addresses_of_one_ipv6_network_count_as_one() {
        let limiter = LoginLimiter::default();
        let address = |text: &str| text.parse::<IpAddr>().expect("an address");
        for n in 0..MOST[0] {
            let here = address(&format!("2001:db8:1:2:{n:x}::1"));
            assert_eq!(make_attempt(&limiter, "ana@x", here, false, 0), None);
        }
        let wait = |text: &str| make_attempt(&limiter, "ana@x", address(text), false, 0);
        assert!(wait("2001:db8:1:2:ffff::9").is_some());
        assert_eq!(wait("2001:db8:1:3::1"), None);
        // An IPv4-mapped address counts as IPv4.
        for _ in 0..MOST[0] {
            assert_eq!(wait("::ffff:10.0.0.1"), None);
        }
        assert!(wait("10.0.0.1").is_some());
        assert_eq!(wait("::ffff:10.0.0.2"), None);
    }

    #[test]
    fn when_full_the_oldest_counts_are_dropped() {
        let limiter = LoginLimiter::default();
        let lock = |account: &str, network: u32| {
            for _ in 0..MOST[0] {
                assert_eq!(
                    make_attempt(&limiter, account, other_address(network), false, 0),
                    None
                );
            }
        };
        let is_locked = |account: &str, network: u32| {
            make_attempt(&limiter, account, other_address(network), false, 0).is_some()
        };
        lock("old@x", 0);
        // Each attempt adds three counts.
        let filled = u32::try_from(MOST_COUNTS / 3).expect("few") - 10;
        for n in 2..filled {
            make_attempt(&limiter, &format!("{n}@x"), other_address(n), false, 0);
        }
        lock("new@x", 1);
        assert!(is_locked("old@x", 0));
        for n in filled..filled + 20 {
            make_attempt(&limiter, &format!("{n}@x"), other_address(n), false, 0);
        }
        assert!(is_locked("new@x", 1));
        assert!(!is_locked("old@x", 0));
        let kept = limiter.lock().len();
        assert!(
            (MOST_COUNTS / 10 * 8..=MOST_COUNTS).contains(&kept),
            "{kept}"
        );
    }
}
