//! The worker: claims jobs that are due, runs them, and writes what became of them.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{
    sync::Notify,
    task::{AbortHandle, JoinSet},
    time::timeout_at,
};
use tokio_util::sync::CancellationToken;

use super::{
    JobContext, JobEntry, JobOutcome,
    job::LEASE,
    running::{self, Ended},
};
use crate::{Error, Gateway, Result};
use domain::{
    Code,
    time::{Millis, SECOND},
};
use store::{
    Db,
    jobs::{Claimed, Lease, NewJob},
};

/// What is left of a lease when it is renewed.
const RENEWED_BEFORE: Millis = 40 * SECOND;
/// Jobs that run at once.
const AT_ONCE: usize = 16;
/// How long a stop waits for running jobs.
const GRACE: Duration = Duration::from_secs(25);
/// Waits while the database is away: the first one, and the longest.
const AWAY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// When a due job cannot be claimed because another instance is about to.
const CONTENDED: Millis = SECOND / 4;

/// Runs the jobs of this process.
///
/// All its writes of one turn are one transaction: outcomes, renewals and claims. While a commit is
/// under way further jobs end, so that a busy worker writes many outcomes at once.
pub struct Worker {
    pub(super) gateway: Arc<Gateway>,
    kinds: HashMap<&'static str, Kind>,
    names: Vec<&'static str>,
    at_once: usize,
    tasks: JoinSet<Ended>,
    /// By the job's id.
    running: HashMap<String, Running>,
    /// What is still to be written.
    pub(super) ended: Vec<(Running, JobOutcome, Duration)>,
    scheduled: bool,
    stopping: CancellationToken,
}

#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub entry: JobEntry,
    /// Of a recurring job.
    pub every: Option<Duration>,
}

pub(super) struct Running {
    pub kind: Kind,
    pub lease: Lease,
    leased_until: Millis,
    pub attempts: i64,
    /// `None` for what was claimed and never started.
    pub task: Option<AbortHandle>,
    /// It is given back as it was before the claim.
    pub released: bool,
}

