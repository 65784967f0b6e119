//! Tables and indexes for reading the agenda: the events of each member, and the text of all
//! events.
//!
//! `event_people` has a row for each member who created an event or is assigned to it, with the columns
//! that the member's lists filter and sort by. `event_index` contains the terms of `event_texts`, by
//! `event_texts.number`. A job fills the index: a text is `pending` from its change until it is indexed,
//! and gets its number when it is first indexed. `events_open` skips published and archived events, and
//! `media_creator` finds the media of a member who may see only few media.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261124_000024_agenda_search",
    up: UP,
    up_on_sqlite: UP_ON_SQLITE,
    up_on_postgres: UP_ON_POSTGRES,
};

const UP: &str = "
ALTER TABLE event_texts ADD COLUMN pending BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE event_texts ADD COLUMN number BIGINT;
CREATE UNIQUE INDEX event_texts_number ON event_texts (number);
CREATE INDEX event_texts_pending ON event_texts (event_id) WHERE pending;

CREATE TABLE event_people (
    event_id TEXT NOT NULL REFERENCES events (id),
    member_id TEXT NOT NULL REFERENCES members (id),
    agenda_at BIGINT NOT NULL,
    is_open BOOLEAN NOT NULL,
    is_assigned BOOLEAN NOT NULL,
    PRIMARY KEY (event_id, member_id)
);
INSERT INTO event_people (event_id, member_id, agenda_at, is_open, is_assigned)
    SELECT p.event_id, p.member_id, e.agenda_at, e.status NOT IN ('publicado', 'arquivado'),
        p.is_assigned
    FROM (SELECT id AS event_id, created_by AS member_id, EXISTS (
            SELECT 1 FROM event_assignees a
            WHERE a.event_id = events.id AND a.member_id = events.created_by) AS is_assigned
        FROM events
        UNION ALL SELECT a.event_id, a.member_id, TRUE
        FROM event_assignees a JOIN events c ON c.id = a.event_id
        WHERE a.member_id <> c.created_by) p
    JOIN events e ON e.id = p.event_id
    ORDER BY p.event_id, p.member_id;
CREATE INDEX event_people_agenda ON event_people (member_id, agenda_at, event_id);
CREATE INDEX event_people_open ON event_people (member_id, agenda_at, event_id) WHERE is_open;
CREATE INDEX events_open ON events (agenda_at, id) WHERE status NOT IN ('publicado', 'arquivado');
CREATE INDEX media_creator ON media (created_by);
";

const UP_ON_SQLITE: &str = "
CREATE VIRTUAL TABLE event_index USING fts5(
    terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
";

const UP_ON_POSTGRES: &str = "
CREATE TABLE event_index (rowid BIGINT PRIMARY KEY, terms TSVECTOR NOT NULL);
ALTER TABLE event_index ALTER COLUMN terms SET STORAGE MAIN;
CREATE INDEX event_index_terms ON event_index USING GIN (terms)
    WITH (gin_pending_list_limit = 1024);
";
