//! Remarks on e-mail drafts, wrong codes of guests, and content that changes between stages.
//!
//! The remarks of a thread about an e-mail draft have its `template_id`. The first one has
//! `passage_at`: where the passage begins in the current HTML, in characters; `NULL` if it is not
//! there. `wrong_codes` counts the wrong codes that a link of a guest was given. `content_revision`
//! is the last revision that changed caption or media of a piece in approval; `revision` of a vote is
//! the one that the vote resulted in.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000043_remarks_on_emails",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
ALTER TABLE remarks ADD COLUMN template_id TEXT {bytewise};
ALTER TABLE remarks ADD COLUMN passage_at BIGINT;
CREATE INDEX remarks_by_template ON remarks (template_id, thread_id, id)
    WHERE template_id IS NOT NULL;

ALTER TABLE guest_links ADD COLUMN wrong_codes BIGINT NOT NULL DEFAULT 0;

ALTER TABLE approvals ADD COLUMN content_revision BIGINT;
ALTER TABLE approval_votes ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
";
