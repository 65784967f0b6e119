//! Logs refused credentials: at most one line per minute for each network and type of refusal, with
//! a count. A client that keeps retrying does not fill the log.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{
    Code, network_prefix,
    time::{MINUTE, Millis},
};
use tokio::sync::Notify;

#[derive(PartialEq, Eq, Hash, Clone, Copy)]
struct Kind {
    /// The log message, which says what was refused.
    what: &'static str,
    code: Code,
    /// The IP network; `None` if the address is unknown or the maximum number of networks is
    /// reached.
    network: Option<IpAddr>,
}

struct Counted {
    /// The last IP address seen in the network.
    address: Option<IpAddr>,
    logged_at: Millis,
    /// Refusals since the last log line.
    unlogged: u64,
}

/// Maximum number of combinations of type and network kept in memory. Beyond it, log lines have no
/// address.
const MOST: usize = 10_000;

/// Counts and logs refusals.
#[derive(Default)]
pub struct RefusalLog {
    counted: Mutex<HashMap<Kind, Counted>>,
    /// Notified when a refusal is counted while `counted` is empty.
    begun: Notify,
}

impl RefusalLog {
    /// Counts a refusal. Logs it unless the last line of its type and network is less than a minute
    /// old.
    pub fn count_refusal(
        &self,
        what: &'static str,
        code: Code,
        address: Option<IpAddr>,
        now: Millis,
    ) {
        let mut counted = self.lock();
        if counted.is_empty() {
            self.begun.notify_one();
        }
        let mut kind = Kind {
            what,
            code,
            network: address.map(network_prefix),
        };
        if counted.len() >= MOST && !counted.contains_key(&kind) {
            kind.network = None;
        }
        let entry = counted.entry(kind).or_insert(Counted {
            address,
            logged_at: now - MINUTE,
            unlogged: 0,
        });
        entry.address = address.filter(|_| kind.network.is_some());
        entry.unlogged += 1;
        if entry.logged_at + MINUTE <= now {
            entry.log(kind, now);
        }
    }

    /// Waits until a refusal has been counted.
    pub async fn wait_for_refusals(&self) {
        while self.lock().is_empty() {
            self.begun.notified().await;
        }
    }

    /// Logs the refusals that were counted since the last log line, if that log line is at least a
    /// minute old or `all` is set.
    pub fn flush(&self, now: Millis, all: bool) {
        self.lock().retain(|kind, entry| {
            if !all && now < entry.logged_at + MINUTE {
                return true;
            }
            let is_logged = entry.unlogged > 0;
            if is_logged {
                entry.log(*kind, now);
            }
            is_logged && !all
        });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Kind, Counted>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counted {
    fn log(&mut self, kind: Kind, now: Millis) {
        tracing::warn!(
            address = self.address.map(tracing::field::display),
            code = kind.code.as_str(),
            count = self.unlogged,
            "{}",
            kind.what
        );
        self.logged_at = now;
        self.unlogged = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(198, 51, 100, 7));

    #[test]
    fn beyond_the_limit_refusals_are_counted_without_an_address() {
        let log = RefusalLog::default();
        let most = u32::try_from(MOST).expect("few");
        for n in 0..most + 20 {
            let address = std::net::Ipv4Addr::from(n).into();
            log.count_refusal("recusado", Code::UNAUTHENTICATED, Some(address), 0);
        }
        assert_eq!(log.lock().len(), MOST + 1);
    }

    #[test]
    fn entries_without_new_refusals_are_dropped() {
        let log = RefusalLog::default();
        for _ in 0..3 {
            log.count_refusal("recusado", Code::UNAUTHENTICATED, Some(HERE), 0);
        }
        log.flush(MINUTE - 1, false);
        let unlogged = |log: &RefusalLog| {
            let counted = log.lock();
            counted.values().map(|entry| entry.unlogged).sum::<u64>()
        };
        assert_eq!(unlogged(&log), 2);
        log.flush(MINUTE, false);
        assert_eq!(log.lock().len(), 1);
        assert_eq!(unlogged(&log), 0);
        log.flush(2 * MINUTE, false);
        assert!(log.lock().is_empty());
    }
}
