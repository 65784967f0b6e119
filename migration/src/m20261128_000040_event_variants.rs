//! Variants of pieces: the content of a piece for each channel and format.
//!
//! `content` (JSON) has only the fields that differ from the piece. `approved_revision` is the last
//! approved revision of the variant; a variant whose current revision differs from it waits for an
//! approval.

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
    changed_by TEXT NOT NULL REFERENCES members (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (event_id, channel, format)
);
";
