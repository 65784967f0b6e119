//! Approval in stages.
//!
//! `approvals` has a row for each piece in approval whose rule has several stages or forbids authors to
//! approve their own pieces. `plan` is a copy of the rule (JSON), `stage` the index of the current
//! stage, and `revision` the revision of the piece when the stage began. `overdue_handled_at` is set
//! once, when the service has handled that `due_at` has passed. `approval_votes` has the approvals of
//! all stages of a piece; `member_id` is empty for a guest. The rows of a piece in both tables are
//! deleted when the piece leaves the approval.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000035_approval_stages",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE approvals (
    event_id TEXT NOT NULL PRIMARY KEY REFERENCES events (id),
    plan TEXT NOT NULL,
    stage BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    entered_at BIGINT NOT NULL,
    due_at BIGINT,
    overdue_handled_at BIGINT
);

CREATE INDEX approvals_due ON approvals (due_at)
    WHERE due_at IS NOT NULL AND overdue_handled_at IS NULL;

CREATE TABLE approval_votes (
    event_id TEXT NOT NULL REFERENCES events (id),
    stage BIGINT NOT NULL,
    member_id TEXT NOT NULL,
    decided_at BIGINT NOT NULL,
    PRIMARY KEY (event_id, stage, member_id)
);
";
