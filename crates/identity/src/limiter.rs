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

/// The length of the window. After it, a count restarts.
pub const WINDOW: Millis = 15 * MINUTE;
/// Maximum failures of one account from one network, of one account in total, and of one network in
/// total.
const MOST: [i64; 3] = [8, 30, 60];

/// Counts attempts in a database.
pub struct Limiter<'a> {
    pub db: &'a Db,
    /// What is counted is stored as a hash with one of these keys.
    pub keys: &'a Keys,
    pub now: Millis,
}

/// The limit that was exceeded, with the seconds to wait.
enum Limited {
    /// Too many failures of the account from this network.
    Pair(u64),
    /// Too many failures of the account or of the network in total.
    Total(u64),
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
        let mut counted = self.count_attempt(&subjects, false).await?;
        if matches!(counted, Err(Limited::Total(_))) && known.await? {
            counted = self.count_attempt(&subjects, true).await?;
        }
        counted.map_err(|(Limited::Pair(seconds) | Limited::Total(seconds))| limited_error(seconds))
    }

    /// Removes the failures of this account from this network from all counts, because its owner
    /// caused them. Failures from other networks still count.
    pub async fn forget_failures(&self, account: &str, address: Option<IpAddr>) -> Result<()> {
        let subjects = self.login_subjects(account, address);
        let tx = self.db.begin().await?;
        attempts::forget(&tx.conn(), &subjects[0], &subjects[1..]).await?;
        Ok(tx.commit().await?)
    }

    /// Counts a request of a kind that is limited for each network. Fails with 429 and the seconds
    /// to wait after too many requests. Callers without a known IP address count as one network.
    pub(crate) async fn admit_request(
        &self,
        kind: &str,
        most: i64,
        address: Option<IpAddr>,
    ) -> Result<()> {
        let subject = [self.subject(kind, &format!("{:?}", address.map(site_prefix)))];
        let wait = |counts: &[Count], most| self.seconds_to_wait(counts[0], most);
        let cut = self.now - WINDOW;
        let before = attempts::load(&self.db.reader(), &subject, cut).await?;
        if let Some(seconds) = wait(&before, most) {
            return Err(limited_error(seconds));
        }
        let tx = self.db.begin().await?;
        let counts = attempts::add(&tx.conn(), &subject, cut, self.now).await?;
        match wait(&counts, most + 1) {
            Some(seconds) => Err(limited_error(seconds)),
            None => Ok(tx.commit().await?),
        }
    }

    /// Adds an attempt, unless a limit has been reached. A refused attempt is not counted, and
    /// writes nothing.
    async fn count_attempt(
        &self,
        subjects: &[String],
        is_known: bool,
    ) -> Result<Result<(), Limited>> {
        let cut = self.now - WINDOW;
        let before = attempts::load(&self.db.reader(), subjects, cut).await?;
        if let Some(limited) = self.find_limit(&before, MOST, is_known) {
            return Ok(Err(limited));
        }
        let tx = self.db.begin().await?;
        let counts = attempts::add(&tx.conn(), subjects, cut, self.now).await?;
        // Simultaneous attempts may have reached a limit since it was read.
        if let Some(limited) = self.find_limit(&counts, MOST.map(|most| most + 1), is_known) {
            return Ok(Err(limited));
        }
        tx.commit().await?;
        Ok(Ok(()))
    }

    /// The first count that has reached its limit. With a known network only the first count is
    /// limited.
    fn find_limit(&self, counts: &[Count], most: [i64; 3], is_known: bool) -> Option<Limited> {
        let limited = counts.iter().zip(most).enumerate();
        let mut limited = limited.take(if is_known { 1 } else { 3 });
        limited.find_map(|(at, (count, most))| {
            let seconds = self.seconds_to_wait(*count, most)?;
            Some(match at {
                0 => Limited::Pair(seconds),
                _ => Limited::Total(seconds),
            })
        })
    }

    /// Seconds until the window ends, if the count has reached `most`.
    fn seconds_to_wait(&self, count: Count, most: i64) -> Option<u64> {
        let left = count.since + WINDOW - self.now;
        (count.made >= most).then(|| ((left + SECOND - 1) / SECOND).max(1).unsigned_abs())
    }

    /// What a password attempt counts for: the account from this network, the account, and the
    /// network if it is known.
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

fn limited_error(seconds: u64) -> Error {
    Error::new(Code::RATE_LIMITED).with_retry_after(seconds)
}
