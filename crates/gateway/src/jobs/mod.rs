//! Background jobs, stored as database rows, and the worker that runs them.
//!
//! A job is enqueued in the transaction of the write that causes it, leased by one worker at a
//! time, and deleted when it is done. An idle worker queries the database only when a job is
//! enqueued or becomes due.
//!
//! A job is a type that implements `Job`; its fields are the payload. Each area lists its jobs in
//! its `AREA`. `Job::enqueue` inserts a row into the table `jobs` in an open transaction. The row
//! of a successful job is deleted. The row of a job that failed permanently, or whose outcome is
//! unknown, is kept for 30 days with the code of its last error and no other detail.
//!
//! Every job may run more than once and must tolerate that, unless it sets `AT_MOST_ONCE`. Such a
//! job becomes `unknown` if it loses its lease, panics or times out, and a person decides what to
//! do.
//!
//! Three kinds of background work are not jobs. Collected reads are in the memory of one process,
//! which writes them to the audit trail itself. The in-memory vector index is updated by the search
//! query that finds it outdated. An external call whose caller disconnects stays a task of its
//! process (`detached.rs`).
//!
//! Two libraries were evaluated first. The design follows the worker of crates.io: a trait with a
//! name, the payload as its fields, a table of function pointers, enqueueing on the caller's
//! connection, and rows that are deleted when done. Its code was not used: it supports PostgreSQL
//! only, keeps the row of a job locked in an open transaction while the job runs, and has neither a
//! limit of attempts nor an unknown outcome. On SQLite that transaction would block the only
//! writer, and in this service no transaction may be open during an external call. apalis supports
//! both databases, with a crate and a schema for each. By default its workers poll, every 100 ms at
//! first. They write a heartbeat every 30 seconds while idle. The job of a dead worker is requeued,
//! even if its effect must not be repeated. After a change of these three properties, little of
//! apalis would be left.

mod attempt;
mod entry;
mod host;
mod job;
mod job_name;
mod outcomes;
mod worker;
mod working;

pub use entry::JobEntry;
pub use host::Host;
pub use job::{Backoff, Job, JobContext, JobOutcome, Schedule};
pub use job_name::JobName;
pub use worker::Worker;
