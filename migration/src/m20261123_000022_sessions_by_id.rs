//! Sessions are now deleted in the order of their ids, which is the order of arrival. The dropped
//! index on their last event had to be updated with every event.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261123_000022_sessions_by_id",
    up: "DROP INDEX timeline_sessions_last;",
    ..Plain::EMPTY
};
