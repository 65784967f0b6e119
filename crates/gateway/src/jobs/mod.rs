//! Background work: jobs, stored as database rows, and the worker that runs them.
//!
//! A job is enqueued in the transaction of the effect that it belongs to, leased by one worker at a
//! time, and removed when it is done. A worker queries the database only when a job is enqueued and
//! when one becomes due.
//!
//! A job is a type that implements `Job`. Its fields are the payload. Each area lists its jobs in
//! its `AREA`. A job is a row of the table `jobs`, inserted by `Job::enqueue` in an open
//! transaction. A job that is done leaves no row. A job that failed permanently, or whose outcome
//! is unknown, keeps its row for 30 days with the code of its last error and no other detail.
//!
//! Every job may run more than once and must tolerate that, unless it sets `AT_MOST_ONCE`. Then it
//! becomes `unknown` when its lease is lost, or when it panics or times out, and a person decides.
//!
//! Three things are not jobs. Reads collected for the audit trail are in the memory of one process,
//! and their task sleeps while there are none. The index of vectors in memory is updated by the
//! question that finds it out of date. An outside operation whose caller disconnects remains a task
//! of its process (`detached.rs`).
//!
//! Two libraries were evaluated first. The worker of crates.io gave the design: a trait with a
//! name, the payload as its fields, a table of function pointers, enqueueing on the caller's
//! connection, rows that are deleted when done. Its code was not used. It supports PostgreSQL only,
//! and keeps the row of a job locked in an open transaction while the job runs. On SQLite that
//! transaction would hold the only writer, and here no transaction may be open during an outside
//! call. It has neither a limit of attempts nor an unknown outcome. apalis supports both databases,
//! with a crate and a schema for each. By default its workers poll, every 100 ms at first, and
//! write a heartbeat every 30 seconds while idle. The job of a dead worker returns to the queue,
//! whatever its effect. Changing these three would leave little of it.

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
