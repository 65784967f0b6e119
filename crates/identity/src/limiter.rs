//! A brake on guessing passwords, per account and per network, in this instance.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::address::network;
use domain::time::{MINUTE, Millis, SECOND};
use gateway::{Code, Error, Result};

const WINDOW: Millis = 15 * MINUTE;
/// Failures of one account from one network, of one account, of one network.
const MOST: [u32; 3] = [8, 30, 60];
/// Windows kept at once; beyond it the oldest ones go.
const MOST_WINDOWS: usize = 50_000;

#[derive(Hash, PartialEq, Eq, Clone)]
enum Key {
    Pair(String, Option<IpAddr>),
    Account(String),
    Network(IpAddr),
}

struct Window {
    opened: Millis,
    /// Which window of all this is, in the order of their opening.
    number: u64,
    failures: u32,
}

#[derive(Default)]
struct Windows {
    by_key: HashMap<Key, Window>,
    opened: u64,
}

/// Why a try is refused, and for how many seconds.
enum Braked {
    /// The account had too many failures from this very network.
    Here(u64),
    /// The account, or the network, had too many in all.
    InAll(u64),
}

/// Counts sign-ins that did not succeed, in windows of 15 minutes.
#[derive(Default)]
pub struct LoginLimiter {
    windows: Mutex<Windows>,
}

impl LoginLimiter {
    /// Counts a try as a failure, so that simultaneous ones cannot slip past together.
    ///
    /// Refused (429, with the seconds to wait) when there were too many. Where `known` says that
    /// the account has signed in from this network before, only failures from here count. It is
    /// awaited only when the answer depends on it.
    pub async fn admit(
        &self,
        account: &str,
        address: Option<IpAddr>,
        known: impl Future<Output = Result<bool>>,
        now: Millis,
    ) -> Result<()> {
        let mut judged = self.count(account, address, false, now);
        if matches!(judged, Err(Braked::InAll(_))) && known.await? {
            judged = self.count(account, address, true, now);
        }
        judged.map_err(|(Braked::Here(seconds) | Braked::InAll(seconds))| {
            Error::new(Code::RateLimited).retry_after(seconds)
        })
    }

    fn count(
        &self,
        account: &str,
        address: Option<IpAddr>,
        known: bool,
        now: Millis,
    ) -> Result<(), Braked> {
        let mut windows = self.windows();
        for (key, most) in keys(account, address) {
            let here = matches!(key, Key::Pair(..));
            if let Some(seconds) = windows.wait(&key, most, now)
                && (here || !known)
            {
                let braked = if here { Braked::Here } else { Braked::InAll };
                return Err(braked(seconds));
            }
        }
        windows.make_room(now);
        for (key, _) in keys(account, address) {
            windows.add(key, now);
        }
        Ok(())
    }

    /// A success takes the tries of this account from here off all counts: they were its owner's.
    /// Failures from elsewhere still count.
    pub fn succeeded(&self, account: &str, address: Option<IpAddr>) {
        let mut windows = self.windows();
        let mut own = 0;
        for (key, _) in keys(account, address) {
            if let Key::Pair(..) = key {
                own = windows.by_key.remove(&key).map_or(0, |w| w.failures);
            } else if let Some(window) = windows.by_key.get_mut(&key) {
                window.failures = window.failures.saturating_sub(own);
            }
        }
    }

    fn windows(&self) -> MutexGuard<'_, Windows> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Windows {
    /// Seconds until this window admits again; `None` when it does now.
    fn wait(&self, key: &Key, most: u32, now: Millis) -> Option<u64> {
        let window = self.by_key.get(key)?;
        let left = window.opened + WINDOW - now;
        let full = window.failures >= most && left > 0;
        full.then(|| ((left + SECOND - 1) / SECOND).unsigned_abs())
    }

    fn add(&mut self, key: Key, now: Millis) {
        self.opened += 1;
        let fresh = || Window {
            opened: now,
            number: self.opened,
            failures: 0,
        };
        let window = self.by_key.entry(key).or_insert_with(fresh);
        if window.opened + WINDOW <= now {
            *window = fresh();
        }
        window.failures += 1;
    }

    /// Drops windows that are over and then, a tenth at a time, the oldest.
    fn make_room(&mut self, now: Millis) {
        if self.by_key.len() + MOST.len() <= MOST_WINDOWS {
            return;
        }
        self.by_key.retain(|_, window| window.opened + WINDOW > now);
        let too_many = self.by_key.len().saturating_sub(MOST_WINDOWS / 10 * 9);
        if too_many > 0 {
            let mut numbers: Vec<u64> = self.by_key.values().map(|w| w.number).collect();
            let (_, oldest_kept, _) = numbers.select_nth_unstable(too_many);
            self.by_key
                .retain(|_, window| window.number >= *oldest_kept);
        }
    }
}

