//! The cost of paid media by month, so that a campaign of a year is read from a few rows.
//!
//! `figure_media` is derived from `ad_spend` and counted in the same transaction. `month` is the
//! prefix of the day's text. `campaign` has the same collation as in `ad_spend`, because both are
//! read together.
//!
//! The indexes of figures by day are used to recount a day. On PostgreSQL they become hash indexes,
//! which find only single days. Otherwise the planner would use them for a range of days and read
//! the rows of all launches.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000020_media_months",
    up: UP,
    up_on_postgres: ONE_DAY,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE figure_media (
    month TEXT {bytewise} NOT NULL,
    platform TEXT {bytewise} NOT NULL,
    campaign_id TEXT {bytewise} NOT NULL,
    campaign TEXT NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    spend_cents BIGINT NOT NULL,
    impressions BIGINT NOT NULL,
    clicks BIGINT NOT NULL,
    PRIMARY KEY (month, platform, campaign_id, campaign, currency)
);
INSERT INTO figure_media (month, platform, campaign_id, campaign, currency, spend_cents, impressions,
    clicks)
SELECT substr(day, 1, 7), platform, campaign_id, campaign, currency,
    CAST(SUM(spend_cents) AS BIGINT), CAST(SUM(impressions) AS BIGINT),
    CAST(SUM(clicks) AS BIGINT)
FROM ad_spend GROUP BY substr(day, 1, 7), platform, campaign_id, campaign, currency;
";

const ONE_DAY: &str = "
DROP INDEX figure_sales_day;
DROP INDEX figure_touches_day;
DROP INDEX figure_crm_day;
CREATE INDEX figure_sales_day ON figure_sales USING hash (day);
CREATE INDEX figure_touches_day ON figure_touches USING hash (day);
CREATE INDEX figure_crm_day ON figure_crm USING hash (day);
";
