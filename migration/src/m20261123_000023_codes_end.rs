//! Unused codes end with the session in which they were authorized, and with the access of their
//! member. A code may replace an earlier agent of the same client. The use of an access token is no
//! longer recorded.

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
