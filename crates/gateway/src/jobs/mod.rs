//! Background work: jobs that are rows, and the worker that runs them.
//!
//! A job is enqueued in the transaction whose effect it belongs to, leased by one worker at a time,
//! and removed when it is done. A worker asks the database for work when a job is enqueued and when
//! one becomes due, and at no other time.

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
