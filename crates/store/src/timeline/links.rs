//! Visits by the link of a post, which names the post in `utm_content` and its channel in `utm_source`.

use std::collections::HashMap;

use domain::time::Millis;
use sea_orm::Value;

use crate::{Conn, Result, turns::is_postgres};

/// The expression of the index `timeline_events_content`, and its condition.
const ON_SQLITE: (&str, &str, &str) = (
    "substr(substr(detail, instr(detail, '\"utm_content\":\"') + 15), 1,
        instr(substr(detail, instr(detail, '\"utm_content\":\"') + 15), '\"') - 1)",
    "instr(detail, '\"utm_content\":\"') > 0",
    "instr",
);
const ON_POSTGRES: (&str, &str, &str) = (
    "substring(detail FROM '\"utm_content\":\"([^\"]*)\"')",
    "strpos(detail, '\"utm_content\":\"') > 0",
    "strpos",
);

/// Counts the sessions since an instant that came by a link of this channel, for each of these values of
/// `utm_content`. Values without a visit are missing.
pub async fn count_link_visits(
    db: &Conn<'_>,
    channel: &str,
    contents: &[String],
    since: Millis,
) -> Result<HashMap<String, i64>> {
    if contents.is_empty() {
        return Ok(HashMap::new());
    }
    let (content, condition, find) = match is_postgres(db) {
        true => ON_POSTGRES,
        false => ON_SQLITE,
    };
    let places: Vec<String> = (3..contents.len() + 3)
        .map(|number| format!("${number}"))
        .collect();
    let sql = format!(
        "SELECT {content} AS content, count(DISTINCT session_id) AS visits FROM timeline_events
         WHERE {condition} AND {content} IN ({}) AND occurred_at >= $1 AND {find}(detail, $2) > 0
         GROUP BY {content}",
        places.join(", ")
    );
    let source: Value = format!("\"utm_source\":\"{channel}\"").into();
    let values = [since.into(), source].into_iter();
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
