//! Team, identity, access, audit, idempotency, editorial events and configuration.
//!
//! `events.agenda_at` is `due_at`, or the greatest instant for an event without a date, so that
//! both databases sort the same way. `search_text` is the title, caption and tag without case and
//! accents.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20260822_000001_spine",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE team (
    id BIGINT PRIMARY KEY,
    turn BIGINT NOT NULL
);
INSERT INTO team (id, turn) VALUES (1, 0);

CREATE TABLE members (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    api_access_level TEXT NOT NULL,
    financeiro BOOLEAN NOT NULL,
    active BOOLEAN NOT NULL,
    cleanup_pending BOOLEAN NOT NULL,
    sessions_valid_after BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE accounts (
    user_id TEXT PRIMARY KEY REFERENCES members (user_id),
    password_hash TEXT,
    updated_at BIGINT NOT NULL
);

CREATE TABLE invites (
    token_sha256 TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES members (user_id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX invites_user ON invites (user_id);

CREATE TABLE session_families (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES members (user_id),
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX session_families_user ON session_families (user_id);

CREATE TABLE refresh_tokens (
    token_sha256 TEXT PRIMARY KEY,
    family_id TEXT NOT NULL REFERENCES session_families (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX refresh_tokens_family ON refresh_tokens (family_id);
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);

CREATE TABLE signing_keys (
    kid TEXT PRIMARY KEY,
    sealed_private_key TEXT NOT NULL,
    public_jwk TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE personal_tokens (
    id TEXT PRIMARY KEY,
    member_id TEXT NOT NULL REFERENCES members (id),
    label TEXT NOT NULL,
    prefix TEXT NOT NULL UNIQUE,
    secret_sha256 TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    last_used_at BIGINT,
    revoked_at BIGINT
);
CREATE INDEX personal_tokens_member ON personal_tokens (member_id, created_at);

CREATE TABLE audit_events (
    id TEXT PRIMARY KEY,
    occurred_at BIGINT NOT NULL,
    request_id TEXT,
    actor_member_id TEXT,
    actor_user_id TEXT,
    token_id TEXT,
    auth_method TEXT NOT NULL,
    capability TEXT,
    action TEXT NOT NULL,
    resource_type TEXT,
    resource_id TEXT,
    outcome TEXT NOT NULL,
    status_code BIGINT,
    metadata TEXT NOT NULL
);
CREATE INDEX audit_events_time ON audit_events (occurred_at, id);
CREATE INDEX audit_events_actor ON audit_events (actor_member_id, occurred_at, id);

CREATE TABLE idempotency_keys (
    member_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    status BIGINT,
    answer TEXT,
    lease_until BIGINT,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (member_id, operation, idempotency_key)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

CREATE TABLE events (
    id TEXT PRIMARY KEY,
    api_revision BIGINT NOT NULL,
    clickup_id TEXT,
    title TEXT NOT NULL,
    channel TEXT NOT NULL,
    status TEXT NOT NULL,
    description TEXT,
    briefing TEXT,
    due_at BIGINT,
    agenda_at BIGINT NOT NULL,
    editorial_tag TEXT,
    search_text TEXT NOT NULL,
    created_by TEXT NOT NULL REFERENCES members (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX events_status_agenda ON events (status, agenda_at, id);
CREATE INDEX events_agenda ON events (agenda_at, id);
CREATE INDEX events_created_by ON events (created_by);

CREATE TABLE event_assignees (
    event_id TEXT NOT NULL REFERENCES events (id),
    member_id TEXT NOT NULL REFERENCES members (id),
    position BIGINT NOT NULL,
    PRIMARY KEY (event_id, member_id)
);
CREATE INDEX event_assignees_member ON event_assignees (member_id, event_id);

CREATE TABLE event_history (
    id TEXT PRIMARY KEY,
    event_id TEXT NOT NULL REFERENCES events (id),
    api_revision BIGINT NOT NULL,
    actor_member_id TEXT NOT NULL,
    action TEXT NOT NULL,
    changes TEXT NOT NULL,
    reason TEXT,
    occurred_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX event_history_event ON event_history (event_id, api_revision);

CREATE TABLE config_entries (
    key TEXT PRIMARY KEY,
    version BIGINT NOT NULL,
    value TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL
);

CREATE TABLE config_log (
    key TEXT NOT NULL,
    version BIGINT NOT NULL,
    value TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL,
    PRIMARY KEY (key, version)
);
CREATE INDEX config_log_time ON config_log (updated_at);
";
