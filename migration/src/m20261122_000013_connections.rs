//! Encrypted records, platform passwords, and connections to social networks.
//!
//! All secrets are in `secrets`, encrypted under the key `kid`. The other tables contain only data
//! that may be displayed. A network has at most one connection; a revoked one keeps its row without
//! secrets. `renewal` is the claim of the caller that renews the tokens, valid until
//! `renewal_until`.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000013_connections",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE secrets (
    purpose TEXT NOT NULL,
    id TEXT NOT NULL,
    kid TEXT NOT NULL,
    sealed TEXT NOT NULL,
    PRIMARY KEY (purpose, id)
);
CREATE INDEX secrets_kid ON secrets (kid, purpose, id);

CREATE TABLE platform_passwords (
    platform_id TEXT PRIMARY KEY,
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL REFERENCES members (id)
);

CREATE TABLE connections (
    provider TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    display_name TEXT NOT NULL,
    avatar_url TEXT,
    scopes TEXT NOT NULL,
    connected_by TEXT NOT NULL REFERENCES members (id),
    connected_at BIGINT NOT NULL,
    status TEXT NOT NULL,
    version BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    renewable_until BIGINT,
    renew_at BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    last_error TEXT,
    renewal TEXT,
    renewal_until BIGINT NOT NULL
);

CREATE TABLE oauth_states (
    state_sha256 TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    member_id TEXT NOT NULL REFERENCES members (id),
    cookie_sha256 TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_states_expiry ON oauth_states (expires_at);
CREATE INDEX oauth_states_member ON oauth_states (member_id);
";
