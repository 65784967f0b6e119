//! Calendar feeds, which members subscribe to in their own calendar programs.
//!
//! `secret_sha256` is the hash of the secret in the URL of the feed. `filter` (JSON) selects pieces
//! among those that the member may see.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000038_calendar_feeds",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE calendar_feeds (
    id TEXT {bytewise} NOT NULL PRIMARY KEY,
    secret_sha256 TEXT {bytewise} NOT NULL UNIQUE,
    member_id TEXT NOT NULL REFERENCES members (id),
    name TEXT NOT NULL,
    filter TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_read_at BIGINT,
    revoked_at BIGINT
);
CREATE INDEX calendar_feeds_in_force ON calendar_feeds (member_id, created_at, id)
    WHERE revoked_at IS NULL;
";
