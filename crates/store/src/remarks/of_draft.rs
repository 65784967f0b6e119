//! Threads about passages of an e-mail draft.

use std::iter;

use super::lock_by_ids;
use crate::{Bind, Conn, Result, columns};
use domain::{RemarkId, TemplateId};

/// The passage of an e-mail draft that an open thread is about.
#[derive(Debug)]
pub struct Passage {
    pub id: RemarkId,
    /// The anchor of the thread, as JSON.
    pub anchor: String,
    /// Where the passage begins in the draft; `None` if the draft does not contain the passage.
    pub passage_at: Option<i64>,
}

columns!(Passage {
    id,
    anchor,
    passage_at,
});

/// Lists the passages of the open threads about a draft.
pub async fn list_passages(db: &Conn<'_>, template_id: &TemplateId) -> Result<Vec<Passage>> {
    let sql = "SELECT id, anchor, passage_at FROM remarks
        WHERE template_id = $1 AND id = thread_id AND resolved_at IS NULL
          AND anchor IS NOT NULL ORDER BY id";
    let rows = db.fetch_all(sql, [template_id.value()]).await?;
    Ok(rows
        .iter()
        .map(crate::Row::read)
        .collect::<Result<_, _>>()?)
}

/// Stores where these passages begin in the current draft.
pub async fn set_passages(
    db: &Conn<'_>,
    places: impl IntoIterator<Item = (RemarkId, Option<i64>)>,
) -> Result<()> {
    let (mut cases, mut ids, mut values) = (String::new(), vec![], vec![]);
    let mut changed = vec![];
    for (id, at) in places {
        changed.push(id.value());
        values.extend([id.value(), at.into()]);
        let (id, at) = (values.len() - 1, values.len());
        cases.push_str(&format!(" WHEN ${id} THEN CAST(${at} AS BIGINT)"));
        ids.push(format!("${id}"));
    }
    if values.is_empty() {
        return Ok(());
    }
    lock_by_ids(db, &changed).await?;
    let sql = format!(
        "UPDATE remarks SET passage_at = CASE id{cases} END WHERE id IN ({})",
        ids.join(", ")
    );
    Ok(db.run_later(&sql, values).await?)
}

/// Counts the open threads about a draft.
pub async fn count_open_of_draft(db: &Conn<'_>, template_id: &TemplateId) -> Result<i64> {
    let sql = "SELECT count(*) AS n FROM remarks
        WHERE template_id = $1 AND id = thread_id AND resolved_at IS NULL";
    let row = db.fetch_one(sql, iter::once(template_id.value())).await?;
    Ok(row
        .map(|row| row.try_get("", "n"))
        .transpose()?
        .unwrap_or(0))
}
