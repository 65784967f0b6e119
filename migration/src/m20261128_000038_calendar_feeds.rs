//! Calendars that a member subscribes to with a program of their own.
//!
//! `secret_sha256` is the hash of the secret in the address. `filter` says which pieces the calendar
//! shows, of those that its member may see (JSON).

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
