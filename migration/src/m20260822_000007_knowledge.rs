//! The knowledge base: documents, their chunks and the search indexes.
//!
//! The service computes the stems, in ASCII, so that FTS5 and `tsvector` contain the same words.
//! `knowledge_terms` counts the chunks of each stem, and `knowledge_totals` all chunks of the base.
//! Ranking needs both, and neither database can compute them cheaply. The single row of totals also
//! numbers the chunks and serialises the writers.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20260822_000007_knowledge",
    up: UP,
    up_on_sqlite: SQLITE_INDEX,
    up_on_postgres: POSTGRES_INDEX,
};

const UP: &str = "
CREATE TABLE knowledge_totals (
    id BIGINT PRIMARY KEY,
    chunks BIGINT NOT NULL,
    words BIGINT NOT NULL,
    last_seq BIGINT NOT NULL
);
INSERT INTO knowledge_totals (id, chunks, words, last_seq) VALUES (1, 0, 0, 0);

CREATE TABLE knowledge_documents (
    id TEXT PRIMARY KEY,
    source TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    characters BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX knowledge_documents_sha256 ON knowledge_documents (sha256);

CREATE TABLE knowledge_tags (
    document_id TEXT NOT NULL REFERENCES knowledge_documents (id),
    tag TEXT NOT NULL,
    PRIMARY KEY (document_id, tag)
);

CREATE TABLE knowledge_chunks (
    seq BIGINT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    document_id TEXT NOT NULL REFERENCES knowledge_documents (id),
    position BIGINT NOT NULL,
    starts_at BIGINT NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    title_terms TEXT NOT NULL,
    terms TEXT NOT NULL
);
CREATE INDEX knowledge_chunks_document ON knowledge_chunks (document_id, position);

CREATE TABLE knowledge_terms (
    term TEXT {bytewise} PRIMARY KEY,
    chunks BIGINT NOT NULL
);
";

const SQLITE_INDEX: &str = "
CREATE VIRTUAL TABLE knowledge_index USING fts5(
    title_terms, terms, content = '', contentless_delete = 1, tokenize = 'ascii'
);
";

const POSTGRES_INDEX: &str = "
CREATE TABLE knowledge_index (rowid BIGINT PRIMARY KEY, terms TSVECTOR NOT NULL);
CREATE INDEX knowledge_index_terms ON knowledge_index USING GIN (terms);
";
