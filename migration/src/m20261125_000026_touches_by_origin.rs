//! The sales with an origin as first touch and as last touch, in one row per origin.
//!
//! Most purchases have the same first and last origin. Before this migration, their sums took two
//! rows per day and two rows per month, which differed only in `touch`.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261125_000026_touches_by_origin",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE figure_touches_by_origin (
    day TEXT {bytewise} NOT NULL,
    scope TEXT {bytewise} NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    origin TEXT {bytewise} NOT NULL,
    first_sales BIGINT NOT NULL,
    first_gross_cents BIGINT NOT NULL,
    first_refunded_cents BIGINT NOT NULL,
    last_sales BIGINT NOT NULL,
    last_gross_cents BIGINT NOT NULL,
    last_refunded_cents BIGINT NOT NULL,
    PRIMARY KEY (day, scope, currency, origin)
) {clustered};
INSERT INTO figure_touches_by_origin (day, scope, currency, origin, first_sales, first_gross_cents,
    first_refunded_cents, last_sales, last_gross_cents, last_refunded_cents)
SELECT day, scope, currency, origin,
    CAST(SUM(CASE WHEN touch = 'primeiro' THEN sales ELSE 0 END) AS BIGINT),
    CAST(SUM(CASE WHEN touch = 'primeiro' THEN gross_cents ELSE 0 END) AS BIGINT),
    CAST(SUM(CASE WHEN touch = 'primeiro' THEN refunded_cents ELSE 0 END) AS BIGINT),
    CAST(SUM(CASE WHEN touch = 'ultimo' THEN sales ELSE 0 END) AS BIGINT),
    CAST(SUM(CASE WHEN touch = 'ultimo' THEN gross_cents ELSE 0 END) AS BIGINT),
    CAST(SUM(CASE WHEN touch = 'ultimo' THEN refunded_cents ELSE 0 END) AS BIGINT)
FROM figure_touches GROUP BY day, scope, currency, origin ORDER BY day, scope, currency, origin;
DROP TABLE figure_touches;
ALTER TABLE figure_touches_by_origin RENAME TO figure_touches;

DROP TABLE figure_touch_months;
CREATE TABLE figure_touch_months (
    scope TEXT {bytewise} NOT NULL,
    month TEXT {bytewise} NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    origin TEXT {bytewise} NOT NULL,
    days BIGINT NOT NULL,
    first_sales BIGINT NOT NULL,
    first_gross_cents BIGINT NOT NULL,
    first_refunded_cents BIGINT NOT NULL,
    last_sales BIGINT NOT NULL,
    last_gross_cents BIGINT NOT NULL,
    last_refunded_cents BIGINT NOT NULL,
    PRIMARY KEY (scope, month, currency, origin)
) {clustered};
INSERT INTO figure_touch_months (scope, month, currency, origin, days, first_sales,
    first_gross_cents, first_refunded_cents, last_sales, last_gross_cents, last_refunded_cents)
SELECT scope, substr(day, 1, 7), currency, origin, COUNT(*), CAST(SUM(first_sales) AS BIGINT),
    CAST(SUM(first_gross_cents) AS BIGINT), CAST(SUM(first_refunded_cents) AS BIGINT),
    CAST(SUM(last_sales) AS BIGINT), CAST(SUM(last_gross_cents) AS BIGINT),
    CAST(SUM(last_refunded_cents) AS BIGINT)
FROM figure_touches GROUP BY scope, substr(day, 1, 7), currency, origin
ORDER BY scope, substr(day, 1, 7), currency, origin;
";
