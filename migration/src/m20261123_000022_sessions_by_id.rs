//! Sessions end in the order of their ids, which is that of their first arrival. An index of their last
//! event changed with every event.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261123_000022_sessions_by_id",
    up: "DROP INDEX timeline_sessions_last;",
    ..Plain::EMPTY
};
