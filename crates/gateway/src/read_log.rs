//! Collects reads and refused credentials in memory and writes them to the audit trail in the
//! background.
//!
//! No request waits for the write of a plain read or of `last_used_at`. Reads are summed per
//! credential, operation and minute: one row with `metadata.count`, and with `metadata.addresses`
//! if the calls came from several IP addresses. Rows that could not be written stay in memory for
//! the next attempt. A killed process loses the items that it collected since the last full minute;
//! a graceful shutdown writes them.
//!
//! Refused credentials are summed in the same way, also by error code. A client that keeps retrying
//! with a revoked token neither fills the table nor blocks the writer.

use std::{
    collections::{BTreeMap, HashMap},
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::json;
use tokio::sync::Notify;

use super::{Code, Door, Error, Known, Origin, Principal, Result};
use domain::{
    CalendarFeedId, GuestLinkId, MemberId, TokenId,
    time::{MINUTE, Millis},
};
use store::audit::{AuditRow, Outcome};

#[derive(PartialEq, Eq, Hash)]
struct ReadKey {
    member_id: MemberId,
    token_id: Option<TokenId>,
    action: &'static str,
    minute: Millis,
    door: Door,
    /// The error code if the credential was refused.
    code: Option<Code>,
}

/// Reads, refused credentials and token uses, collected in memory and written in the background.
#[derive(Default)]
pub struct ReadLog {
    seen: Mutex<Gathered>,
    /// Notified when an item is added to an empty collection.
    begun: Notify,
}

#[derive(Default)]
struct Gathered {
    reads: HashMap<ReadKey, Summed>,
    denials: HashMap<ReadKey, Summed>,
    /// Sorted, so that instances that write the same rows lock them in the same order.
    last_used: BTreeMap<Used, Millis>,
}

/// A credential whose last use is stored.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Used {
    Token(TokenId),
    GuestLink(GuestLinkId),
    CalendarFeed(CalendarFeedId),
}

/// Calls that share one row of the audit trail.
#[derive(Clone)]
struct Summed {
    row: AuditRow,
    count: u64,
    addresses: Vec<IpAddr>,
}

impl Summed {
    fn from_first_call(row: AuditRow, address: Option<IpAddr>) -> Self {
        Self {
            row,
            count: 1,
            addresses: address.into_iter().collect(),
        }
    }

    fn add(&mut self, count: u64, addresses: impl IntoIterator<Item = IpAddr>) {
        self.count += count;
        for address in addresses {
            if self.addresses.len() < MOST_ADDRESSES && !self.addresses.contains(&address) {
                self.addresses.push(address);
            }
        }
    }

    /// Creates the audit row with the number of calls and their IP addresses.
    fn summed_row(&self) -> AuditRow {
        let mut row = self.row.clone();
        row.metadata.insert("count".into(), json!(self.count));
        if self.addresses.len() > 1 {
            row.metadata
                .insert("addresses".into(), json!(self.addresses));
        }
        row
    }
}

impl Gathered {
    fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.denials.is_empty() && self.last_used.is_empty()
    }
}

/// Maximum number of audit rows collected between two writes. Beyond it, reads are served but not
/// recorded.
const MOST_READERS: usize = 20_000;
/// Maximum number of IP addresses in a row.
const MOST_ADDRESSES: usize = 8;
/// Maximum number of rows per transaction, so that other writers do not wait long.
const BATCH: usize = 500;

