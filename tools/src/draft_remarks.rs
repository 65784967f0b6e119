//! The remarks about a draft of an e-mail: who sees them, and what becomes of them when the draft
//! changes.

use domain::{Anchor, Capability, RemarkId, TemplateId, find_passage};
use gateway::{Context, Principal, Result, offload};
use store::remarks;

/// True if the caller may see threads about e-mail drafts.
pub(crate) fn sees_draft_threads(caller: &Principal) -> bool {
    caller.guest().is_none() && caller.has_capability(Capability::EmailDraftsView)
}

/// Finds the passages of the open threads about a draft again in its new HTML, in the transaction of
/// the change. Empty HTML, of a deleted draft, has none of them.
pub(crate) async fn find_passages_again(
    ctx: &Context<'_>,
    template_id: &TemplateId,
    html: &str,
) -> Result<()> {
    let db = ctx.db();
    let passages = remarks::list_passages(&db, template_id).await?;
    if passages.is_empty() {
        return Ok(());
    }
    let html = html.to_owned();
    let moved = offload(move || -> Result<Vec<(RemarkId, Option<i64>)>> {
        let mut moved = vec![];
        for one in passages {
            let Anchor::Email {
                trecho, posicao, ..
            } = serde_json::from_str(&one.anchor)?
            else {
                continue;
            };
            let place = find_passage(&html, &trecho, posicao);
            let place = place.and_then(|place| i64::try_from(place).ok());
            if place != one.passage_at {
                moved.push((one.id, place));
            }
        }
        Ok(moved)
    });
    Ok(remarks::set_passages(&db, moved.await??).await?)
}
