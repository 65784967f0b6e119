//! Background work: jobs, stored as database rows, and the worker that runs them.
//!
//! A job is enqueued in the transaction of the effect that it belongs to, leased by one worker at a
//! time, and removed when it is done. A worker queries the database only when a job is enqueued and
//! when one becomes due.

mod attempt;
mod entry;
mod host;
mod job;
mod outcomes;
mod worker;
mod working;

pub use entry::JobEntry;
pub use host::Host;
pub use job::{Backoff, Job, JobContext, JobOutcome, Schedule};
pub use worker::Worker;
