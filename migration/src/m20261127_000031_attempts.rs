//! Counts of attempts that are limited for all instances together, such as failed sign-ins.
//!
//! `subject` is a keyed hash of what is counted. `made` counts the attempts since `since`, the
//! first one of the window.

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
