//! The outbox, and the notifications that are made from it.
//!
//! `outbox` has a row for each change that somebody is told of, written in the transaction of the
//! change. `id` is the order of insertion, which on PostgreSQL is not the order of the commits.
//! `position` is: a reader numbers the committed rows before it reads them. `outbox_progress` has
//! the last position that each reader has read; its row `order` has the last position given out.
//!
//! `notifications` has what each member was told. `subject` is the kind and the id of the resource,
//! and empty for a summary of many changes. `changes` is the number of changes that the row stands
//! for; their positions are between `first_position` and `last_position`.
//!
//! `notification_settings` has what a member does not want to be told (JSON). `ending_announced`
//! is the `renewable_until` of a connection whose end was announced.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000036_notifications",
    up: UP,
    up_on_sqlite: "
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    position BIGINT,
    occurred_at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    resource_kind TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    revision BIGINT,
    project_id TEXT,
    actor_id TEXT,
    credential_id TEXT,
    auth_method TEXT NOT NULL,
    facts TEXT NOT NULL
);
CREATE UNIQUE INDEX outbox_positions ON outbox (position) WHERE position IS NOT NULL;
CREATE INDEX outbox_unordered ON outbox (id) WHERE position IS NULL;
",
    up_on_postgres: "
CREATE TABLE outbox (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    position BIGINT,
    occurred_at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    resource_kind TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    revision BIGINT,
    project_id TEXT,
    actor_id TEXT,
    credential_id TEXT,
    auth_method TEXT NOT NULL,
    facts TEXT NOT NULL
);
CREATE UNIQUE INDEX outbox_positions ON outbox (position) WHERE position IS NOT NULL;
CREATE INDEX outbox_unordered ON outbox (id) WHERE position IS NULL;
",
};

const UP: &str = "
CREATE TABLE outbox_progress (
    reader TEXT NOT NULL PRIMARY KEY,
    position BIGINT NOT NULL
);
INSERT INTO outbox_progress (reader, position) VALUES ('order', 0), ('notifications', 0);

CREATE TABLE notifications (
    id TEXT {bytewise} NOT NULL PRIMARY KEY,
    member_id TEXT NOT NULL REFERENCES members (id),
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    event_id TEXT REFERENCES events (id),
    revision BIGINT,
    actor_id TEXT,
    credential_id TEXT,
    auth_method TEXT NOT NULL,
    details TEXT NOT NULL,
    changes BIGINT NOT NULL,
    begun_at BIGINT NOT NULL,
    occurred_at BIGINT NOT NULL,
    first_position BIGINT NOT NULL,
    last_position BIGINT NOT NULL,
    read_at BIGINT
);
CREATE UNIQUE INDEX notifications_once
    ON notifications (member_id, kind, subject, first_position);
CREATE INDEX notifications_of_member ON notifications (member_id, occurred_at, id);
CREATE INDEX notifications_unread ON notifications (member_id, occurred_at, id, kind, event_id)
    WHERE read_at IS NULL;
CREATE INDEX notifications_old ON notifications (occurred_at);

CREATE TABLE notification_settings (
    member_id TEXT NOT NULL PRIMARY KEY REFERENCES members (id),
    revision BIGINT NOT NULL,
    choices TEXT NOT NULL
);

ALTER TABLE connections ADD COLUMN ending_announced BIGINT;
";
