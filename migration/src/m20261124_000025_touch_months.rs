//! The sales of origins by month, so that a launch of a year is read from a few rows per origin.
//!
//! `figure_touch_months` has the sums of `figure_touches` and is counted in the same transaction.
//! `month` is the prefix of the day's text. `days` is the number of days that the row sums up; the row
//! is deleted when `days` reaches 0.
//!
//! `figure_touches` is now only read for single days of a launch. So its rows are ordered by day, which
//! keeps the rows of a day together.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261124_000025_touch_months",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE figure_touch_months (
    scope TEXT {bytewise} NOT NULL,
    touch TEXT {bytewise} NOT NULL,
    month TEXT {bytewise} NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    origin TEXT {bytewise} NOT NULL,
    days BIGINT NOT NULL,
    sales BIGINT NOT NULL,
    gross_cents BIGINT NOT NULL,
    refunded_cents BIGINT NOT NULL,
    PRIMARY KEY (scope, touch, month, currency, origin)
) {clustered};
INSERT INTO figure_touch_months (scope, touch, month, currency, origin, days, sales, gross_cents,
    refunded_cents)
SELECT scope, touch, substr(day, 1, 7), currency, origin, COUNT(*), CAST(SUM(sales) AS BIGINT),
    CAST(SUM(gross_cents) AS BIGINT), CAST(SUM(refunded_cents) AS BIGINT)
FROM figure_touches GROUP BY scope, touch, substr(day, 1, 7), currency, origin;

CREATE TABLE figure_touches_by_day (
    day TEXT {bytewise} NOT NULL,
    scope TEXT {bytewise} NOT NULL,
    touch TEXT {bytewise} NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    origin TEXT {bytewise} NOT NULL,
    sales BIGINT NOT NULL,
    gross_cents BIGINT NOT NULL,
    refunded_cents BIGINT NOT NULL,
    PRIMARY KEY (day, scope, touch, currency, origin)
) {clustered};
INSERT INTO figure_touches_by_day (day, scope, touch, currency, origin, sales, gross_cents,
    refunded_cents)
SELECT day, scope, touch, currency, origin, sales, gross_cents, refunded_cents
FROM figure_touches ORDER BY day, scope, touch, currency, origin;
DROP TABLE figure_touches;
ALTER TABLE figure_touches_by_day RENAME TO figure_touches;
";
