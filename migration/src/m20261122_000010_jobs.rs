//! Background jobs.
//!
//! `state` is `queued`, `running`, `failed` or `unknown`. The row of a completed job is deleted,
//! unless the job is recurring: a recurring job keeps one row, whose id is its name. `due_at` is
//! when a queued job may run, or when the lease of a running job expires; it is NULL once the job
//! has ended. `fence` counts the claims, so that a worker whose lease was taken over cannot record
//! an outcome. `taken_over` is 1 when the last claim took over an expired lease.
//!
//! The lease columns of `knowledge_embedding` are dropped, because embedding is now a job.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000010_jobs",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    payload TEXT NOT NULL,
    dedupe_key TEXT,
    state TEXT NOT NULL,
    due_at BIGINT,
    attempts BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    taken_over BIGINT NOT NULL,
    error_code TEXT,
    created_at BIGINT NOT NULL,
    finished_at BIGINT
);
CREATE INDEX jobs_due ON jobs (due_at);
CREATE UNIQUE INDEX jobs_queued ON jobs (name, dedupe_key) WHERE state = 'queued';
CREATE INDEX jobs_running ON jobs (name, dedupe_key) WHERE state = 'running';

ALTER TABLE knowledge_embedding DROP COLUMN lease_until;
";
