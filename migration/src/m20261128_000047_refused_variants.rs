//! Variants that were refused after their piece was approved.
//!
//! `refused_revision` is the revision that was refused. A variant whose revision was neither approved
//! nor refused waits for a decision.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000047_refused_variants",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
ALTER TABLE event_variants ADD COLUMN refused_revision BIGINT;
CREATE INDEX event_variants_undecided ON event_variants (event_id)
    WHERE approved_revision IS NULL OR approved_revision <> revision;
";
