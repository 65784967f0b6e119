//! An index of the visits through links with `utm_content`. It allows counting the visits of a post
//! without reading all visits. Visits without `utm_content` have no entry.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261129_000053_link_visits",
    up_on_sqlite: SQLITE,
    up_on_postgres: POSTGRES,
    ..Plain::EMPTY
};

const SQLITE: &str = "
CREATE INDEX timeline_events_content ON timeline_events (
    json_extract(detail, '$.utm_content'), occurred_at
) WHERE json_extract(detail, '$.utm_content') IS NOT NULL;
";

const POSTGRES: &str = "
CREATE INDEX timeline_events_content ON timeline_events (
    (CAST(detail AS JSONB) ->> 'utm_content'), occurred_at
) WHERE (CAST(detail AS JSONB) ->> 'utm_content') IS NOT NULL;
";
