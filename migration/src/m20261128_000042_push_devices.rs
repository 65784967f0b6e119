//! Devices that receive notifications by Web Push, and the messages to them.
//!
//! `push_devices` has no addresses: the endpoint and the keys of a device are in the table `secrets`.
//! `endpoint_sha256` finds a device by its endpoint. `session_id` is the session in which the device was
//! registered.
//!
//! `push_messages` has a row for each message to a device, without its text: the text is composed when
//! the message is sent. `sending_since` is when the state became `enviando`. `reply` is the last status
//! of the push service.
//!
//! `push_due_at` of a notification is when it may be pushed. `push_id` joins the notification to the
//! `push_messages` that contain it, one for each device.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000042_push_devices",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE push_devices (
    id TEXT {bytewise} NOT NULL PRIMARY KEY,
    member_id TEXT NOT NULL REFERENCES members (id),
    session_id TEXT,
    endpoint_sha256 TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    received_at BIGINT
);
CREATE UNIQUE INDEX push_devices_by_endpoint ON push_devices (endpoint_sha256);
CREATE INDEX push_devices_of_member ON push_devices (member_id, created_at);
CREATE INDEX push_devices_of_session ON push_devices (session_id) WHERE session_id IS NOT NULL;

CREATE TABLE push_messages (
    id TEXT {bytewise} NOT NULL PRIMARY KEY,
    push_id TEXT NOT NULL,
    device_id TEXT NOT NULL REFERENCES push_devices (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    first_attempt_at BIGINT,
    due_at BIGINT NOT NULL,
    sending_since BIGINT,
    ended_at BIGINT,
    reply BIGINT
);
CREATE INDEX push_messages_due ON push_messages (due_at) WHERE state = 'pendente';
CREATE INDEX push_messages_sending ON push_messages (sending_since) WHERE state = 'enviando';
CREATE INDEX push_messages_of_device ON push_messages (device_id);
CREATE INDEX push_messages_old ON push_messages (created_at);

ALTER TABLE notifications ADD COLUMN push_due_at BIGINT;
ALTER TABLE notifications ADD COLUMN push_id TEXT;
CREATE INDEX notifications_to_push ON notifications (push_due_at, member_id)
    WHERE push_due_at IS NOT NULL;
CREATE INDEX notifications_of_push ON notifications (push_id) WHERE push_id IS NOT NULL;
";
