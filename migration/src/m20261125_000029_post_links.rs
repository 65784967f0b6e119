//! The link of a published post. It is NULL until it is recorded after a manual publication.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261125_000029_post_links",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "ALTER TABLE events ADD COLUMN post_url TEXT;";
