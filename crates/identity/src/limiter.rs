//! Rate limits on attempts by unauthenticated callers: password attempts per account and per
//! network, and other requests per network. The counts are stored, so that they hold for all
//! instances together and survive a restart.
//!
//! Failed sign-ins are counted per account and network, per account, and per network: an IPv4
//! address, or the /64 of an IPv6 address. For a network from which the account has signed in
//! before, only the first of these counts applies, so that others cannot lock the owner out.
//!
//! Requests that need no account are counted per network: with one count for all networks, a single
//! attacker could block everyone.

use std::net::IpAddr;

use domain::{
    hex, network_prefix, site_prefix,
    time::{MINUTE, Millis, SECOND},
};
use gateway::{Code, Context, Error, Keys, Result};
use store::{
    Db,
    attempts::{self, Count},
};

/// The length of the window in which attempts are counted. A count restarts after the window.
pub const WINDOW: Millis = 15 * MINUTE;
/// Maximum failures of one account from one network, of one account in total, and of one network in
/// total.
const MOST: [i64; 3] = [8, 30, 60];

/// Counts attempts in a database.
pub struct Limiter<'a> {
    pub db: &'a Db,
    /// The keys for the HMAC under which each count is stored.
    pub keys: &'a Keys,
    pub now: Millis,
}

/// The first count that has reached its limit.
struct Limited {
    index: usize,
    /// The seconds until the window of the count ends.
    seconds: u64,
}

impl<'a> Limiter<'a> {
    pub(crate) fn from_context(ctx: &Context<'a>) -> Self {
        let services = ctx.services;
        Self {
            db: &services.db,
            keys: &services.keys,
            now: ctx.now,
        }
    }

    /// Counts a password attempt as a failure before the password is verified, so that simultaneous
    /// attempts cannot exceed the limit.
    ///
    /// Fails with 429 and the seconds to wait after too many failures. If `known` resolves to true,
    /// the account has signed in from this network before and only failures from this network
    /// count. `known` is awaited only if the result depends on it.
    pub async fn admit_password_attempt(
        &self,
        account: &str,
        address: Option<IpAddr>,
        known: impl Future<Output = Result<bool>>,
    ) -> Result<()> {
        let subjects = self.login_subjects(account, address);
        let mut counted = self.count_attempt(&subjects, &MOST).await?;
        if counted.as_ref().is_err_and(|limited| limited.index > 0) && known.await? {
            counted = self.count_attempt(&subjects, &MOST[..1]).await?;
        }
        counted.map_err(Limited::into_error)
    }

    /// Removes the failures of this account from this network from all counts, because the owner of the
    /// account caused them. Failures from other networks still count. Returns the number of attempts
    /// that were removed: the failures in the current window, and the successful attempt.
    pub async fn forget_failures(&self, account: &str, address: Option<IpAddr>) -> Result<i64> {
        let subjects = self.login_subjects(account, address);
        let tx = self.db.begin().await?;
        let removed = attempts::forget(&tx.conn(), &subjects[0], &subjects[1..]).await?;
        tx.commit().await?;
        Ok(removed)
    }

    /// Counts a request of a kind that is limited for each network. Fails with 429 and the seconds
    /// to wait after too many requests. Callers without a known IP address count as one network.
    pub(crate) async fn admit_request(
        &self,
        kind: &str,
        most: i64,
        address: Option<IpAddr>,
    ) -> Result<()> {
        let subject = self.subject(kind, &format!("{:?}", address.map(site_prefix)));
        let counted = self.count_attempt(&[subject], &[most]).await?;
        counted.map_err(Limited::into_error)
    }

    /// Counts a request of a kind that is limited per network and per requested account, whether the
    /// account exists or not. Returns `false` after too many requests for the account, so that the
    /// caller can answer as usual. Fails with 429 and the seconds to wait after too many requests from
    /// the network.
    pub(crate) async fn admit_request_about(
        &self,
        kind: &str,
        most: [i64; 2],
        address: Option<IpAddr>,
        account: &str,
    ) -> Result<bool> {
        let subjects = [
            self.subject(kind, &format!("{:?}", address.map(site_prefix))),
            self.subject(kind, &format!("account\n{account}")),
        ];
        match self.count_attempt(&subjects, &most).await? {
            Ok(()) => Ok(true),
            Err(limited) if limited.index > 0 => Ok(false),
            Err(limited) => Err(limited.into_error()),
        }
    }

    /// Adds one attempt to the count of each subject, unless one of the first `most.len()` counts has
    /// reached its limit. A refused attempt is not counted, and writes nothing.
    async fn count_attempt(
        &self,
        subjects: &[String],
        most: &[i64],
    ) -> Result<Result<(), Limited>> {
        let cut = self.now - WINDOW;
        let before = attempts::load(&self.db.reader(), subjects, cut).await?;
        if let Some(limited) = self.find_limit(&before, most, 0) {
            return Ok(Err(limited));
        }
        let tx = self.db.begin().await?;
        let made: Vec<_> = subjects
            .iter()
            .map(|subject| (subject.clone(), 1))
            .collect();
        let counts = attempts::add(&tx.conn(), &made, cut, self.now).await?;
        // Simultaneous attempts may have reached a limit since the counts were read.
        if let Some(limited) = self.find_limit(&counts, most, 1) {
            return Ok(Err(limited));
        }
        tx.commit().await?;
        Ok(Ok(()))
    }

    /// Finds the first count that has reached its limit, not counting the `own` attempts of the caller.
    fn find_limit(&self, counts: &[Count], most: &[i64], own: i64) -> Option<Limited> {
        let mut limited = counts.iter().zip(most).enumerate();
        limited.find_map(|(index, (count, most))| {
            let left = count.since + WINDOW - self.now;
            let seconds = ((left + SECOND - 1) / SECOND).max(1).unsigned_abs();
            (count.made - own >= *most).then_some(Limited { index, seconds })
        })
    }

    /// Returns the subjects for which a password attempt counts: the account from this network, the
    /// account, and the network if it is known.
    fn login_subjects(&self, account: &str, address: Option<IpAddr>) -> Vec<String> {
        let network = address.map(network_prefix);
        let of_network = network.map(|network| self.subject("network", &network.to_string()));
        let pair = format!("{network:?}\n{account}");
        let mut subjects = vec![
            self.subject("account and network", &pair),
            self.subject("account", account),
        ];
        subjects.extend(of_network);
        subjects
    }

    fn subject(&self, kind: &str, text: &str) -> String {
        let text = format!("{kind}\n{text}");
        hex(&self.keys.hmac("limited attempts", text.as_bytes())[..16])
    }
}

impl Limited {
    fn into_error(self) -> Error {
        Error::new(Code::RATE_LIMITED).with_retry_after(self.seconds)
    }
}
