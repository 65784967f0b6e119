//! The purchases of a person are found by their product.
//!
//! Whether a purchase is somebody's first of a product is asked for each of them when a day is
//! counted. The other products that they bought are no longer read for it.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000021_purchases_of_a_product",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
DROP INDEX purchases_person;
CREATE INDEX purchases_person ON purchases (person, product_id, occurred_at)
    WHERE person IS NOT NULL;
";
