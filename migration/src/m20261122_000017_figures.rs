//! The figures of the dashboards, and the launches that they belong to.
//!
//! `stale` is 1 on a row that is not counted yet, or that has changed since it was counted; the
//! transaction that writes the row sets it. It is 2 on an unchanged purchase if the visits of its
//! person have changed. The columns `counted…` store the values that were counted for the row, so
//! that a recount can compute the difference. `figure_stale_days` contains the days to recount. A
//! day is a calendar day in Brasilia time, as text.
//!
//! The tables `figure_…` are derived from the others and identify no person. The exception is
//! `figure_people`: it stores the launches and steps in which a person was counted, and its rows
//! are deleted with the person.
//!
//! `figure_days` repeats the sales of all launches in three lists: by day, by store and by product.
//! A `scope` is empty, or `l:`, `p:` or `c:` followed by a launch, a product or a campaign.
//!
//! In the keys of the figures, the empty text stands for an absent launch, because NULLs are never
//! equal.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000017_figures",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE launches (
    project_id TEXT {bytewise} PRIMARY KEY,
    revision BIGINT NOT NULL,
    name TEXT NOT NULL,
    starts_on TEXT {bytewise} NOT NULL,
    ends_on TEXT {bytewise} NOT NULL,
    goal_cents BIGINT NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    products TEXT NOT NULL,
    campaigns TEXT NOT NULL,
    code TEXT {bytewise},
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL
);
CREATE INDEX launches_newest ON launches (starts_on, project_id);

ALTER TABLE timeline_sessions ADD COLUMN stale BIGINT NOT NULL DEFAULT 1;
ALTER TABLE timeline_sessions ADD COLUMN counted TEXT;
ALTER TABLE timeline_sessions ADD COLUMN counted_for TEXT {bytewise};
CREATE INDEX timeline_sessions_stale ON timeline_sessions (stale) WHERE stale = 1;

ALTER TABLE purchases ADD COLUMN stale BIGINT NOT NULL DEFAULT 1;
ALTER TABLE purchases ADD COLUMN counted_day TEXT {bytewise};
ALTER TABLE purchases ADD COLUMN first_origin TEXT {bytewise};
ALTER TABLE purchases ADD COLUMN first_touch_at BIGINT;
ALTER TABLE purchases ADD COLUMN last_origin TEXT {bytewise};
ALTER TABLE purchases ADD COLUMN last_touch_at BIGINT;
CREATE INDEX purchases_stale ON purchases (stale) WHERE stale > 0;
CREATE INDEX purchases_launch ON purchases (launch, occurred_at, store, transaction_id)
    WHERE launch IS NOT NULL;
CREATE INDEX purchases_product ON purchases (product_id, occurred_at, store, transaction_id)
    WHERE launch IS NULL;

ALTER TABLE subscriptions ADD COLUMN stale BIGINT NOT NULL DEFAULT 1;
ALTER TABLE subscriptions ADD COLUMN left_at BIGINT;
ALTER TABLE subscriptions ADD COLUMN counted_start TEXT {bytewise};
ALTER TABLE subscriptions ADD COLUMN counted_end TEXT {bytewise};
CREATE INDEX subscriptions_stale ON subscriptions (stale) WHERE stale = 1;
CREATE INDEX subscriptions_started ON subscriptions (started_at);
CREATE INDEX subscriptions_left ON subscriptions (left_at, store, subscription_id)
    WHERE left_at IS NOT NULL;

ALTER TABLE crm_stages ADD COLUMN stale BIGINT NOT NULL DEFAULT 1;
ALTER TABLE crm_stages ADD COLUMN counted_day TEXT {bytewise};
CREATE INDEX crm_stages_stale ON crm_stages (stale) WHERE stale = 1;
CREATE INDEX crm_stages_occurred ON crm_stages (occurred_at);

ALTER TABLE email_deliveries ADD COLUMN stale BIGINT NOT NULL DEFAULT 1;
CREATE INDEX email_deliveries_stale ON email_deliveries (stale) WHERE stale = 1;
CREATE INDEX email_deliveries_mail ON email_deliveries (mail_id, kind);

ALTER TABLE sales_sources ADD COLUMN lease TEXT;
ALTER TABLE sales_sources ADD COLUMN lease_until BIGINT NOT NULL DEFAULT 0;

