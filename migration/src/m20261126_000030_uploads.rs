//! Uploads by a signed link, and where an imported medium came from.
//!
//! A row of `uploads` is one link: who asked for it, with which credential (`credential`, a
//! reference without a secret), for which file (type and size, if announced), and where the file goes (`placement`). `received`
//! counts the bytes that arrived in parts; the parts themselves are contents of the storage,
//! one row of `upload_parts` each. `media_id` is NULL until the file is stored. `media.source_url` is the URL of
//! an imported file without its query, which may hold a credential.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261126_000030_uploads",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
ALTER TABLE media ADD COLUMN source_url TEXT;

CREATE TABLE uploads (
    id TEXT {bytewise} NOT NULL PRIMARY KEY,
    member_id TEXT NOT NULL REFERENCES members (id),
    credential TEXT NOT NULL,
    placement TEXT NOT NULL,
    media_type TEXT,
    bytes BIGINT,
    received BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    media_id TEXT REFERENCES media (id)
);

CREATE INDEX uploads_by_expiry ON uploads (expires_at);

CREATE TABLE upload_parts (
    upload_id TEXT {bytewise} NOT NULL REFERENCES uploads (id),
    starts_at BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    sha256 TEXT {bytewise} NOT NULL,
    PRIMARY KEY (upload_id, starts_at)
);

CREATE INDEX upload_parts_by_content ON upload_parts (sha256);
";
