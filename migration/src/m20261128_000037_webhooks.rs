//! Webhooks: subscriptions to rows of the outbox, their messages, and each attempt to send a message.
//!
//! The secret of a webhook is in the table `secrets`. After a rotation, the previous secret is there
//! too, and also signs until `previous_until`. `kinds` is a JSON list.
//!
//! `position` of a message is the position of its row of the outbox, or 0 for a test. `body` is stored
//! exactly as it is sent. A message is sent only after all earlier messages with the same `order_key`.
//! Nothing is sent to a webhook before `not_before`.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000037_webhooks",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE webhooks (
    id TEXT {bytewise} NOT NULL PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES members (id),
    url TEXT NOT NULL,
    description TEXT NOT NULL,
    kinds TEXT NOT NULL,
    project_id TEXT REFERENCES projects (id),
    channel TEXT,
    state TEXT NOT NULL,
    revision BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    state_since BIGINT NOT NULL,
    previous_until BIGINT,
    not_before BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE webhook_messages (
    id TEXT {bytewise} NOT NULL PRIMARY KEY,
    webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    kind TEXT NOT NULL,
    resource_kind TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    order_key TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    first_attempt_at BIGINT,
    due_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE UNIQUE INDEX webhook_messages_once ON webhook_messages (webhook_id, position)
    WHERE position > 0;
CREATE INDEX webhook_messages_pending
    ON webhook_messages (webhook_id, order_key, position) WHERE state = 'pendente';
CREATE INDEX webhook_messages_due ON webhook_messages (webhook_id, due_at, position)
    WHERE state = 'pendente';
CREATE INDEX webhook_messages_of_webhook ON webhook_messages (webhook_id, created_at, id);
CREATE INDEX webhook_messages_old ON webhook_messages (created_at);

CREATE TABLE webhook_attempts (
    id TEXT {bytewise} NOT NULL PRIMARY KEY,
    message_id TEXT NOT NULL REFERENCES webhook_messages (id) ON DELETE CASCADE,
    attempt BIGINT NOT NULL,
    url TEXT NOT NULL,
    sent_at BIGINT NOT NULL,
    status BIGINT,
    answer TEXT NOT NULL,
    took_ms BIGINT NOT NULL,
    error TEXT
);
CREATE INDEX webhook_attempts_of_message ON webhook_attempts (message_id, id);

INSERT INTO outbox_progress (reader, position)
    SELECT 'webhooks', position FROM outbox_progress WHERE reader = 'order';
";
