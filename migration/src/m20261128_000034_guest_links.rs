//! Links with which guests read pieces, write remarks on them, or approve and refuse them.
//!
//! `secret_sha256` is the hash of the secret in the link, and `code_mac` the keyed hash of the code that
//! the link asks for. `member_id` is the member who created the link; the guest acts in the name of this
//! member. A link is either for the pieces in `guest_link_events`, or for the pieces of a project that
//! are due in a month (`YYYY-MM`). `for_guests` is equal on all remarks of a thread. A remark with a
//! `guest_link_id` was written by the guest of that link.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000034_guest_links",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
CREATE TABLE guest_links (
    id TEXT {bytewise} NOT NULL PRIMARY KEY,
    secret_sha256 TEXT {bytewise} NOT NULL UNIQUE,
    guest_name TEXT NOT NULL,
    contact TEXT NOT NULL,
    guest_right TEXT NOT NULL,
    code_mac TEXT,
    project_id TEXT REFERENCES projects (id),
    month TEXT,
    member_id TEXT NOT NULL REFERENCES members (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    opened_at BIGINT,
    revoked_at BIGINT,
    revoked_by TEXT REFERENCES members (id)
);

CREATE TABLE guest_link_events (
    link_id TEXT {bytewise} NOT NULL REFERENCES guest_links (id),
    event_id TEXT NOT NULL REFERENCES events (id),
    PRIMARY KEY (link_id, event_id)
);

CREATE INDEX guest_link_events_by_event ON guest_link_events (event_id, link_id);

ALTER TABLE remarks ADD COLUMN for_guests BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE remarks ADD COLUMN guest_link_id TEXT REFERENCES guest_links (id);
";
