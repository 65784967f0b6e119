//! Counts of attempts that are limited across all instances, such as failed sign-ins.
//!
//! `subject` is a keyed hash of the limited object, for example of an e-mail address. `made` counts the
//! attempts since `since`, which is the time of the first attempt in the window.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261127_000031_attempts",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE attempts (
    subject TEXT {bytewise} NOT NULL PRIMARY KEY,
    since BIGINT NOT NULL,
    made BIGINT NOT NULL
);

CREATE INDEX attempts_by_since ON attempts (since);
";
