//! The worker: claims due jobs, runs them and writes their outcomes.
//!
//! A worker claims due jobs with one `UPDATE`, which sets a lease of one minute and increments the
//! claim number (`fence`). PostgreSQL skips rows that another instance is claiming (`SKIP LOCKED`).
//! The worker renews its leases while the jobs run. Every write of an outcome requires the number
//! of its claim, so a worker whose lease was taken over writes nothing. `JobContext::commit`
//! commits the writes of a job only under the same condition.
//!
//! At most one job with the same key is queued, and at most one runs. A job that is enqueued while
//! another one with its key runs is started afterwards, because the running job may not have seen
//! the change. A recurring job is a row whose id is its name. The instance that claims it runs it
//! and sets its next due time.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::{
    Host, JobContext, JobEntry, JobOutcome,
    attempt::{self, Ended},
    job::LEASE,
};
use crate::{Result, changes::Change, queue::OUTBOX_DELAY};
use domain::{
    Code, JobId,
    time::{Millis, SECOND},
};
use store::{
    Tx,
    jobs::{Claimed, Lease, NewJob},
};

/// A lease is renewed when less than this time remains.
const RENEWED_BEFORE: Millis = 40 * SECOND;
/// Maximum number of jobs that run at the same time.
const AT_ONCE: usize = 16;
/// The retry delay if another instance seems to be claiming the due jobs.
const CONTENDED: Millis = SECOND / 4;

/// Runs the jobs of this process.
///
/// Each turn writes outcomes, renewals and claims in one transaction. Jobs that end during a commit
/// share the next transaction, so a busy worker writes many outcomes together.
pub struct Worker {
    pub(super) host: Arc<dyn Host>,
    kinds: BTreeMap<&'static str, RunnableJob>,
    /// The names of the jobs, sorted, so that instances that start together lock the rows in the
    /// same order.
    names: Vec<&'static str>,
    at_once: usize,
    pub(super) tasks: JoinSet<Ended>,
    /// The running jobs by id.
    pub(super) running: HashMap<JobId, Running>,
    /// Outcomes that are not written yet.
    pub(super) ended: Vec<(Running, JobOutcome, Duration)>,
    scheduled: bool,
    /// The time of the last turn.
    turned_at: Millis,
    pub(super) stopping: CancellationToken,
}

#[derive(Clone, Copy)]
pub(super) struct RunnableJob {
    pub entry: JobEntry,
    /// The interval of a recurring job.
    pub every: Option<Duration>,
}

pub(super) struct Running {
    pub kind: RunnableJob,
    pub lease: Lease,
    dedupe_key: Option<String>,
    leased_until: Millis,
    pub attempts: i64,
    /// `None` for a job that was claimed but never started.
    pub task: Option<AbortHandle>,
    /// True if the job is to be requeued in its state before the claim.
    pub released: bool,
}

