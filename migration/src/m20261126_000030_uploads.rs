//! Uploads by a signed link, and the source URLs of imported media.
//!
//! A row of `uploads` is one link: the member and the credential that requested it (`credential` is a
//! reference without a secret), the type and size of the file if they were announced, and the target of
//! the file (`placement`). `received` counts the bytes that have arrived in parts. Each part is a stored
//! content with a row in `upload_parts`. `media_id` is NULL until the file is stored. `media.source_url`
//! is the URL of an imported file without its query, because a query may contain a credential.

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
