//! An index of the visits that came by a link with `utm_content`, so that those of a post are counted
//! without reading all visits. Visits by other links have no entry.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261129_000053_link_visits",
    up_on_sqlite: SQLITE,
    up_on_postgres: POSTGRES,
    ..Plain::EMPTY
};

const SQLITE: &str = "
CREATE INDEX timeline_events_content ON timeline_events (
    substr(substr(detail, instr(detail, '\"utm_content\":\"') + 15), 1,
        instr(substr(detail, instr(detail, '\"utm_content\":\"') + 15), '\"') - 1),
    occurred_at
) WHERE instr(detail, '\"utm_content\":\"') > 0;
";

const POSTGRES: &str = "
CREATE INDEX timeline_events_content ON timeline_events (
    substring(detail FROM '\"utm_content\":\"([^\"]*)\"'), occurred_at
) WHERE strpos(detail, '\"utm_content\":\"') > 0;
";
