//! Embeddings of the chunks of the knowledge base.
//!
//! A vector is stored under the SHA-256 of its text and not under a chunk id, so it is kept when a
//! document is added again. The vector is base64 of one signed byte per dimension, and empty for a text
//! that the model refuses. The single row of `knowledge_embedding` contains the current worker with its
//! lease, and a counter of changes. Instances reload when the counter has changed.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261121_000008_vectors",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE knowledge_vectors (
    sha256 TEXT NOT NULL,
    model TEXT NOT NULL,
    dimensions BIGINT NOT NULL,
    vector TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (sha256, model, dimensions)
);

CREATE TABLE knowledge_embedding (
    id BIGINT PRIMARY KEY,
    lease_until BIGINT NOT NULL,
    version BIGINT NOT NULL
);
INSERT INTO knowledge_embedding (id, lease_until, version) VALUES (1, 0, 0);
";
