//! Columns and indexes that find the unused authorization codes of a session or a member. These
//! codes are deleted when the session ends or the member loses access. A code may replace an
//! existing agent of the same client (`replaces`). The first use of an access token is no longer
//! recorded.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261123_000023_codes_end",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
ALTER TABLE oauth_codes ADD COLUMN family_id TEXT;
ALTER TABLE oauth_codes ADD COLUMN replaces TEXT;
CREATE INDEX oauth_codes_unused ON oauth_codes (member_id) WHERE used_at IS NULL;
CREATE INDEX oauth_codes_family ON oauth_codes (family_id) WHERE used_at IS NULL;
ALTER TABLE agent_access_tokens DROP COLUMN first_used_at;
";
