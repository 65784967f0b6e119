//! Attaches media to an event, by compare-and-set and with a line in the event's history.

use super::keep;
use crate::{
    announcements::record_change,
    editable::{require_editable, require_revision_in},
    visibility,
};
use domain::{EventId, MediaId, Revision};
use gateway::{Code, Context, Result};
use store::{
    Conn, Failure,
    events::{self, Attached, Change, Event},
    media::Media,
};

/// The `kind` of the cards of a carousel.
pub(super) const CARD: &str = "card";

/// The position of a new medium.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// At this slide. The new medium replaces the medium at this slide, which stays in the history.
    Slide(i64),
    /// At this slide. The media from this slide up to the next gap move by one.
    Before(i64),
    /// At this slide of a carousel. The first card replaces the earlier carousel.
    Card(i64),
    /// After the last slide.
    End,
}

/// Finds an event that the caller may see and edit.
pub(crate) async fn require_attachable(
    db: &Conn<'_>,
    ctx: &Context<'_>,
    event_id: &EventId,
) -> Result<Event> {
    let event = visibility::require_event_in(db, &ctx.caller()?.member, event_id).await?;
    require_editable(&event)?;
    Ok(event)
}

/// The result of attaching new media to an event.
pub(super) struct Linked {
    pub revision: Revision,
    /// Media that left the event because new media replaced them.
    pub displaced: Vec<MediaId>,
}

impl Linked {
    /// Returns the warning about displaced media, for the user.
    pub(super) fn displaced_warning(&self) -> Option<String> {
        let ids: Vec<&str> = self.displaced.iter().map(MediaId::as_str).collect();
        (!ids.is_empty()).then(|| {
            format!(
                "Saíram do evento as mídias que estavam nestes lugares: {}. Elas continuam em `list_media`.",
                ids.join(", ")
            )
        })
    }
}

/// Attaches stored media to an event, if there is one. Refuses (409) an event that is not at the
/// revision `expected`; without `expected`, the revision is not checked.
pub(super) async fn attach_media(
    db: &Conn<'_>,
    ctx: &Context<'_>,
    event_id: Option<&EventId>,
    expected: Option<Revision>,
    action: &str,
    new: &[(&Media, Place)],
) -> Result<Option<Linked>> {
    let Some(event_id) = event_id else {
        return Ok(None);
    };
    let actor = &ctx.caller()?.member.id;
    loop {
        let before = require_attachable(db, ctx, event_id).await?;
        if let Some(expected) = expected {
            require_revision_in(db, &before, expected).await?;
        }
        let mut after = before.clone();
        for (media, place) in new {
            insert_slide(&mut after.media, media, *place);
        }
        let change = Change {
            actor,
            action,
            reason: None,
        };
        match events::save(db, &before, after, change, ctx.now).await {
            // The event has changed since it was read: tries again with its current state.
            Err(Failure(error)) if error.code == Code::STALE_REVISION => {}
            saved => {
                let saved = saved?;
                announce_change(ctx, db, &saved).await?;
                let left = |slide: &&Attached| saved.media.iter().all(|now| now.id != slide.id);
                let displaced = before.media.iter().filter(left);
                return Ok(Some(Linked {
                    revision: saved.api_revision,
                    displaced: displaced.map(|slide| slide.id.clone()).collect(),
                }));
            }
        }
    }
}

/// Announces that the caller has changed a piece, in the transaction of the change. The spec of the
/// operation does not declare this announcement, because the resource of the operation may be a medium.
pub(crate) async fn announce_change(ctx: &Context<'_>, db: &Conn<'_>, saved: &Event) -> Result<()> {
    record_change(ctx.services, db, saved, ctx.caller_if_any()).await
}

/// Inserts generated images and attaches them, in a separate transaction.
pub(super) async fn insert_and_attach(
    ctx: &Context<'_>,
    event_id: Option<&EventId>,
    expected: Option<Revision>,
    action: &str,
    new: &[(keep::Made, Place)],
) -> Result<Option<Linked>> {
    let tx = ctx.begin().await?;
    let db = tx.conn();
    let mut placed = vec![];
    for (made, place) in new {
        made.insert_rows(&db).await?;
        placed.push((&made.media, *place));
    }
    let linked = attach_media(&db, ctx, event_id, expected, action, &placed).await?;
    tx.commit().await?;
    Ok(linked)
}

/// Builds the slide of an event that shows this medium.
pub(super) fn media_to_slide(media: &Media, slide_index: i64) -> Attached {
    Attached {
        id: media.id.clone(),
        slide_index,
        kind: media.kind.clone(),
        alt: media.alt.clone(),
        media_type: media.media_type.clone(),
    }
}

pub(crate) fn insert_slide(slides: &mut Vec<Attached>, media: &Media, place: Place) {
    let slide_index = match place {
        Place::Slide(index) => {
            slides.retain(|slide| slide.slide_index != index);
            index
        }
        Place::Before(index) => {
            shift_slides(slides, index);
            index
        }
        Place::Card(index) => {
            slides.retain(|slide| slide.slide_index != index && (index > 0 || slide.kind != CARD));
            index
        }
        Place::End => slides.last().map_or(0, |last| last.slide_index + 1),
    };
    slides.push(media_to_slide(media, slide_index));
    slides.sort_by_key(|slide| slide.slide_index);
}

fn shift_slides(slides: &mut [Attached], index: i64) {
    let mut next = index;
    for slide in slides.iter_mut().filter(|slide| slide.slide_index >= index) {
        if slide.slide_index > next {
            break;
        }
        slide.slide_index += 1;
        next = slide.slide_index;
    }
}

impl Place {
    /// Returns the place that replaces the medium at a slide, or that inserts before this slide.
    pub(super) fn replace_or_insert_at(index: u8, insert: bool) -> Self {
        let index = index.into();
        if insert {
            Self::Before(index)
        } else {
            Self::Slide(index)
        }
    }
}
