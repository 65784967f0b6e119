//! Remarks about e-mail drafts: who sees them, and how a change of the draft updates their places.

use domain::{Anchor, Capability, RemarkId, TemplateId, find_passage};
use gateway::{Context, Principal, Result, offload};
use store::remarks;

/// True if the caller may see threads about e-mail drafts.
pub(crate) fn sees_draft_threads(caller: &Principal) -> bool {
    caller.guest().is_none() && caller.has_capability(Capability::EmailDraftsView)
}

/// Searches the passages of the open threads about a draft in the new HTML of the draft, in the
/// transaction of the change. Empty HTML stands for a deleted draft, which contains no passage.
pub(crate) async fn relocate_passages(
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
