//! Media, and the events that use them.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20260822_000002_media",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE media (
    id TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    width BIGINT,
    height BIGINT,
    kind TEXT NOT NULL,
    alt TEXT,
    origin TEXT NOT NULL,
    created_by TEXT NOT NULL REFERENCES members (id),
    created_at BIGINT NOT NULL
);
CREATE INDEX media_time ON media (created_at, id);
CREATE INDEX media_sha256 ON media (sha256);

CREATE TABLE event_media (
    event_id TEXT NOT NULL REFERENCES events (id),
    media_id TEXT NOT NULL REFERENCES media (id),
    slide_index BIGINT NOT NULL,
    kind TEXT NOT NULL,
    alt TEXT,
    PRIMARY KEY (event_id, media_id)
);
CREATE INDEX event_media_media ON event_media (media_id, event_id);
";
