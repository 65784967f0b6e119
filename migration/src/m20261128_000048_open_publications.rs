//! An index of the publications of variants that are open or have failed.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000048_open_publications",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE INDEX publications_waiting ON publications (due_at, id)
    WHERE variant_id IS NOT NULL AND (open = 1 OR state = 'failed');
";