impl ReadLog {
    /// Waits until there is something to write.
    pub async fn wait_for_items(&self) {
        while self.lock().is_empty() {
            self.begun.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Gathered> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the collection to add an item, and notifies `begun` if it was empty.
    fn lock_to_add(&self) -> MutexGuard<'_, Gathered> {
        let gathered = self.lock();
        if gathered.is_empty() {
            self.begun.notify_one();
        }
        gathered
    }

    /// Records a plain read. Reads with the same credential, operation and minute share a row.
    pub(super) fn record_read(
        &self,
        action: &'static str,
        caller: &Principal,
        origin: &Origin,
        now: Millis,
        row: impl FnOnce() -> AuditRow,
    ) {
        let key = ReadKey {
            member_id: caller.member.id.clone(),
            token_id: caller.credential_id(),
            action,
            minute: now / MINUTE,
            door: origin.door,
            code: None,
        };
        let mut gathered = self.lock_to_add();
        if let Some(summed) = gathered.reads.get_mut(&key) {
            summed.add(1, origin.address);
        } else if gathered.reads.len() < MOST_READERS {
            let row = row().with_outcome(Outcome::Allowed, 200);
            let summed = Summed::from_first_call(row, origin.address);
            gathered.reads.insert(key, summed);
        }
    }

    /// Records the refusal of a credential with a known owner. Refusals with the same credential,
    /// operation, error code and minute share a row, so a client that keeps retrying neither fills
    /// the audit trail nor blocks writers.
    pub fn record_denial(&self, known: &Known, error: &Error, row: AuditRow, origin: &Origin) {
        let key = ReadKey {
            member_id: known.member.id.clone(),
            token_id: known.credential_id.clone(),
            action: row.action,
            minute: row.occurred_at / MINUTE,
            door: origin.door,
            code: Some(error.code),
        };
        let mut gathered = self.lock_to_add();
        if let Some(summed) = gathered.denials.get_mut(&key) {
            summed.add(1, origin.address);
        } else if gathered.denials.len() < MOST_READERS {
            let mut row = row.with_actor(&known.member).with_refusal(error);
            row.token_id.clone_from(&known.credential_id);
            row.auth_method = known.auth_method;
            let summed = Summed::from_first_call(row, origin.address);
            gathered.denials.insert(key, summed);
        }
    }

    /// Records the use of a token on a best-effort basis.
    pub fn record_token_use(&self, token_id: &TokenId, now: Millis) {
        let used = Used::Token(token_id.clone());
        self.lock_to_add().last_used.insert(used, now);
    }

    /// Records that the link of a guest was opened, on a best-effort basis.
    pub fn record_guest_visit(&self, link_id: &GuestLinkId, now: Millis) {
        let used = Used::GuestLink(link_id.clone());
        self.lock_to_add().last_used.insert(used, now);
    }

    /// Records that a calendar was read, on a best-effort basis.
    pub fn record_calendar_read(&self, feed_id: &CalendarFeedId, now: Millis) {
        let used = Used::CalendarFeed(feed_id.clone());
        self.lock_to_add().last_used.insert(used, now);
    }

    /// Takes the items to write: those of past minutes, or all of them if `all` is set.
    fn take_unwritten(&self, now: Millis, all: bool) -> Unwritten<'_> {
        let mut gathered = self.lock();
        let minute = now / MINUTE;
        let over = |key: &ReadKey, _: &mut _| all || key.minute < minute;
        let Gathered {
            reads,
            denials,
            last_used,
        } = &mut *gathered;
        let rows = reads.extract_if(over).chain(denials.extract_if(over));
        Unwritten {
            log: self,
            rows: rows.collect(),
            last_used: std::mem::take(last_used),
        }
    }

    /// Writes the collected items: those of past minutes, or all of them if `all` is set. Items
    /// that could not be written because of an error or a cancellation are written by the next
    /// call.
    pub async fn flush(&self, db: &store::Db, now: Millis, all: bool) -> Result<()> {
        let mut left = self.take_unwritten(now, all);
        while !left.rows.is_empty() {
            let tx = db.begin().await?;
            let batch = left.rows.len().min(BATCH);
            for (_, summed) in &left.rows[..batch] {
                store::audit::insert(&tx.conn(), summed.summed_row()).await?;
            }
            // If the commit is cancelled or its result is lost, it may still have taken effect. The
            // rows are taken out first, so that they are not written twice.
            let written: Vec<_> = left.rows.drain(..batch).collect();
            if let Err(failure) = tx.commit().await {
                let error = Error::from(failure);
                if error.code != Code::OUTCOME_UNKNOWN {
                    left.rows.extend(written);
                }
                return Err(error);
            }
        }
        if left.last_used.is_empty() {
            return Ok(());
        }
        let tx = db.begin().await?;
        for (used, at) in &left.last_used {
            let db = tx.conn();
            match used {
                Used::Token(id) => store::tokens::set_last_used(&db, id, *at).await?,
                Used::GuestLink(id) => store::guest_links::set_opened(&db, id, *at).await?,
                Used::CalendarFeed(id) => {
                    store::calendar_feeds::set_last_read(&db, id, *at).await?;
                }
            }
        }
        tx.commit().await?;
        left.last_used.clear();
        Ok(())
    }
}

/// Items that were taken to be written. Those not yet written go back to the log on drop.
struct Unwritten<'a> {
    log: &'a ReadLog,
    rows: Vec<(ReadKey, Summed)>,
    last_used: BTreeMap<Used, Millis>,
}

impl Drop for Unwritten<'_> {
    fn drop(&mut self) {
        let mut gathered = self.log.lock();
        for (key, summed) in self.rows.drain(..) {
            let rows = match key.code {
                None => &mut gathered.reads,
                Some(_) => &mut gathered.denials,
            };
            if let Some(later) = rows.get_mut(&key) {
                later.add(summed.count, summed.addresses);
            } else if rows.len() < MOST_READERS {
                rows.insert(key, summed);
            }
        }
        for (used, at) in std::mem::take(&mut self.last_used) {
            gathered.last_used.entry(used).or_insert(at);
        }
    }
}
