//! Agents that members connect by OAuth: their clients, codes and tokens.
//!
//! Codes and tokens are stored by their SHA-256. A row of `agents` is one consent whose code was
//! exchanged; revoking the row revokes all its tokens. `key_thumbprint` is reserved for key-bound
//! tokens (RFC 9449).

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000018_agents",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE oauth_clients (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    auth_method TEXT NOT NULL,
    secret_sha256 TEXT,
    renews BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    fetched_at BIGINT,
    fresh_until BIGINT,
    used_at BIGINT
);
CREATE INDEX oauth_clients_created ON oauth_clients (used_at, created_at);

CREATE TABLE agents (
    id TEXT PRIMARY KEY,
    member_id TEXT NOT NULL REFERENCES members (id),
    client_id TEXT NOT NULL,
    client_name TEXT NOT NULL,
    redirect_host TEXT NOT NULL,
    scopes TEXT NOT NULL,
    resource TEXT NOT NULL,
    key_thumbprint TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    last_used_at BIGINT,
    revoked_at BIGINT
);
CREATE INDEX agents_member ON agents (member_id, created_at, id);
CREATE INDEX agents_expiry ON agents (expires_at);

CREATE TABLE oauth_codes (
    code_sha256 TEXT PRIMARY KEY,
    client_id TEXT NOT NULL,
    member_id TEXT NOT NULL REFERENCES members (id),
    redirect_uri TEXT NOT NULL,
    challenge TEXT NOT NULL,
    resource TEXT NOT NULL,
    scopes TEXT NOT NULL,
    agent_expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    agent_id TEXT
);
CREATE INDEX oauth_codes_expiry ON oauth_codes (expires_at);

CREATE TABLE agent_access_tokens (
    prefix TEXT PRIMARY KEY,
    secret_sha256 TEXT NOT NULL,
    agent_id TEXT NOT NULL REFERENCES agents (id),
    expires_at BIGINT NOT NULL,
    first_used_at BIGINT
);
CREATE INDEX agent_access_tokens_agent ON agent_access_tokens (agent_id);

CREATE TABLE agent_refresh_tokens (
    token_sha256 TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL REFERENCES agents (id),
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX agent_refresh_tokens_agent ON agent_refresh_tokens (agent_id);
";
