//! Adds whether a notification is listed, and the outbox position after which a webhook sends.
//!
//! A notification that a member wants by e-mail or on devices only is not listed. A webhook sends the rows
//! after its creation by their position, because a clock can be set back. Webhooks from before have sent
//! all rows that were read, so they send whatever is read later.

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
