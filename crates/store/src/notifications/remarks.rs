//! The remarks that notifications are about.

use std::collections::HashSet;

use domain::RemarkId;

use crate::{Bind, Conn, Result};

/// Those of these remarks that were not removed and, unless `with_drafts`, are not about an e-mail draft.
pub async fn find_shown_remarks(
    db: &Conn<'_>,
    ids: &HashSet<RemarkId>,
    with_drafts: bool,
) -> Result<HashSet<RemarkId>> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let places: Vec<String> = (1..=ids.len()).map(|n| format!("${n}")).collect();
    let only = match with_drafts {
        true => "",
        false => "AND template_id IS NULL",
    };
    let sql = format!(
        "SELECT id FROM remarks WHERE id IN ({}) AND removed_at IS NULL {only}",
        places.join(", ")
    );
    let rows = db.fetch_all(&sql, ids.iter().map(Bind::value)).await?;
    let shown = rows.iter().map(|row| row.try_get("", "id"));
    Ok(shown.collect::<Result<_, _>>()?)
}
