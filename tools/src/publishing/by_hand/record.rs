//! Records posts that a person published.

use domain::{Event, EventStatus, PostState, reminder_subject, variant::Variant};
use gateway::{Context, Error, Result};
use serde_json::{Map, Value, json};
use store::{
    notifications,
    scheduled_posts::{self, HandPost, Recorded},
};

use crate::publishing::{
    PUBLICATION_STATE,
    scheduled::{StoredPost, publish_piece},
};

/// Records that the caller has published a variant by hand, and ends its reminders. Returns the piece
/// as it is then, published if all its variants are, and what its history says; `None` if nothing
/// changed. The caller of this function stores the piece.
///
/// Refused (409, `PUBLICATION_STATE`) while the service is publishing the variant.
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
    match scheduled_posts::record_by_hand(&db, new, now).await? {
        Recorded::Stored => {}
        Recorded::Unchanged => return Ok(None),
        Recorded::Busy => {
            return Err(Error::new(PUBLICATION_STATE)
                .with_detail("status", PostState::Publishing.as_str().into()));
        }
    }
    let format = variant.format.as_str();
    let subject = reminder_subject(&piece.id, &variant.channel, format);
    notifications::end_reminders(&db, &subject, now).await?;
    let (posts, left) = scheduled_posts::load_published(&db, &piece.id).await?;
    let is_complete = left == 0 && posts.iter().all(|post| post.followed == 1);
    let after = match is_complete && piece.status == EventStatus::Approved {
        true => publish_piece(piece, &posts),
        false => piece.clone(),
    };
    let posted = json!({ "canal": variant.channel, "formato": format, "link": link });
    let mut notes = Map::new();
    notes.insert(
        "variante_publicada".into(),
        json!({ "before": null, "after": posted }),
    );
    Ok(Some((after, notes)))
}
