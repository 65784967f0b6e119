//! Stored contents, recorded before they are written.
//!
//! `claims` counts the calls that have started to write a content but not yet committed a reference
//! to it. `removing` is set while an instance deletes the content from the storage. `media_jobs`
//! lists the events for which images are being generated.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20260822_000003_contents",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE contents (
    sha256 TEXT PRIMARY KEY,
    claims BIGINT NOT NULL,
    removing BOOLEAN NOT NULL,
    touched_at BIGINT NOT NULL
);
CREATE INDEX contents_touched ON contents (touched_at);
INSERT INTO contents (sha256, claims, removing, touched_at)
    SELECT sha256, 0, FALSE, max(created_at) FROM media GROUP BY sha256;

CREATE TABLE media_jobs (
    id TEXT PRIMARY KEY,
    event_id TEXT NOT NULL REFERENCES events (id),
    lease_until BIGINT NOT NULL
);
CREATE INDEX media_jobs_event ON media_jobs (event_id);
";
