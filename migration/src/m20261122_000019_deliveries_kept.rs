//! An index for the deletion of old e-mail deliveries.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000019_deliveries_kept",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE INDEX email_deliveries_occurred ON email_deliveries (occurred_at);
";
