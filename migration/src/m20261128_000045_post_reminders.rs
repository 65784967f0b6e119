//! Reminders of posts that a person publishes by hand.
//!
//! A row records that the responsible people were reminded of a post, identified by piece, channel,
//! format and hour (`due_at`). The row is kept when the variant is deleted, so that a variant that is
//! deleted and created again causes no second reminder.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000045_post_reminders",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE post_reminders (
    event_id TEXT NOT NULL REFERENCES events (id),
    channel TEXT {bytewise} NOT NULL,
    format TEXT {bytewise} NOT NULL,
    due_at BIGINT NOT NULL,
    reminded_at BIGINT NOT NULL,
    PRIMARY KEY (event_id, channel, format, due_at)
);
CREATE INDEX notifications_of_posts ON notifications (subject)
    WHERE kind = 'lembrete' AND read_at IS NULL;
";
