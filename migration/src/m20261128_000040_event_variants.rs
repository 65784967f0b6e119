//! Variants of pieces: what a piece says on each channel that it goes to.
//!
//! `content` has only what differs from the piece (JSON). `approved_revision` is the revision that was
//! approved; a variant with another revision waits for an approval of its own.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000040_event_variants",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE event_variants (
    id TEXT {bytewise} NOT NULL PRIMARY KEY,
    event_id TEXT NOT NULL REFERENCES events (id),
    channel TEXT {bytewise} NOT NULL,
    format TEXT {bytewise} NOT NULL,
    content TEXT NOT NULL,
    due_at BIGINT,
    publish TEXT {bytewise} NOT NULL,
    revision BIGINT NOT NULL,
    approved_revision BIGINT,
    created_by TEXT NOT NULL REFERENCES members (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (event_id, channel, format)
);
";
