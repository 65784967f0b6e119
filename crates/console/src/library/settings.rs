//! Reads the versions of one configuration key.

use gateway::Result;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::view::View;

/// The number of versions that one call reads, which is small because a value may be long.
pub(super) const ROUND: i64 = 20;
/// The maximum number of calls for one page.
pub(super) const ROUNDS: usize = 10;

#[derive(Deserialize)]
struct History {
    log: Vec<Version>,
    next_cursor: Option<String>,
}

/// A version of a key.
#[derive(Deserialize)]
pub(super) struct Version {
    pub version: i64,
    pub value: Value,
    pub updated_at: String,
    pub updated_by_name: Option<String>,
}

/// Reads the current version of a key.
pub(super) async fn read_current_version(view: &View<'_>, key: &str) -> Result<Option<Version>> {
    let input = json!({ "key": key, "limit": 1 });
    let answer: History = view.read("list_config_history", input).await?;
    Ok(answer.log.into_iter().next())
}

/// Reads the versions from the newest back to `oldest`. Also returns true if older versions exist.
pub(super) async fn read_versions(
    view: &View<'_>,
    key: &str,
    oldest: i64,
) -> Result<(Vec<Version>, bool)> {
    let (mut all, mut cursor): (Vec<Version>, Option<String>) = (vec![], None);
    for _ in 0..ROUNDS {
        let input = json!({ "key": key, "limit": ROUND, "cursor": cursor });
        let answer: History = view.read("list_config_history", input).await?;
        all.extend(answer.log);
        cursor = answer.next_cursor;
        let reached = all.last().is_none_or(|last| last.version <= oldest);
        if reached || cursor.is_none() {
            break;
        }
    }
    Ok((all, cursor.is_some()))
}
