//! What an embedding model made of the chunks of the knowledge base.
//!
//! A vector belongs to a content, by its SHA-256, and not to a chunk: it outlives a document that is
//! added again. It is base64 of one signed byte for each dimension; empty for a text that the model
//! refuses. The one row of `knowledge_embedding` says who is at work until when, and counts the
//! changes, by which the instances know that there is something to load.

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
