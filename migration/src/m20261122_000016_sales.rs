//! The timeline of visits, e-mail deliveries, and sales data as received.
//!
//! `person` is the keyed hash of an e-mail address; no table contains the address. Erasing a person
//! sets `person` to NULL in every table (`store::people` lists them), so that all sums remain
//! correct. `severed` is 1 on a row whose person was erased: the row is never linked to a person
//! again.
//!
//! PostgreSQL stores the events of each month (UTC) in one partition, so that expired events are
//! deleted by dropping a table. The key of a partitioned table must contain `occurred_at`, so the
//! key does not detect a repeated event with another instant. The writer detects it, under the lock
//! of the session's row (`store::timeline`). All events of a session lie between `first_at` and
//! `last_at`, which limits the partitions to search. `channel` is set on events that contain the
//! origin of a visit.
//!
//! `email_pepper` is the key of the hash of e-mail addresses, encrypted with the master secret.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000016_sales",
    up: UP,
    up_on_sqlite: SQLITE_EVENTS,
    up_on_postgres: POSTGRES_EVENTS,
};

const UP: &str = "
CREATE TABLE email_pepper (
    id BIGINT PRIMARY KEY,
    sealed TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE timeline_sessions (
    id TEXT {bytewise} PRIMARY KEY,
    session TEXT {bytewise} NOT NULL UNIQUE,
    person TEXT {bytewise},
    identified_at BIGINT,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL
);
CREATE INDEX timeline_sessions_person ON timeline_sessions (person) WHERE person IS NOT NULL;
CREATE INDEX timeline_sessions_last ON timeline_sessions (last_at);

CREATE TABLE email_deliveries (
    message_id TEXT {bytewise} NOT NULL,
    position BIGINT NOT NULL,
    person TEXT {bytewise},
    kind TEXT NOT NULL,
    occurred_at BIGINT NOT NULL,
    mail_id TEXT {bytewise} NOT NULL,
    dispatch_id TEXT {bytewise},
    launch TEXT {bytewise},
    bounce_type TEXT,
    link TEXT,
    received_at BIGINT NOT NULL,
    PRIMARY KEY (message_id, position)
);
CREATE INDEX email_deliveries_person ON email_deliveries (person, occurred_at)
    WHERE person IS NOT NULL;
CREATE INDEX email_deliveries_dispatch ON email_deliveries (dispatch_id, kind)
    WHERE dispatch_id IS NOT NULL;

CREATE TABLE purchases (
    store TEXT {bytewise} NOT NULL,
    transaction_id TEXT {bytewise} NOT NULL,
    occurred_at BIGINT NOT NULL,
    status TEXT NOT NULL,
    person TEXT {bytewise},
    severed BIGINT NOT NULL,
    product_id TEXT {bytewise} NOT NULL,
    product TEXT NOT NULL,
    amount_cents BIGINT NOT NULL,
    refunded_cents BIGINT NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    seller TEXT {bytewise},
    launch TEXT {bytewise},
    utm_source TEXT,
    utm_medium TEXT,
    utm_campaign TEXT,
    utm_content TEXT,
    utm_term TEXT,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (store, transaction_id)
);
CREATE INDEX purchases_person ON purchases (person, occurred_at) WHERE person IS NOT NULL;
CREATE INDEX purchases_occurred ON purchases (occurred_at);

CREATE TABLE subscriptions (
    store TEXT {bytewise} NOT NULL,
    subscription_id TEXT {bytewise} NOT NULL,
    plan TEXT {bytewise} NOT NULL,
    status TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    amount_cents BIGINT NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    person TEXT {bytewise},
    severed BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (store, subscription_id)
);
CREATE INDEX subscriptions_person ON subscriptions (person) WHERE person IS NOT NULL;
CREATE INDEX subscriptions_id ON subscriptions (subscription_id);

CREATE TABLE subscription_cancellations (
    id TEXT {bytewise} PRIMARY KEY,
    subscription_id TEXT {bytewise} NOT NULL,
    reason TEXT NOT NULL,
    note TEXT,
    recorded_by TEXT NOT NULL,
    recorded_at BIGINT NOT NULL
);
CREATE INDEX subscription_cancellations_of
    ON subscription_cancellations (subscription_id, recorded_at);

CREATE TABLE ad_spend (
    platform TEXT {bytewise} NOT NULL,
    campaign_id TEXT {bytewise} NOT NULL,
    day TEXT {bytewise} NOT NULL,
    campaign TEXT NOT NULL,
    spend_cents BIGINT NOT NULL,
    impressions BIGINT NOT NULL,
    clicks BIGINT NOT NULL,
    currency TEXT {bytewise} NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (platform, campaign_id, day)
);
CREATE INDEX ad_spend_day ON ad_spend (day);

CREATE TABLE crm_stages (
    id TEXT {bytewise} PRIMARY KEY,
    person TEXT {bytewise},
    stage TEXT {bytewise} NOT NULL,
    occurred_at BIGINT NOT NULL,
    launch TEXT {bytewise},
    updated_at BIGINT NOT NULL
);
CREATE INDEX crm_stages_person ON crm_stages (person) WHERE person IS NOT NULL;
CREATE INDEX crm_stages_launch ON crm_stages (launch, occurred_at);

CREATE TABLE dispatches (
    id TEXT {bytewise} PRIMARY KEY,
    name TEXT NOT NULL,
    channel TEXT NOT NULL,
    sent_at BIGINT NOT NULL,
    sent BIGINT NOT NULL,
    launch TEXT {bytewise},
    updated_at BIGINT NOT NULL
);
CREATE INDEX dispatches_launch ON dispatches (launch, sent_at);

CREATE TABLE sales_sources (
    source TEXT {bytewise} PRIMARY KEY,
    cursor TEXT,
    fresh_until BIGINT,
    finished_at BIGINT,
    rows_read BIGINT NOT NULL,
    rows_written BIGINT NOT NULL,
    error_code TEXT
);
";

const SQLITE_EVENTS: &str = "
CREATE TABLE timeline_events (
    session_id TEXT NOT NULL,
    id TEXT NOT NULL,
    occurred_at BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    person TEXT,
    product TEXT,
    launch TEXT,
    channel TEXT,
    detail TEXT,
    PRIMARY KEY (session_id, id)
) WITHOUT ROWID;
CREATE INDEX timeline_events_occurred ON timeline_events (occurred_at);
CREATE INDEX timeline_events_person ON timeline_events (person, occurred_at)
    WHERE person IS NOT NULL;
";

const POSTGRES_EVENTS: &str = "
CREATE TABLE timeline_events (
    session_id TEXT COLLATE \"C\" NOT NULL,
    id TEXT COLLATE \"C\" NOT NULL,
    occurred_at BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    person TEXT COLLATE \"C\",
    product TEXT COLLATE \"C\",
    launch TEXT COLLATE \"C\",
    channel TEXT,
    detail TEXT,
    PRIMARY KEY (session_id, id, occurred_at)
) PARTITION BY RANGE (occurred_at);
CREATE INDEX timeline_events_occurred ON timeline_events (occurred_at);
CREATE INDEX timeline_events_person ON timeline_events (person, occurred_at)
    WHERE person IS NOT NULL;
";
