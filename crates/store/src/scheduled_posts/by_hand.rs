//! Posts of variants that a person published by hand.

use domain::{MemberId, PublicationId, time::Millis, variant::Variant};

use super::{WITHDRAWN, guard};
use crate::{Bind, Conn, Result};

/// A post that a person published by hand.
#[derive(Debug)]
pub struct HandPost<'a> {
    pub variant: &'a Variant,
    /// The whole post, as JSON.
    pub post: &'a str,
    /// The address of the post; networks such as WhatsApp have none.
    pub link: Option<&'a str>,
    pub posted_by: &'a MemberId,
}

/// The outcome of [`record_by_hand`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    Stored,
    /// The link was replaced. Contains the previous link.
    Corrected(Option<String>),
    /// The post was already recorded, and its link has not changed.
    Unchanged,
    /// The service is publishing this variant at this moment.
    Busy,
}

/// Records that a person has published a variant. If the variant is already published, replaces the
/// link. If its publication is `unknown` or `late`, marks that publication as published. Otherwise
/// cancels a waiting publication and inserts a published one.
///
/// The caller must have locked the piece, so that no other post of the variant is recorded meanwhile.
pub async fn record_by_hand(db: &Conn<'_>, new: HandPost<'_>, now: Millis) -> Result<Recorded> {
    let guard = guard(new.variant);
    let link = new.link.map(str::to_owned);
    let event_id = &new.variant.event_id;
    let sql = "SELECT link FROM publications
        WHERE event_id = $1 AND guard = $2 AND state = 'published'";
    let values = [event_id.value(), guard.as_str().into()];
    if let Some(row) = db.fetch_one(sql, values).await? {
        let stored: Option<String> = row.try_get("", "link")?;
        if link.is_none() || link == stored {
            return Ok(Recorded::Unchanged);
        }
        let sql = "UPDATE publications SET link = $3, updated_at = $4
            WHERE event_id = $1 AND guard = $2 AND state = 'published'";
        let values = [event_id.value(), guard.into(), link.into(), now.into()];
        db.run(sql, values).await?;
        return Ok(Recorded::Corrected(stored));
    }
    let sql = "UPDATE publications SET state = 'published', link = coalesce($2, link), open = 0,
            followed = 1, code = NULL, provider_code = NULL, finished_at = $3, updated_at = $3
        WHERE guard = $1 AND open = 1 AND state IN ('unknown', 'late')";
    let values = [guard.as_str().into(), link.clone().into(), now.into()];
    if db.run(sql, values).await? > 0 {
        return Ok(Recorded::Stored);
    }
    let sql = "UPDATE publications SET state = 'canceled', open = 0, code = $2, updated_at = $3,
            finished_at = $3
        WHERE guard = $1 AND open = 1 AND state IN ('scheduled', 'preparing', 'ready')";
    db.run(sql, [guard.as_str().into(), WITHDRAWN.into(), now.into()])
        .await?;
    let sql = "INSERT INTO publications (id, network, kind, state, open, guard, account_id,
            event_id, variant_id, variant_revision, due_at, post, link, bytes, uploaded, finishing,
            polls, comment_state, followed, created_by, created_at, updated_at, finished_at)
        SELECT $1, $2, $3, 'published', 0, $4, '', $5, $6, $7, CAST($8 AS BIGINT), $9, $10, 0, 0, 0, 0,
            'absent', 1, $11, CAST($8 AS BIGINT), CAST($8 AS BIGINT), CAST($8 AS BIGINT)
        WHERE NOT EXISTS (SELECT 1 FROM publications o WHERE o.guard = $4 AND o.open = 1)";
    let variant = new.variant;
    let values = [
        PublicationId::new(now).value(),
        variant.channel.as_str().into(),
        variant.format.as_str().into(),
        guard.into(),
        variant.event_id.value(),
        variant.id.value(),
        variant.revision.value(),
        now.into(),
        new.post.into(),
        link.into(),
        new.posted_by.value(),
    ];
    Ok(match db.run(sql, values).await? {
        1 => Recorded::Stored,
        _ => Recorded::Busy,
    })
}
