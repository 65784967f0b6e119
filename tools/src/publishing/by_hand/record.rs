//! Records posts that a person published.

use domain::{Event, PostState, reminder_subject, variant::Variant};
use gateway::{Context, Error, Result};
use serde_json::{Map, Value, json};
use store::{
    notifications,
    scheduled_posts::{self, HandPost, Recorded},
    variants,
};

use crate::publishing::{
    PUBLICATION_STATE,
    scheduled::{StoredPost, publish_if_online},
};

/// Records that the caller has published a variant by hand, and ends the reminders of the post. Returns
/// the changed piece and the fields for its history, or `None` if nothing changed. The piece becomes
/// `publicado` if all its variants are online. The caller of this function stores the piece.
///
/// Refuses (409, `PUBLICATION_STATE`) a variant that the service is publishing.
pub(crate) async fn record_by_hand(
    ctx: &Context<'_>,
    piece: &Event,
    variant: &Variant,
    link: Option<&str>,
) -> Result<Option<(Event, Map<String, Value>)>> {
    let (db, now) = (ctx.db(), ctx.now);
    let post = serde_json::to_string(&StoredPost::from_variant(variant, piece))?;
    let new = HandPost {
        variant,
        post: &post,
        link,
        posted_by: &ctx.caller()?.member.id,
    };
    let mut corrected = None;
    match scheduled_posts::record_by_hand(&db, new, now).await? {
        Recorded::Stored => {}
        Recorded::Corrected(before) => corrected = Some(before),
        Recorded::Unchanged => return Ok(None),
        Recorded::Busy => {
            return Err(Error::new(PUBLICATION_STATE)
                .with_detail("status", PostState::Publishing.as_str().into()));
        }
    }
    let format = variant.format.as_str();
    let subject = reminder_subject(&piece.id, &variant.channel, format);
    notifications::end_reminders(&db, &subject, now).await?;
    let variants = variants::list(&db, &piece.id).await?;
    let posts = scheduled_posts::load_published(&db, &piece.id).await?;
    let mut after = publish_if_online(piece, &variants, &posts);
    // If the piece has the old link of this post, it gets the corrected link.
    if corrected
        .as_ref()
        .is_some_and(|before| *before == piece.post_url)
    {
        after.post_url = link.map(str::to_owned);
    }
    let describe =
        |link: Option<&str>| json!({ "canal": variant.channel, "formato": format, "link": link });
    let before = corrected.map_or(Value::Null, |before| describe(before.as_deref()));
    let mut notes = Map::new();
    notes.insert(
        "variante_publicada".into(),
        json!({ "before": before, "after": describe(link) }),
    );
    Ok(Some((after, notes)))
}
