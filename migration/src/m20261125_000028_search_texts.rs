//! The texts of the search over everything, except those of events and of the knowledge base.
//!
//! `search_texts` has a row for each project, e-mail draft and medium. The first line of `text` is the
//! title. `text` is NULL for a resource that existed before this migration, until a job reads the text
//! from the resource. `search_index` contains the terms of the texts, by `search_texts.number`, and is
//! filled like `event_index`. All events become `pending` again, because this version indexes more terms
//! for each event.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261125_000028_search_texts",
    up: UP,
    up_on_sqlite: UP_ON_SQLITE,
    up_on_postgres: UP_ON_POSTGRES,
};

const UP: &str = "
CREATE TABLE search_texts (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    text TEXT,
    pending BOOLEAN NOT NULL,
    number BIGINT,
    PRIMARY KEY (kind, id)
);
INSERT INTO search_texts (kind, id, changed_at, pending)
    SELECT 'projeto', id, updated_at, TRUE FROM projects ORDER BY id;
INSERT INTO search_texts (kind, id, changed_at, pending)
    SELECT 'email', template_id, updated_at, TRUE FROM email_drafts
    WHERE html_length IS NOT NULL ORDER BY template_id;
INSERT INTO search_texts (kind, id, changed_at, pending)
    SELECT 'midia', id, created_at, TRUE FROM media ORDER BY id;
CREATE UNIQUE INDEX search_texts_number ON search_texts (number);
CREATE INDEX search_texts_time ON search_texts (kind, changed_at, id);
CREATE INDEX search_texts_pending ON search_texts (kind, id) WHERE pending;
UPDATE event_texts SET pending = TRUE;
";

const UP_ON_SQLITE: &str = "
CREATE VIRTUAL TABLE search_index USING fts5(
    terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
";

const UP_ON_POSTGRES: &str = "
CREATE TABLE search_index (rowid BIGINT PRIMARY KEY, terms TSVECTOR NOT NULL);
ALTER TABLE search_index ALTER COLUMN terms SET STORAGE MAIN;
CREATE INDEX search_index_terms ON search_index USING GIN (terms)
    WITH (gin_pending_list_limit = 1024);
";
