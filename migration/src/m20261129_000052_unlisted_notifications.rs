//! Adds whether a notification is listed, and the outbox position after which a webhook sends.
//!
//! A notification that a member wants only by e-mail or on devices is not listed. A webhook sends the
//! rows of the outbox after `from_position`, the last position when the webhook was created. A position is
//! used instead of a time, because a clock can be set back. Existing webhooks get the position 0: they
//! have sent all rows read so far, and send all rows that are read later.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261129_000052_unlisted_notifications",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
ALTER TABLE webhooks ADD COLUMN from_position BIGINT NOT NULL DEFAULT 0;

ALTER TABLE notifications ADD COLUMN is_listed BOOLEAN NOT NULL DEFAULT TRUE;
DROP INDEX notifications_unread;
CREATE INDEX notifications_unread ON notifications (member_id, occurred_at, id, kind, event_id)
    WHERE read_at IS NULL AND is_listed;
";
