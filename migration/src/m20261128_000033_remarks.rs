//! Remarks on pieces.
//!
//! All remarks of a thread have the id of the first remark as `thread_id`. Only the first remark uses
//! `anchor` (JSON), `resolved_at`, `resolved_by`, `answered_at` and `answered_revision`, because they
//! belong to the whole thread. `read_revision` is the revision of the piece that the author had read.
//! `token_id` is the agent or personal token that sent the remark, as in the audit trail. A removed
//! remark keeps its row without its text. A thread whose remarks are all removed is resolved.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000033_remarks",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE remarks (
    id TEXT {bytewise} NOT NULL PRIMARY KEY,
    event_id TEXT NOT NULL REFERENCES events (id),
    thread_id TEXT {bytewise} NOT NULL,
    author_id TEXT NOT NULL REFERENCES members (id),
    token_id TEXT,
    text TEXT NOT NULL,
    anchor TEXT,
    read_revision BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    edited_at BIGINT,
    removed_at BIGINT,
    resolved_at BIGINT,
    resolved_by TEXT REFERENCES members (id),
    answered_at BIGINT,
    answered_revision BIGINT
);

CREATE INDEX remarks_by_event ON remarks (event_id, thread_id, id);
CREATE INDEX remarks_by_thread ON remarks (thread_id, id);
CREATE INDEX remarks_by_author ON remarks (author_id, thread_id);
CREATE INDEX remarks_open ON remarks (event_id, answered_revision)
    WHERE id = thread_id AND resolved_at IS NULL;

CREATE TABLE remark_mentions (
    remark_id TEXT {bytewise} NOT NULL REFERENCES remarks (id),
    member_id TEXT NOT NULL REFERENCES members (id),
    PRIMARY KEY (remark_id, member_id)
);

CREATE INDEX remark_mentions_by_member ON remark_mentions (member_id, remark_id);
";
