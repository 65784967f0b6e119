//! The results of published posts.
//!
//! A row is one reading of the figures of a publication. `age` is the time between publication and
//! reading (`1h`, `24h`, `7d`, `30d`). `due_at` is when the reading was due, and `read_at` when the
//! network returned the figures. Until then, `code` is the error of the last attempt and `retry_at` the
//! time of the next one. A figure that the network does not report is NULL, not 0.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000046_post_results",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE post_results (
    publication_id TEXT NOT NULL REFERENCES publications (id),
    age TEXT {bytewise} NOT NULL,
    due_at BIGINT NOT NULL,
    read_at BIGINT,
    retry_at BIGINT,
    attempts BIGINT NOT NULL,
    code TEXT,
    reach BIGINT,
    views BIGINT,
    likes BIGINT,
    comments BIGINT,
    shares BIGINT,
    saves BIGINT,
    clicks BIGINT,
    PRIMARY KEY (publication_id, age)
);
CREATE INDEX publications_results ON publications (finished_at, id)
    WHERE variant_id IS NOT NULL AND state = 'published' AND post_id IS NOT NULL;
";
