//! Quotas: the number of calls that a credential, a member and an IP network may make within ten
//! minutes, and the number of reads of a calendar within ten minutes. Also the daily budgets that
//! admins set for personal tokens and agents.
//!
//! Calls are counted in memory, because a write for each call would cost more than most calls.
//! Every two seconds `share` adds the counts to the database and reads the sums of all instances. A
//! killed process loses the counts of its last two seconds.
//!
//! - The counts for the quotas are shared only with PostgreSQL, because several instances may run only
//!   with PostgreSQL. An instance shares the count of a subject when the count has reached one hundredth
//!   of the quota. So each instance exceeds the quota by at most one hundredth, plus the calls of two
//!   seconds.
//! - The use of tokens and agents is shared with both kinds of database, because it is stored and shown
//!   to users.
//!
//! The windows of all instances begin at the same instants. The crate `governor` was not chosen, because
//! it cannot add the counts of other processes to its own counts.

mod budgets;
mod windows;

use std::{
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{CalendarFeedId, time::Millis};
use store::Db;

use super::{Code, Keys, Principal, Result};
use budgets::{Day, Unstored};
use windows::{Subject, Window};

pub(super) use budgets::{reserve_pictures, return_pictures};
pub use windows::QuotaLimits;

/// Counts calls and admits them within their quotas and budgets.
#[derive(Default)]
pub struct Quotas {
    limits: QuotaLimits,
    counted: Mutex<Counted>,
}

#[derive(Default)]
struct Counted {
    window: Window,
    day: Day,
}

impl Quotas {
    #[must_use]
    pub fn new(limits: QuotaLimits) -> Self {
        Self {
            limits,
            counted: Mutex::default(),
        }
    }

    fn lock(&self, now: Millis) -> MutexGuard<'_, Counted> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.window.reset_if_over(now);
        counted.day.reset_if_over(now);
        counted
    }

    /// Counts a call of an authenticated caller.
    ///
    /// Fails with 429 and the seconds to wait, without counting the call, if its credential or
    /// member has reached its quota, or if its credential has used up the calls of its daily
    /// budget.
    pub async fn admit_call(&self, caller: &Principal, db: &Db, now: Millis) -> Result<()> {
        let token = caller.token_id();
        if let Some(id) = token
            && !self.lock(now).day.has_token(id)
        {
            let state = budgets::load_state(db, id, now).await?;
            self.lock(now).day.add_token(id, state);
        }
        let member = Subject::Member(caller.member.id.clone());
        let credential = match caller.credential_id() {
            Some(id) => Some(Subject::Token(id)),
            None => caller.session_id().cloned().map(Subject::Session),
        };
        let mut counted = self.lock(now);
        let subjects = [credential, Some(member)].into_iter().flatten();
        if let Some(id) = token {
            counted.day.require_remaining_calls(id, now)?;
        }
        counted.window.admit(subjects, &self.limits, now)?;
        if let Some(id) = token {
            counted.day.count_call(id);
        }
        Ok(())
    }

    /// Counts a request of an IP network, whoever sent it.
    ///
    /// Fails with 429 and the seconds to wait, without counting the request, if the network has
    /// reached its quota.
    pub fn admit_request(&self, address: IpAddr, now: Millis) -> Result<()> {
        let mut counted = self.lock(now);
        let network = counted.window.network(address);
        counted.window.admit([network], &self.limits, now)
    }

    /// Counts one read of a calendar, from any network.
    ///
    /// Fails with 429 and the seconds to wait, without counting the read, if the calendar has
    /// reached its quota.
    pub fn admit_calendar_read(&self, id: &CalendarFeedId, now: Millis) -> Result<()> {
        let feed = Subject::CalendarFeed(id.clone());
        self.lock(now).window.admit([feed], &self.limits, now)
    }

    /// Adds the counts of this instance to the database, and reads the sums of all instances.
    pub async fn share(&self, db: &Db, keys: &Keys, now: Millis) -> Result<()> {
        if !db.is_embedded() {
            self.share_window(db, keys, now).await?;
        }
        self.share_use(db, now).await
    }

    async fn share_window(&self, db: &Db, keys: &Keys, now: Millis) -> Result<()> {
        let unshared = self.lock(now).window.take_unshared(&self.limits);
        if unshared.is_empty() {
            return Ok(());
        }
        let sums = unshared.store(db, keys).await;
        let window = &mut self.lock(now).window;
        window.set_shared(unshared, sums.as_deref().ok());
        sums.map(drop)
    }

    async fn share_use(&self, db: &Db, now: Millis) -> Result<()> {
        let days = self.lock(now).day.take_unstored();
        if days.is_empty() {
            return Ok(());
        }
        if let Err(error) = Unstored::store(&days, db).await {
            // A commit without an answer may have taken effect. Its calls are not kept, because
            // they would be counted twice.
            if error.code != Code::OUTCOME_UNKNOWN {
                self.lock(now).day.keep_unstored(days);
            }
            return Err(error);
        }
        let states = Unstored::load_states(&days, db, now).await?;
        self.lock(now).day.set_states(states, now);
        Ok(())
    }
}
