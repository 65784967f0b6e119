//! Drops the index on the last event of a session, because every new event had to update it. Old
//! sessions are now deleted in the order of their ids, which is also the order of their arrival.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261123_000022_sessions_by_id",
    up: "DROP INDEX timeline_sessions_last;",
    ..Plain::EMPTY
};