impl Worker {
    /// A worker of the kinds of jobs that run here.
    #[must_use]
    pub fn new<'a>(gateway: Arc<Gateway>, entries: impl IntoIterator<Item = &'a JobEntry>) -> Self {
        let here = entries
            .into_iter()
            .filter(|entry| (entry.runs_here)(&gateway.services));
        let kinds = here.map(|entry| {
            let scheduled = (entry.scheduled)(&gateway.services).ok().flatten();
            let every = scheduled.and_then(|scheduled| scheduled.every);
            (
                entry.name,
                Kind {
                    entry: *entry,
                    every,
                },
            )
        });
        let kinds: HashMap<_, _> = kinds.collect();
        Self {
            names: kinds.keys().copied().collect(),
            kinds,
            gateway,
            at_once: AT_ONCE,
            tasks: JoinSet::new(),
            running: HashMap::new(),
            ended: vec![],
            scheduled: false,
            stopping: CancellationToken::new(),
        }
    }

    /// With as many jobs at once.
    #[must_use]
    pub fn at_once(mut self, jobs: usize) -> Self {
        self.at_once = jobs;
        self
    }

    /// Works until `stop`, then waits for what runs, for a while.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        let gateway = self.gateway.clone();
        let woken = gateway.services.jobs.woken.clone();
        let mut listening = std::pin::pin!(listen(&gateway.services.db, &woken));
        let mut stop = std::pin::pin!(stop);
        let mut pause = AWAY.0;
        let stopping = self.stopping.clone();
        loop {
            let turned = {
                let mut turn = std::pin::pin!(self.turn());
                tokio::select! {
                    turned = &mut turn => turned,
                    // A turn is not left in the middle: what it claims now is given back.
                    () = &mut stop => {
                        stopping.cancel();
                        turn.await
                    }
                }
            };
            if stopping.is_cancelled() {
                break;
            }
            let next = match turned {
                Ok(next) => {
                    pause = AWAY.0;
                    next
                }
                Err(error) => {
                    log(&error);
                    tokio::select! {
                        () = &mut stop => break,
                        () = tokio::time::sleep(pause) => {}
                    }
                    pause = (pause * 2).min(AWAY.1);
                    continue;
                }
            };
            let wait = next.map(|next| next.saturating_sub(self.gateway.now()).max(0));
            tokio::select! {
                () = &mut stop => break,
                () = woken.notified() => {}
                Some(ended) = self.tasks.join_next() => self.take(ended),
                () = sleep(wait) => {}
                () = &mut listening => {}
            }
        }
        self.stop(GRACE).await;
    }

    /// Runs what is due until nothing is, and nothing runs.
    pub async fn drain(&mut self) -> Result<()> {
        loop {
            self.turn().await?;
            match self.tasks.join_next().await {
                Some(ended) => self.take(ended),
                None if self.ended.is_empty() => return Ok(()),
                None => {}
            }
        }
    }

    /// Writes outcomes, renews leases, claims what is due and starts it. The answer is when to do so
    /// again, unless something happens before; `None` when there is nothing to wait for.
    ///
    /// Refused as a whole while the database is away; outcomes are kept for the next turn.
    pub async fn turn(&mut self) -> Result<Option<Millis>> {
        while let Some(ended) = self.tasks.try_join_next() {
            self.take(ended);
        }
        let now = self.gateway.now();
        if !self.scheduled {
            self.schedule(now).await?;
        }
        let free = match self.stopping.is_cancelled() {
            true => 0,
            false => self.at_once.saturating_sub(self.running.len()),
        };
        let renewing = self.renewing(now);
        if self.names.is_empty() || free == 0 && renewing.is_empty() && self.ended.is_empty() {
            return Ok(self.renewal());
        }
        let gateway = self.gateway.clone();
        let tx = gateway.services.db.begin().await?;
        let held = self.write(&tx, now).await?;
        let (until, mut renewed) = (now + LEASE, Default::default());
        if !renewing.is_empty() {
            renewed = store::jobs::renew(&tx.conn(), &renewing, until).await?;
        }
        let mut claimed = vec![];
        if free > 0 {
            claimed = store::jobs::claim(&tx.conn(), &self.names, now, until, free).await?;
        }
        let mut next = store::jobs::next_due(&tx.conn(), &self.names).await?;
        tx.commit().await?;
        for ((ended, outcome, took), held) in std::mem::take(&mut self.ended).into_iter().zip(held)
        {
            self.tell(&ended, outcome, took, held);
        }
        for lease in renewing {
            self.renewed(&lease, until, renewed.contains(&lease.id));
        }
        let contended = claimed.is_empty();
        let full = claimed.len() == free;
        for claimed in claimed {
            self.start(claimed, until, now);
        }
        if !self.ended.is_empty() {
            return Ok(Some(now));
        }
        if full {
            // Whatever is due waits for a running job to end.
            next = None;
        } else if contended {
            next = next.map(|next| next.max(now + CONTENDED));
        }
        Ok(next.into_iter().chain(self.renewal()).min())
    }

    /// Enqueues the jobs that recur or run at each start.
    async fn schedule(&mut self, now: Millis) -> Result<()> {
        let tx = self.gateway.services.db.begin().await?;
        for name in &self.names {
            let entry = self.kinds[name].entry;
            let Some(scheduled) = (entry.scheduled)(&self.gateway.services)? else {
                continue;
            };
            let id = match scheduled.every {
                Some(_) => (*name).to_owned(),
                None => domain::new_id(now),
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
        self.scheduled = true;
        Ok(())
    }

    fn take(&mut self, ended: Result<Ended, tokio::task::JoinError>) {
        // One that was aborted is not waited for any more.
        let Ok(Ended { id, outcome, took }) = ended else {
            return;
        };
        if let Some(running) = self.running.remove(&id) {
            self.ended.push((running, outcome, took));
        }
    }

    fn start(&mut self, claimed: Claimed, until: Millis, now: Millis) {
        let Some(kind) = self.kinds.get(claimed.name.as_str()).copied() else {
            return;
        };
        let mut running = Running {
            kind,
            lease: claimed.lease.clone(),
            leased_until: until,
            attempts: claimed.attempts,
            task: None,
            released: false,
        };
        if claimed.taken_over {
            let lost = match kind.entry.at_most_once {
                true => Some(JobOutcome::Unknown(Code::OutcomeUnknown)),
                false if claimed.attempts > i64::from(kind.entry.attempts) => {
                    Some(JobOutcome::Failed(Code::Internal))
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
            gateway: self.gateway.clone(),
            lease: claimed.lease,
            stopping: self.stopping.clone(),
            attempt: claimed.attempts,
            now,
        };
        let id = running.lease.id.clone();
        let work = running::run(kind.entry, claimed.payload, ctx);
        running.task = Some(self.tasks.spawn(work));
        self.gateway.meters.job_began(kind.entry.name);
        self.running.insert(id, running);
    }

    /// The leases that are to be renewed now.
    fn renewing(&self, now: Millis) -> Vec<Lease> {
        let mut running = self.running.values();
        let soon = running.any(|running| running.leased_until - RENEWED_BEFORE <= now);
        match soon {
            // All at once, so that they come together the next time.
            true => self.running.values().map(|r| r.lease.clone()).collect(),
            false => vec![],
        }
    }

    /// When the next lease is to be renewed.
    fn renewal(&self) -> Option<Millis> {
        let running = self.running.values();
        running.map(|r| r.leased_until - RENEWED_BEFORE).min()
    }

    fn renewed(&mut self, lease: &Lease, until: Millis, held: bool) {
        if held {
            if let Some(running) = self.running.get_mut(&lease.id) {
                running.leased_until = until;
            }
        } else if let Some(running) = self.running.remove(&lease.id) {
            if let Some(task) = &running.task {
                task.abort();
            }
            self.tell(&running, JobOutcome::Done, Duration::ZERO, false);
        }
    }

    /// Claims nothing more, and waits for what runs. What has not ended by then is aborted: it is
    /// queued again, or unknown where it must not be repeated.
    pub async fn stop(&mut self, grace: Duration) {
        self.stopping.cancel();
        let deadline = (Instant::now() + grace).into();
        while let Ok(Some(ended)) = timeout_at(deadline, self.tasks.join_next()).await {
            self.take(ended);
            // What is not written now is written in the end.
            let _ = self.turn().await;
        }
        for (_, mut running) in self.running.drain() {
            if let Some(task) = &running.task {
                task.abort();
            }
            running.released = !running.kind.entry.at_most_once;
            let outcome = match running.released {
                true => JobOutcome::Done,
                false => JobOutcome::Unknown(Code::OutcomeUnknown),
            };
            self.ended.push((running, outcome, grace));
        }
        if let Err(error) = self.turn().await {
            tracing::warn!(%error, "outcomes of jobs were not written: their leases will run out");
        }
    }
}

fn log(error: &Error) {
    let source = std::error::Error::source(error).map(tracing::field::display);
    tracing::warn!(%error, source, "the worker of the jobs pauses");
}

/// Sleeps for so many milliseconds, or for good.
async fn sleep(wait: Option<Millis>) {
    match wait {
        Some(wait) => tokio::time::sleep(Duration::from_millis(wait.unsigned_abs())).await,
        None => std::future::pending().await,
    }
}

/// Wakes the worker for what PostgreSQL announces; it never ends.
async fn listen(db: &Db, woken: &Notify) {
    let mut pause = AWAY.0;
    loop {
        match store::jobs::listen(db).await {
            Ok(None) => std::future::pending().await,
            Ok(Some(mut announced)) => {
                pause = AWAY.0;
                // For what was announced while nobody listened.
                woken.notify_one();
                while announced.next().await.is_ok() {
                    woken.notify_one();
                }
            }
            Err(error) => tracing::warn!(%error, "jobs of other instances are not announced"),
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(AWAY.1);
    }
}
