//! Scheduled publications of variants.
//!
//! A row of `publications` with a `variant_id` is the publication of a variant; the other rows are
//! publications of whole pieces or of media at the network `shortvideo`. `kind` is the format of the
//! variant, and `state` a `domain::PostState`. `guard` identifies piece, channel and format: at most one
//! publication with the same guard is open.
//!
//! `post` is the whole post (JSON) as of the start of its preparation. `prepared` has the network's ids
//! of the prepared uploads. `started_at` is the time of the request that makes the post
//! public. `evidence` is what the service found at the network after it lost the answer to that request.
//! `is_uncertain` is 1 while an earlier request may have published the prepared post. `hour_chosen` is 1
//! if a person set the hour of this publication independently of its variant and piece. `followed`
//! is 0 while the link or the first comment of a published post is still to be completed.
//!
//! While `publishing_pauses` has a row, nothing is published.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000041_scheduled_publications",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
ALTER TABLE publications ADD COLUMN network TEXT NOT NULL DEFAULT 'shortvideo';
ALTER TABLE publications ADD COLUMN variant_id TEXT;
ALTER TABLE publications ADD COLUMN variant_revision BIGINT;
ALTER TABLE publications ADD COLUMN due_at BIGINT;
ALTER TABLE publications ADD COLUMN hour_chosen BIGINT NOT NULL DEFAULT 0;
ALTER TABLE publications ADD COLUMN prepared TEXT;
ALTER TABLE publications ADD COLUMN prepared_at BIGINT;
ALTER TABLE publications ADD COLUMN started_at BIGINT;
ALTER TABLE publications ADD COLUMN is_uncertain BIGINT NOT NULL DEFAULT 0;
ALTER TABLE publications ADD COLUMN link TEXT;
ALTER TABLE publications ADD COLUMN comment_state TEXT NOT NULL DEFAULT 'absent';
ALTER TABLE publications ADD COLUMN evidence TEXT;
ALTER TABLE publications ADD COLUMN followed BIGINT NOT NULL DEFAULT 1;
CREATE INDEX publications_variant ON publications (variant_id) WHERE variant_id IS NOT NULL;
CREATE INDEX publications_due ON publications (due_at, id) WHERE variant_id IS NOT NULL;
CREATE INDEX event_variants_publish ON event_variants (publish);

CREATE TABLE publishing_pauses (
    id TEXT PRIMARY KEY,
    reason TEXT,
    paused_by TEXT NOT NULL REFERENCES members (id),
    paused_at BIGINT NOT NULL
);
";
