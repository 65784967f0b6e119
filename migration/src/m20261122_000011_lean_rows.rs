//! Narrower rows, which contain only columns that are read together.
//!
//! The searchable text moves out of the events, so that reading an event does not read it. Attached
//! media get their media type, so that a list of events does not join media. On SQLite, tables with
//! short rows and a text key become `WITHOUT ROWID`.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000011_lean_rows",
    up: UP,
    up_on_sqlite: UP_ON_SQLITE,
    up_on_postgres: UP_ON_POSTGRES,
};

const UP: &str = "
CREATE TABLE event_texts (
    event_id TEXT PRIMARY KEY REFERENCES events (id),
    searched TEXT NOT NULL
);
INSERT INTO event_texts (event_id, searched) SELECT id, search_text FROM events;
ALTER TABLE events DROP COLUMN search_text;
CREATE INDEX events_channel ON events (channel, agenda_at, id);
";

const UP_ON_SQLITE: &str = "
CREATE TABLE event_media_new (
    event_id TEXT NOT NULL REFERENCES events (id),
    media_id TEXT NOT NULL REFERENCES media (id),
    slide_index BIGINT NOT NULL,
    kind TEXT NOT NULL,
    alt TEXT,
    media_type TEXT NOT NULL,
    PRIMARY KEY (event_id, media_id)
) WITHOUT ROWID;
INSERT INTO event_media_new (event_id, media_id, slide_index, kind, alt, media_type)
    SELECT x.event_id, x.media_id, x.slide_index, x.kind, x.alt, f.media_type
    FROM event_media x JOIN media f ON f.id = x.media_id
    ORDER BY x.event_id, x.media_id;
DROP TABLE event_media;
ALTER TABLE event_media_new RENAME TO event_media;
CREATE INDEX event_media_media ON event_media (media_id, event_id);

CREATE TABLE event_assignees_new (
    event_id TEXT NOT NULL REFERENCES events (id),
    member_id TEXT NOT NULL REFERENCES members (id),
    position BIGINT NOT NULL,
    PRIMARY KEY (event_id, member_id)
) WITHOUT ROWID;
INSERT INTO event_assignees_new (event_id, member_id, position)
    SELECT event_id, member_id, position FROM event_assignees ORDER BY event_id, member_id;
DROP TABLE event_assignees;
ALTER TABLE event_assignees_new RENAME TO event_assignees;
CREATE INDEX event_assignees_member ON event_assignees (member_id, event_id);

PRAGMA defer_foreign_keys = ON;
CREATE TABLE members_kept AS SELECT * FROM members;
DROP TABLE members;
CREATE TABLE members (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    api_access_level TEXT NOT NULL,
    financeiro BOOLEAN NOT NULL,
    active BOOLEAN NOT NULL,
    cleanup_pending BOOLEAN NOT NULL,
    sessions_valid_after BIGINT NOT NULL,
    created_at BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO members SELECT * FROM members_kept;
DROP TABLE members_kept;
";

const UP_ON_POSTGRES: &str = "
ALTER TABLE event_media ADD COLUMN media_type TEXT;
UPDATE event_media SET media_type = f.media_type FROM media f WHERE f.id = event_media.media_id;
ALTER TABLE event_media ALTER COLUMN media_type SET NOT NULL;
";
