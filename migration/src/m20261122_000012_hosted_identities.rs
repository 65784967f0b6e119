//! Accounts at a hosted issuer. Each account is bound to one member.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000012_hosted_identities",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE hosted_identities (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    member_id TEXT NOT NULL REFERENCES members (id),
    bound_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE (issuer, member_id)
);
";
