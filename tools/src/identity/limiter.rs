//! A brake on guessing passwords, per account and per address, in this instance.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
};

use crate::{
    domain::time::{MINUTE, Millis, SECOND},
    registry::{Code, Error, Result},
};

const WINDOW: Millis = 15 * MINUTE;
/// Failures of one account from one address, of one account, of one address.
const MOST: [u32; 3] = [8, 30, 60];
/// Windows kept at once; beyond it the oldest ones go.
const MOST_WINDOWS: usize = 50_000;

#[derive(Hash, PartialEq, Eq, Clone)]
enum Key {
    Pair(String, Option<IpAddr>),
    Account(String),
    Address(IpAddr),
}

struct Window {
    opened: Millis,
    failures: u32,
}

/// Counts sign-ins that did not succeed, in windows of 15 minutes.
#[derive(Default)]
pub struct LoginLimiter {
    windows: Mutex<HashMap<Key, Window>>,
}

impl LoginLimiter {
    /// Counts a try as a failure, so that simultaneous ones cannot slip past together.
    ///
    /// Refused (429, with the seconds to wait) when there were too many.
    pub fn admit(&self, account: &str, address: Option<IpAddr>, now: Millis) -> Result<()> {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, most) in keys(account, address) {
            if let Some(window) = windows.get(&key)
                && window.failures >= most
                && window.opened + WINDOW > now
            {
                let seconds = (window.opened + WINDOW - now + SECOND - 1) / SECOND;
                return Err(Error::new(Code::RateLimited).retry_after(seconds.unsigned_abs()));
            }
        }
        if windows.len() >= MOST_WINDOWS {
            windows.retain(|_, window| window.opened + WINDOW > now);
        }
        if windows.len() >= MOST_WINDOWS {
            windows.clear();
        }
        let fresh = || Window {
            opened: now,
            failures: 0,
        };
        for (key, _) in keys(account, address) {
            let window = windows.entry(key).or_insert_with(fresh);
            if window.opened + WINDOW <= now {
                *window = fresh();
            }
            window.failures += 1;
        }
        Ok(())
    }

    /// A success clears the account, and takes its own try off the address.
    pub fn succeeded(&self, account: &str, address: Option<IpAddr>) {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        windows.remove(&Key::Pair(account.into(), address));
        windows.remove(&Key::Account(account.into()));
        if let Some(window) = address.and_then(|a| windows.get_mut(&Key::Address(a))) {
            window.failures = window.failures.saturating_sub(1);
        }
    }
}

fn keys(account: &str, address: Option<IpAddr>) -> impl Iterator<Item = (Key, u32)> {
    let pair = Some((Key::Pair(account.into(), address), MOST[0]));
    let account = Some((Key::Account(account.into()), MOST[1]));
    [pair, account, address.map(|a| (Key::Address(a), MOST[2]))]
        .into_iter()
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guessing_is_braked_and_the_brake_lifts() {
        let limiter = LoginLimiter::default();
        let here = Some(IpAddr::from([10, 0, 0, 1]));
        for _ in 0..MOST[0] {
            limiter.admit("ana@x", here, 0).expect("not yet");
        }
        let refused = limiter.admit("ana@x", here, 1).expect_err("braked");
        assert_eq!(refused.wait(), Some(900));
        limiter
            .admit("ana@x", Some(IpAddr::from([10, 0, 0, 2])), 1)
            .expect("elsewhere");
        limiter.admit("bia@x", here, 1).expect("another account");
        limiter
            .admit("ana@x", here, WINDOW)
            .expect("the window is over");
    }

    #[test]
    fn one_address_cannot_try_many_accounts() {
        let limiter = LoginLimiter::default();
        let here = Some(IpAddr::from([10, 0, 0, 1]));
        for n in 0..MOST[2] {
            limiter.admit(&format!("{n}@x"), here, 0).expect("not yet");
        }
        assert!(limiter.admit("new@x", here, 1).is_err());
    }

    #[test]
    fn a_success_is_no_failure() {
        let limiter = LoginLimiter::default();
        let here = Some(IpAddr::from([10, 0, 0, 1]));
        for _ in 0..MOST[2] * 2 {
            limiter.admit("ana@x", here, 0).expect("always");
            limiter.succeeded("ana@x", here);
        }
    }
}
