//! Reminders of posts by hand that a member put off.
//!
//! A row says that the member is reminded once more of this format of this channel of a piece
//! (`remind_at`), if the post still waits then with the same hour (`due_at`).

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
