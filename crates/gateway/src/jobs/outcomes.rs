//! Stores, counts and logs the outcomes of jobs.

use std::time::Duration;

use super::{
    JobOutcome,
    job::to_millis,
    worker::{Running, Worker},
};
use crate::Result;
use domain::{Code, time::Millis};
use store::{
    Tx,
    jobs::{End, Lease},
};

impl Worker {
    /// Writes all outcomes to the database. Returns for each one whether its lease was still valid.
    pub(super) async fn write_outcomes(&self, tx: &Tx, now: Millis) -> Result<Vec<bool>> {
        let is_done = |ended: &Running, outcome| {
            outcome == JobOutcome::Done && ended.kind.every.is_none() && !ended.released
        };
        let done = self.ended.iter().filter(|(e, o, _)| is_done(e, *o));
        let done: Vec<Lease> = done.map(|(ended, ..)| ended.lease.clone()).collect();
        let mut removed = Default::default();
        if !done.is_empty() {
            removed = store::jobs::complete_jobs(&tx.conn(), &done).await?;
        }
        let mut held = vec![];
        for (ended, outcome, _) in &self.ended {
            held.push(match is_done(ended, *outcome) {
                true => removed.contains(&ended.lease.id),
                false => self.write_outcome(tx, ended, *outcome, now).await?,
            });
        }
        Ok(held)
    }

    async fn write_outcome(
        &self,
        tx: &Tx,
        ended: &Running,
        outcome: JobOutcome,
        now: Millis,
    ) -> Result<bool> {
        let Running { kind, lease, .. } = ended;
        let code = outcome.code();
        let requeue = async |due_at, attempts| {
            let conn = tx.conn();
            store::jobs::requeue_job(&conn, lease, due_at, attempts, code).await
        };
        if ended.released {
            return Ok(requeue(now, ended.attempts - 1).await?);
        }
        let over = match outcome {
            JobOutcome::Again(at) => return Ok(requeue(at, 0).await?),
            JobOutcome::Retry(_, at) if ended.attempts < i64::from(kind.entry.attempts) => {
                let chance = getrandom::u32().unwrap_or_default();
                let wait = kind.entry.backoff.delay_after(ended.attempts, chance);
                let at = at.unwrap_or_default().max(now + to_millis(wait));
                return Ok(requeue(at, ended.attempts).await?);
            }
            JobOutcome::Done => None,
            JobOutcome::Retry(code, _) | JobOutcome::Failed(code) => Some((End::Failed, code)),
            JobOutcome::Unknown(code) => Some((End::Unknown, code)),
        };
        if let Some(every) = kind.every {
            return Ok(requeue(now + to_millis(every), 0).await?);
        }
        match over {
            Some((end, code)) => {
                Ok(store::jobs::mark_failed(&tx.conn(), lease, end, code, now).await?)
            }
            None => Ok(
                !store::jobs::complete_jobs(&tx.conn(), std::slice::from_ref(lease))
                    .await?
                    .is_empty(),
            ),
        }
    }

    /// Counts and logs an outcome, even if its lease was lost (`held` is false).
    pub(super) fn report_outcome(
        &self,
        ended: &Running,
        outcome: JobOutcome,
        took: Duration,
        held: bool,
    ) {
        let (job, id) = (ended.kind.entry.name, ended.lease.id.as_str());
        let over = ended.attempts >= i64::from(ended.kind.entry.attempts);
        let outcome = match outcome {
            JobOutcome::Retry(code, _) if over => JobOutcome::Failed(code),
            outcome => outcome,
        };
        let name = match (held, ended.released) {
            (false, _) => "lost",
            (true, true) => "released",
            (true, false) => outcome.name(),
        };
        let took = ended.task.as_ref().map(|_| took);
        self.host.metrics().record_job_end(job, name, took);
        let code = outcome.code().map(Code::as_str);
        match name {
            "done" | "again" | "released" => {}
            "failed" | "unknown" => tracing::error!(
                job,
                id,
                code,
                outcome = name,
                "uma tarefa de fundo terminou sem sucesso"
            ),
            _ => tracing::warn!(
                job,
                id,
                code,
                outcome = name,
                "uma tarefa de fundo não foi concluída"
            ),
        }
    }
}
