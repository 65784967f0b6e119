//! Remarks on e-mail drafts, wrong codes of guests, and the revisions of approvals.
//!
//! All remarks of a thread about an e-mail draft have the `template_id` of the draft. `passage_at` of
//! the first remark is the position, in characters, at which the passage begins in the current HTML; it
//! is NULL if the HTML no longer contains the passage. `wrong_codes` counts the wrong codes that were
//! entered for a guest link. `content_revision` is the last revision that changed the caption or the
//! media of a piece in approval. `revision` of a vote is the revision of the piece that the vote
//! resulted in.

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
