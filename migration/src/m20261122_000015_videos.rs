//! Videos that a provider makes.
//!
//! `state` is `queued`, `submitting`, `in_progress`, `storing`, `completed`, `failed` or `canceled`;
//! `submitting` is committed before the provider is asked. `event_status` is the status to which the
//! event returns when the video has ended. `error` is the error object of a failed video, as JSON.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000015_videos",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE videos (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    provider TEXT NOT NULL,
    provider_job_id TEXT,
    prompt TEXT NOT NULL,
    aspect TEXT NOT NULL,
    duration_s BIGINT NOT NULL,
    frame_id TEXT REFERENCES media (id),
    event_id TEXT REFERENCES events (id),
    event_status TEXT,
    progress BIGINT NOT NULL,
    media_id TEXT REFERENCES media (id),
    attached BOOLEAN NOT NULL,
    error TEXT,
    created_by TEXT NOT NULL REFERENCES members (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX videos_created ON videos (created_at, id);
CREATE INDEX videos_event ON videos (event_id);
";
