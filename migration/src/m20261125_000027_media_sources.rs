//! The sources of generated images, so that an image can be corrected instead of generated again.
//!
//! A row belongs to its medium and never changes: a corrected image is a new medium. `text` is the
//! text of a card; `prompt` describes an image, or the background of a card. Both are stored as the
//! caller sent them. `photo_id` is the image that the caller chose as background; `background_id`
//! is the background that a provider drew. `page` and `pages` are the page mark of a card; without
//! a page, the medium is a single image.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261125_000027_media_sources",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE media_sources (
    media_id TEXT PRIMARY KEY REFERENCES media (id),
    text TEXT,
    prompt TEXT,
    style TEXT NOT NULL,
    quality TEXT,
    photo_id TEXT REFERENCES media (id),
    background_id TEXT REFERENCES media (id),
    page BIGINT,
    pages BIGINT,
    maker TEXT NOT NULL
);
";
