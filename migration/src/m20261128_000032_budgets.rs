//! Daily limits of personal tokens and connected agents, and their use per day.
//!
//! `credential_id` is the id of a personal token or of an agent. `day` is a day in Brasília as
//! `YYYY-MM-DD`. In `credential_budgets`, NULL means no limit.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000032_budgets",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE credential_budgets (
    credential_id TEXT {bytewise} NOT NULL PRIMARY KEY,
    daily_calls BIGINT,
    daily_pictures BIGINT
);

CREATE TABLE credential_use (
    credential_id TEXT {bytewise} NOT NULL,
    day TEXT {bytewise} NOT NULL,
    calls BIGINT NOT NULL,
    pictures BIGINT NOT NULL,
    PRIMARY KEY (credential_id, day)
);

CREATE INDEX credential_use_by_day ON credential_use (day);
";
