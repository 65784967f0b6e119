//! Visits through the link of a post. The link names the post in `utm_content` and the channel in
//! `utm_source`.

use std::collections::HashMap;

use domain::time::Millis;

use crate::{Conn, Result, turns::is_postgres};

/// The SQL expressions of `utm_content` and `utm_source`. The index `timeline_events_content` has the
/// first expression.
const ON_SQLITE: (&str, &str) = (
    "json_extract(detail, '$.utm_content')",
    "json_extract(detail, '$.utm_source')",
);
const ON_POSTGRES: (&str, &str) = (
    "(CAST(detail AS JSONB) ->> 'utm_content')",
    "(CAST(detail AS JSONB) ->> 'utm_source')",
);

/// Counts the sessions with a visit since an instant through a link of this channel, for each of these
/// values of `utm_content`. Values without a visit are missing.
pub async fn count_link_visits(
    db: &Conn<'_>,
    channel: &str,
    contents: &[String],
    since: Millis,
) -> Result<HashMap<String, i64>> {
    if contents.is_empty() {
        return Ok(HashMap::new());
    }
    let (content, source) = match is_postgres(db) {
        true => ON_POSTGRES,
        false => ON_SQLITE,
    };
    let places: Vec<String> = (3..contents.len() + 3)
        .map(|number| format!("${number}"))
        .collect();
    let sql = format!(
        "SELECT {content} AS content, count(DISTINCT session_id) AS visits FROM timeline_events
         WHERE {content} IS NOT NULL AND {content} IN ({}) AND occurred_at >= $1 AND {source} = $2
         GROUP BY {content}",
        places.join(", ")
    );
    let values = [since.into(), channel.into()].into_iter();
    let values = values.chain(contents.iter().map(|content| content.as_str().into()));
    let rows = db.fetch_all(&sql, values).await?;
    let counts = rows
        .iter()
        .map(|row| Ok((row.try_get("", "content")?, row.try_get("", "visits")?)));
    counts.collect()
}

/// True if a site has reported any event since an instant.
pub async fn has_events_since(db: &Conn<'_>, since: Millis) -> Result<bool> {
    let sql = "SELECT 1 FROM timeline_events WHERE occurred_at >= $1 LIMIT 1";
    Ok(db.fetch_one(sql, [since.into()]).await?.is_some())
}