impl Worker {
    /// Creates a worker for the jobs that can run on this instance.
    #[must_use]
    pub fn new<'a>(host: Arc<dyn Host>, entries: impl IntoIterator<Item = &'a JobEntry>) -> Self {
        let here = entries
            .into_iter()
            .filter(|entry| (entry.runs_here)(host.services()));
        let kinds = here.map(|entry| {
            let scheduled = (entry.scheduled)(host.services()).ok().flatten();
            let every = scheduled.and_then(|scheduled| scheduled.every);
            (
                entry.name,
                RunnableJob {
                    entry: *entry,
                    every,
                },
            )
        });
        let kinds: BTreeMap<_, _> = kinds.collect();
        Self {
            names: kinds.keys().copied().collect(),
            kinds,
            host,
            at_once: AT_ONCE,
            tasks: JoinSet::new(),
            running: HashMap::new(),
            ended: vec![],
            scheduled: false,
            turned_at: 0,
            stopping: CancellationToken::new(),
        }
    }

    /// Sets the maximum number of jobs that run at the same time.
    #[must_use]
    pub fn with_max_running(mut self, jobs: usize) -> Self {
        self.at_once = jobs;
        self
    }

    /// Writes outcomes, renews leases, and claims and starts due jobs. Returns the time of the next
    /// turn, or `None` if neither a job nor a lease has a time.
    ///
    /// Fails while the database is unavailable; the outcomes are then written by the next turn.
    pub async fn run_turn(&mut self) -> Result<Option<Millis>> {
        while let Some(ended) = self.tasks.try_join_next() {
            self.record_end(ended);
        }
        let now = self.host.services().clock.now();
        if !self.scheduled {
            self.enqueue_scheduled(now).await?;
        }
        if now < self.turned_at {
            self.limit_due_times(now).await?;
        }
        self.turned_at = now;
        let free = match self.stopping.is_cancelled() {
            true => 0,
            false => self.at_once.saturating_sub(self.running.len()),
        };
        let renewing = self.leases_to_renew(now);
        if self.names.is_empty() || free == 0 && renewing.is_empty() && self.ended.is_empty() {
            return Ok(self.next_renewal());
        }
        // Transactions that queue several jobs insert their keys in this order. A fixed order prevents
        // deadlocks.
        self.ended
            .sort_by_cached_key(|(ended, ..)| (ended.kind.entry.name, ended.dedupe_key.clone()));
        let host = self.host.clone();
        let tx = host.services().db.begin().await?;
        let held = self.write_outcomes(&tx, now).await?;
        let (until, mut renewed) = (now + LEASE, Default::default());
        if !renewing.is_empty() {
            renewed = store::jobs::renew_leases(&tx.conn(), &renewing, until).await?;
        }
        let mut claimed = vec![];
        let (names, limited) = self.claimable_names(free);
        if free > 0 {
            claimed = store::jobs::claim_due(&tx.conn(), &names, now, until, free).await?;
        }
        for (name, most) in &limited {
            let most = (*most).min(free - claimed.len());
            if most > 0 {
                let more = store::jobs::claim_due(&tx.conn(), &[name], now, until, most).await?;
                claimed.extend(more);
            }
        }
        let soon = self.schedule_outbox_readers(&tx, now).await?;
        let taken = |name: &str| claimed.iter().filter(|one| one.name == name).count();
        let room = limited
            .into_iter()
            .filter(|(name, most)| taken(name) < *most);
        let names: Vec<_> = names
            .into_iter()
            .chain(room.map(|(name, _)| name))
            .collect();
        let mut next = store::jobs::next_due_time(&tx.conn(), &names).await?;
        tx.commit().await?;
        match soon {
            Some(true) => host.services().queue.record_outbox_run(now + OUTBOX_DELAY),
            // A reader that is already running may have missed the newest rows, so the next turn
            // schedules the readers again.
            Some(false) => next = next.into_iter().chain([now + OUTBOX_DELAY]).min(),
            None => {}
        }
        let mut changed = BTreeSet::new();
        for ((ended, outcome, took), held) in std::mem::take(&mut self.ended).into_iter().zip(held)
        {
            self.report_outcome(&ended, outcome, took, held);
            if !ended.kind.entry.reads_outbox {
                let area = self.host.area_of_job(ended.kind.entry.name);
                changed.extend(ended.task.and(area));
            }
        }
        for area in changed {
            self.host
                .services()
                .changes
                .mark_change(Change::of_area(area));
        }
        for lease in renewing {
            self.apply_renewal(&lease, until, renewed.contains(&lease.id));
        }
        let contended = claimed.is_empty();
        let full = claimed.len() == free;
        for claimed in claimed {
            self.start_job(claimed, until, now);
        }
        if !self.ended.is_empty() {
            return Ok(Some(now));
        }
        if full {
            // All slots are taken, so due jobs wait until a running one ends.
            next = None;
        } else if contended {
            next = next.map(|next| next.max(now + CONTENDED));
        }
        Ok(next.into_iter().chain(self.next_renewal()).min())
    }

    /// Returns the names of the jobs of which `free` more may run, and the names of the jobs of
    /// which fewer more may run, each with that number.
    fn claimable_names(&self, free: usize) -> (Vec<&'static str>, Vec<(&'static str, usize)>) {
        let (mut names, mut limited) = (vec![], vec![]);
        for name in &self.names {
            let most = self.kinds[name].entry.most_at_once;
            let running = match most {
                usize::MAX => 0,
                _ => self
                    .running
                    .values()
                    .filter(|one| one.kind.entry.name == *name)
                    .count(),
            };
            let room = most.saturating_sub(running);
            if room >= free.max(1) {
                names.push(*name);
            } else if room > 0 {
                limited.push((*name, room));
            }
        }
        (names, limited)
    }

    /// If the outbox has new rows, makes its readers run soon. Returns true if all readers are due
    /// soon, false if one of them is running or being changed, and `None` if there are no new rows.
    async fn schedule_outbox_readers(&self, tx: &Tx, now: Millis) -> Result<Option<bool>> {
        if !self.host.services().queue.has_outbox_news() {
            return Ok(None);
        }
        let entries = self.kinds.values().map(|kind| kind.entry);
        let readers: Vec<&str> = entries
            .filter(|entry| entry.reads_outbox)
            .map(|entry| entry.name)
            .collect();
        let db = tx.conn();
        let all = store::jobs::bring_forward(&db, &readers, now + OUTBOX_DELAY).await?;
        Ok(Some(all))
    }

    /// Enqueues recurring jobs and jobs that run whenever an instance starts.
    async fn enqueue_scheduled(&mut self, now: Millis) -> Result<()> {
        let tx = self.host.services().db.begin().await?;
        for name in &self.names {
            let entry = self.kinds[name].entry;
            let Some(scheduled) = (entry.scheduled)(self.host.services())? else {
                continue;
            };
            let id = match scheduled.every {
                Some(_) => JobId::from(*name),
                None => JobId::new(now),
            };
            let new = NewJob {
                id: &id,
                name,
                payload: &scheduled.payload,
                dedupe_key: scheduled.dedupe_key.as_deref(),
                due_at: now,
            };
            store::jobs::insert(&tx.conn(), new, now).await?;
        }
        tx.commit().await?;
        self.limit_due_times(now).await?;
        self.scheduled = true;
        Ok(())
    }

    /// Makes each recurring job due within one interval. The stored due time of a job can be later
    /// than that if the clock was set back.
    async fn limit_due_times(&self, now: Millis) -> Result<()> {
        let tx = self.host.services().db.begin().await?;
        for name in &self.names {
            let Some(every) = self.kinds[name].every else {
                continue;
            };
            let every = Millis::try_from(every.as_millis()).unwrap_or(Millis::MAX);
            let latest = now.saturating_add(every);
            store::jobs::limit_wait(&tx.conn(), name, latest).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    pub(super) fn record_end(&mut self, ended: Result<Ended, tokio::task::JoinError>) {
        // The task of an aborted job returns an error. The job is no longer in `running`.
        let Ok(Ended {
            lease,
            outcome,
            took,
        }) = ended
        else {
            return;
        };
        // The run may have ended just before it was aborted, and this worker may have claimed the
        // job again since.
        let is_tracked = |running: &Running| running.lease == lease;
        if self.running.get(&lease.id).is_some_and(is_tracked)
            && let Some(running) = self.running.remove(&lease.id)
        {
            self.ended.push((running, outcome, took));
        }
    }

    fn start_job(&mut self, claimed: Claimed, until: Millis, now: Millis) {
        let Some(kind) = self.kinds.get(claimed.name.as_str()).copied() else {
            return;
        };
        let mut running = Running {
            kind,
            lease: claimed.lease.clone(),
            dedupe_key: claimed.dedupe_key.clone(),
            leased_until: until,
            attempts: claimed.attempts,
            task: None,
            released: false,
        };
        if claimed.taken_over {
            let lost = match kind.entry.at_most_once {
                true => Some(JobOutcome::Unknown(Code::OUTCOME_UNKNOWN)),
                false if claimed.attempts > i64::from(kind.entry.attempts) => {
                    Some(JobOutcome::Failed(Code::INTERNAL))
                }
                false => None,
            };
            if let Some(outcome) = lost {
                self.ended.push((running, outcome, Duration::ZERO));
                return;
            }
        }
        if self.stopping.is_cancelled() {
            running.released = true;
            self.ended.push((running, JobOutcome::Done, Duration::ZERO));
            return;
        }
        let ctx = JobContext {
            host: self.host.clone(),
            lease: claimed.lease,
            stopping: self.stopping.clone(),
            attempt: claimed.attempts,
            now,
        };
        let id = running.lease.id.clone();
        let work = attempt::run(kind.entry, claimed.payload, ctx);
        running.task = Some(self.tasks.spawn(work));
        self.host.metrics().record_job_start(kind.entry.name);
        self.running.insert(id, running);
    }

    /// Returns the leases to renew now: either all leases or none.
    fn leases_to_renew(&self, now: Millis) -> Vec<Lease> {
        let mut running = self.running.values();
        let soon = running.any(|running| running.leased_until - RENEWED_BEFORE <= now);
        match soon {
            // All leases are renewed together, so that they are due together the next time.
            true => self.running.values().map(|r| r.lease.clone()).collect(),
            false => vec![],
        }
    }

    /// Returns the time at which the next lease must be renewed.
    fn next_renewal(&self) -> Option<Millis> {
        let running = self.running.values();
        running.map(|r| r.leased_until - RENEWED_BEFORE).min()
    }

    fn apply_renewal(&mut self, lease: &Lease, until: Millis, held: bool) {
        if held {
            if let Some(running) = self.running.get_mut(&lease.id) {
                running.leased_until = until;
            }
        } else if let Some(running) = self.running.remove(&lease.id) {
            if let Some(task) = &running.task {
                task.abort();
            }
            self.report_outcome(&running, JobOutcome::Done, Duration::ZERO, false);
        }
    }
}
