//! Postponed reminders of posts that a person publishes by hand.
//!
//! A row reminds the member of the post (piece, channel and format) again at `remind_at`, unless the
//! post is published by then or its hour is no longer `due_at`.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000050_post_snoozes",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE post_snoozes (
    member_id TEXT NOT NULL REFERENCES members (id),
    event_id TEXT NOT NULL REFERENCES events (id),
    channel TEXT {bytewise} NOT NULL,
    format TEXT {bytewise} NOT NULL,
    due_at BIGINT NOT NULL,
    remind_at BIGINT NOT NULL,
    PRIMARY KEY (member_id, event_id, channel, format)
);
CREATE INDEX post_snoozes_next ON post_snoozes (remind_at);
";