fn keys(account: &str, address: Option<IpAddr>) -> impl Iterator<Item = (Key, u32)> {
    let network = address.map(network);
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

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

    fn elsewhere(n: u32) -> IpAddr {
        std::net::Ipv4Addr::from(0xC000_0000 + n).into()
    }

    /// The seconds to wait, of a try from a network that is known or not.
    fn tries(
        limiter: &LoginLimiter,
        account: &str,
        address: IpAddr,
        known: bool,
        now: Millis,
    ) -> Option<u64> {
        let asked = limiter.admit(account, Some(address), async { Ok(known) }, now);
        let judged = asked.now_or_never().expect("nothing to wait for");
        judged.err().and_then(|refused| refused.wait())
    }

    #[test]
    fn guessing_is_braked_and_the_brake_lifts() {
        let limiter = LoginLimiter::default();
        for _ in 0..MOST[0] {
            assert_eq!(tries(&limiter, "ana@x", HERE, false, 0), None);
        }
        for known in [false, true] {
            assert_eq!(tries(&limiter, "ana@x", HERE, known, 1), Some(900));
        }
        assert_eq!(tries(&limiter, "ana@x", elsewhere(1), false, 1), None);
        assert_eq!(tries(&limiter, "bia@x", HERE, false, 1), None);
        assert_eq!(tries(&limiter, "ana@x", HERE, false, WINDOW), None);
    }

    #[test]
    fn one_network_cannot_try_many_accounts() {
        let limiter = LoginLimiter::default();
        for n in 0..MOST[2] {
            let account = format!("{n}@x");
            assert_eq!(tries(&limiter, &account, HERE, false, 0), None);
        }
        assert!(tries(&limiter, "new@x", HERE, false, 1).is_some());
    }

    #[test]
    fn many_networks_lock_an_account_except_where_it_is_known() {
        let limiter = LoginLimiter::default();
        for n in 0..MOST[1] {
            assert_eq!(tries(&limiter, "ana@x", elsewhere(n), false, 0), None);
        }
        assert!(tries(&limiter, "ana@x", HERE, false, 1).is_some());
        for _ in 0..MOST[0] {
            assert_eq!(tries(&limiter, "ana@x", HERE, true, 1), None);
        }
        assert!(tries(&limiter, "ana@x", HERE, true, 1).is_some());
    }

    #[test]
    fn a_success_takes_off_its_own_tries_and_no_others() {
        let limiter = LoginLimiter::default();
        for _ in 0..MOST[2] * 2 {
            assert_eq!(tries(&limiter, "ana@x", HERE, false, 0), None);
            limiter.succeeded("ana@x", Some(HERE));
        }
        for n in 0..MOST[1] {
            assert_eq!(tries(&limiter, "ana@x", elsewhere(n), false, 0), None);
        }
        assert_eq!(tries(&limiter, "ana@x", HERE, true, 0), None);
        limiter.succeeded("ana@x", Some(HERE));
        assert!(tries(&limiter, "ana@x", elsewhere(99), false, 0).is_some());
    }

    #[test]
    fn addresses_of_one_ipv6_network_count_as_one() {
        let limiter = LoginLimiter::default();
        let address = |text: &str| text.parse::<IpAddr>().expect("an address");
        for n in 0..MOST[0] {
            let here = address(&format!("2001:db8:1:2:{n:x}::1"));
            assert_eq!(tries(&limiter, "ana@x", here, false, 0), None);
        }
        let wait = |text: &str| tries(&limiter, "ana@x", address(text), false, 0);
        assert!(wait("2001:db8:1:2:ffff::9").is_some());
        assert_eq!(wait("2001:db8:1:3::1"), None);
        // IPv4 in the dress of IPv6 counts as what it is.
        for _ in 0..MOST[0] {
            assert_eq!(wait("::ffff:10.0.0.1"), None);
        }
        assert!(wait("10.0.0.1").is_some());
        assert_eq!(wait("::ffff:10.0.0.2"), None);
    }

    #[test]
    fn at_the_bound_the_oldest_windows_go_and_the_newest_stay() {
        let limiter = LoginLimiter::default();
        let lock = |account: &str, network: u32| {
            for _ in 0..MOST[0] {
                assert_eq!(tries(&limiter, account, elsewhere(network), false, 0), None);
            }
        };
        let is_locked = |account: &str, network: u32| {
            tries(&limiter, account, elsewhere(network), false, 0).is_some()
        };
        lock("old@x", 0);
        // Three windows each.
        let filled = u32::try_from(MOST_WINDOWS / 3).expect("few") - 10;
        for n in 2..filled {
            tries(&limiter, &format!("{n}@x"), elsewhere(n), false, 0);
        }
        lock("new@x", 1);
        assert!(is_locked("old@x", 0));
        for n in filled..filled + 20 {
            tries(&limiter, &format!("{n}@x"), elsewhere(n), false, 0);
        }
        assert!(is_locked("new@x", 1));
        assert!(!is_locked("old@x", 0));
        let kept = limiter.windows().by_key.len();
        assert!(
            (MOST_WINDOWS / 10 * 8..=MOST_WINDOWS).contains(&kept),
            "{kept}"
        );
    }
}
