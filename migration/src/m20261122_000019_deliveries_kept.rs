//! The order in which old e-mail deliveries are deleted.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000019_deliveries_kept",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE INDEX email_deliveries_occurred ON email_deliveries (occurred_at);
";
