//! Runs one attempt of a job and catches panics and timeouts.

use std::{
    panic::AssertUnwindSafe,
    time::{Duration, Instant},
};

use futures::FutureExt;
use tracing::Instrument;

use super::{JobContext, JobEntry, JobOutcome};
use crate::traces;
use domain::Code;
use store::jobs::Lease;

/// The result of an attempt.
pub(super) struct Ended {
    pub lease: Lease,
    pub outcome: JobOutcome,
    pub took: Duration,
}

pub(super) async fn run(entry: JobEntry, payload: String, ctx: JobContext) -> Ended {
    let lease = ctx.lease.clone();
    let span = tracing::info_span!(
        "job",
        job = entry.name,
        id = lease.id.as_str(),
        attempt = ctx.attempt
    );
    let begun = Instant::now();
    let outcome = run_catching_panics_and_timeouts(entry, &payload, &ctx)
        .instrument(span.clone())
        .await;
    let is_error = matches!(outcome, JobOutcome::Failed(_) | JobOutcome::Unknown(_));
    traces::note_outcome(&span, outcome.name(), is_error, None);
    Ended {
        lease,
        outcome,
        took: begun.elapsed(),
    }
}

/// Runs the job. Turns a panic, a timeout and an unreadable payload into outcomes.
async fn run_catching_panics_and_timeouts(
    entry: JobEntry,
    payload: &str,
    ctx: &JobContext,
) -> JobOutcome {
    let run = AssertUnwindSafe((entry.run)(payload, ctx)).catch_unwind();
    let interrupted = match tokio::time::timeout(entry.timeout, run).await {
        Ok(Ok(Ok(outcome))) => return outcome,
        // The payload cannot be deserialised. A newer version of the service may be able to read
        // it, so the job is retried.
        Ok(Ok(Err(_))) => {
            tracing::error!("o conteúdo de uma tarefa de fundo não pôde ser lido");
            return JobOutcome::Retry(Code::INTERNAL, None);
        }
        Ok(Err(_)) => "a tarefa de fundo quebrou (panic)",
        Err(_) => "a tarefa de fundo passou do prazo",
    };
    tracing::error!("{interrupted}");
    match entry.at_most_once {
        true => JobOutcome::Unknown(Code::OUTCOME_UNKNOWN),
        false => JobOutcome::Retry(Code::INTERNAL, None),
    }
}
