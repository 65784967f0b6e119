//! IP networks from which accounts have signed in.
//!
//! Only a keyed hash of account and network is stored, so the table contains no IP addresses.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000009_known_networks",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE known_networks (
    network_hmac TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES members (user_id),
    last_seen_at BIGINT NOT NULL
);
CREATE INDEX known_networks_user ON known_networks (user_id, last_seen_at);
CREATE INDEX known_networks_seen ON known_networks (last_seen_at);
";
