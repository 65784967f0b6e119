//! Published skills and their versions.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20260822_000006_skills",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE skills (
    name TEXT PRIMARY KEY,
    version BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE skill_versions (
    name TEXT NOT NULL REFERENCES skills (name),
    version BIGINT NOT NULL,
    description TEXT NOT NULL,
    content TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL REFERENCES members (id),
    PRIMARY KEY (name, version)
);
";
