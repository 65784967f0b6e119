//! Publications on accounts of social networks, rate limits of providers, and derived media.
//!
//! `state` is `submitting`, `uploading`, `processing`, `published`, `failed` or `unknown`. `guard`
//! identifies what is published: at most one publication per guard is `open`. A publication with
//! unknown outcome stays open until a person has checked it. A successful publication of media
//! without an event stays open until the media may be published again. `finishing` becomes 1 just
//! before the last chunk of a video is sent.
//!
//! `provider_rates.calls` lists the instants of the last calls to a provider, as JSON.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261122_000014_publications",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE publications (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    open BIGINT NOT NULL,
    guard TEXT NOT NULL,
    account_id TEXT NOT NULL,
    event_id TEXT REFERENCES events (id),
    post TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    uploaded BIGINT NOT NULL,
    finishing BIGINT NOT NULL,
    polls BIGINT NOT NULL,
    publish_id TEXT,
    post_id TEXT,
    code TEXT,
    provider_code TEXT,
    created_by TEXT NOT NULL REFERENCES members (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    finished_at BIGINT
);
CREATE UNIQUE INDEX publications_open ON publications (guard) WHERE open = 1;
CREATE INDEX publications_time ON publications (created_at, id);
CREATE INDEX publications_event ON publications (event_id);

CREATE TABLE provider_rates (
    name TEXT PRIMARY KEY,
    calls TEXT NOT NULL,
    held_until BIGINT NOT NULL
);

CREATE TABLE derived_media (
    source_id TEXT NOT NULL REFERENCES media (id),
    purpose TEXT NOT NULL,
    media_id TEXT NOT NULL UNIQUE REFERENCES media (id),
    PRIMARY KEY (source_id, purpose)
);
";