CREATE TABLE figure_state (
    kind TEXT {bytewise} PRIMARY KEY,
    updated_at BIGINT NOT NULL
);

CREATE TABLE figure_stale_days (
    kind TEXT {bytewise} NOT NULL,
    day TEXT {bytewise} NOT NULL,
    PRIMARY KEY (kind, day)
);

CREATE TABLE figure_products (
    product_id TEXT {bytewise} PRIMARY KEY,
    product TEXT NOT NULL
);

CREATE TABLE figure_origins (
    id TEXT {bytewise} PRIMARY KEY,
    channel TEXT NOT NULL,
    source TEXT,
    medium TEXT,
    campaign TEXT,
    content TEXT
);

CREATE TABLE figure_sales (
    launch TEXT {bytewise} NOT NULL,
    product_id TEXT {bytewise} NOT NULL,
    day TEXT {bytewise} NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    store TEXT {bytewise} NOT NULL,
    sales BIGINT NOT NULL,
    refunds BIGINT NOT NULL,
    gross_cents BIGINT NOT NULL,
    refunded_cents BIGINT NOT NULL,
    buyers BIGINT NOT NULL,
    PRIMARY KEY (launch, product_id, day, currency, store)
);
CREATE INDEX figure_sales_day ON figure_sales (day);

CREATE TABLE figure_sellers (
    day TEXT {bytewise} NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    seller TEXT {bytewise} NOT NULL,
    sales BIGINT NOT NULL,
    gross_cents BIGINT NOT NULL,
    refunded_cents BIGINT NOT NULL,
    PRIMARY KEY (day, currency, seller)
);

CREATE TABLE figure_days (
    list TEXT {bytewise} NOT NULL,
    day TEXT {bytewise} NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    name TEXT {bytewise} NOT NULL,
    sales BIGINT NOT NULL,
    refunds BIGINT NOT NULL,
    gross_cents BIGINT NOT NULL,
    refunded_cents BIGINT NOT NULL,
    buyers BIGINT NOT NULL,
    PRIMARY KEY (list, day, currency, name)
);

CREATE TABLE figure_touches (
    scope TEXT {bytewise} NOT NULL,
    touch TEXT {bytewise} NOT NULL,
    day TEXT {bytewise} NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    origin TEXT {bytewise} NOT NULL,
    sales BIGINT NOT NULL,
    gross_cents BIGINT NOT NULL,
    refunded_cents BIGINT NOT NULL,
    PRIMARY KEY (scope, touch, day, currency, origin)
);
CREATE INDEX figure_touches_day ON figure_touches (day);

CREATE TABLE figure_journey (
    scope TEXT {bytewise} NOT NULL,
    step TEXT {bytewise} NOT NULL,
    day TEXT {bytewise} NOT NULL,
    poll TEXT {bytewise} NOT NULL,
    choice TEXT {bytewise} NOT NULL,
    sessions BIGINT NOT NULL,
    people BIGINT NOT NULL,
    PRIMARY KEY (scope, step, day, poll, choice)
);

CREATE TABLE figure_people (
    person TEXT {bytewise} PRIMARY KEY,
    counted TEXT NOT NULL
);

CREATE TABLE figure_crm (
    launch TEXT {bytewise} NOT NULL,
    stage TEXT {bytewise} NOT NULL,
    day TEXT {bytewise} NOT NULL,
    people BIGINT NOT NULL,
    PRIMARY KEY (launch, stage, day)
);
CREATE INDEX figure_crm_day ON figure_crm (day);

CREATE TABLE figure_dispatches (
    dispatch_id TEXT {bytewise} NOT NULL,
    kind TEXT {bytewise} NOT NULL,
    mails BIGINT NOT NULL,
    PRIMARY KEY (dispatch_id, kind)
);

CREATE TABLE figure_subscriptions (
    day TEXT {bytewise} NOT NULL,
    plan TEXT {bytewise} NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    started BIGINT NOT NULL,
    started_cents BIGINT NOT NULL,
    ended BIGINT NOT NULL,
    ended_cents BIGINT NOT NULL,
    overdue BIGINT NOT NULL,
    PRIMARY KEY (day, plan, currency)
);
";
