//! An index that finds the purchases of a person by product.
//!
//! The count of a day checks for each purchase whether it is the first purchase of the product by its
//! person. With this index the count does not read the person's purchases of other products.

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
