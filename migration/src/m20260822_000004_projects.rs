//! Collaborative projects, and the operations that changed them.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20260822_000004_projects",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    revision BIGINT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    sections BIGINT NOT NULL,
    items BIGINT NOT NULL,
    done BIGINT NOT NULL,
    members BIGINT NOT NULL,
    created_by TEXT NOT NULL REFERENCES members (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    document TEXT NOT NULL
);

CREATE TABLE project_operations (
    project_id TEXT NOT NULL REFERENCES projects (id),
    revision BIGINT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    actor_member_id TEXT NOT NULL REFERENCES members (id),
    occurred_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, revision)
);
";
