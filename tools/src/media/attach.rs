//! Media on an event: linked by compare-and-set, with a line of history.

use crate::{editable::require_editable, visibility};
use domain::{EventId, MediaId, Revision};
use gateway::{Code, Context, Result};
use store::{
    Conn, Failure,
    events::{self, Attached, Change, Event},
    media::{self, Media},
};

/// The `kind` of the cards of a carousel.
pub(super) const CARD: &str = "card";

/// The position of a new medium.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// At this slide. It replaces the medium there, which remains in the history.
    Slide(i64),
    /// At this slide. The media from there on move by one, up to the next gap.
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
    let event = visibility::event_in(db, &ctx.caller()?.member, event_id).await?;
    require_editable(&event)?;
    Ok(event)
}

/// The change of an event by new media.
pub(super) struct Linked {
    pub revision: Revision,
    /// Media that left the event because new media took their place.
    pub displaced: Vec<MediaId>,
}

impl Linked {
    /// The warning about displaced media, for a person.
    pub(super) fn warning(&self) -> Option<String> {
        let ids: Vec<&str> = self.displaced.iter().map(MediaId::as_str).collect();
        (!ids.is_empty()).then(|| {
            format!(
                "Saíram do evento as mídias que estavam nestes lugares: {}. Elas continuam em `list_media`.",
                ids.join(", ")
            )
        })
    }
}

/// Stores the rows of new media and links them to an event, when there is one.
pub(super) async fn record(
    db: &Conn<'_>,
    ctx: &Context<'_>,
    event_id: Option<&EventId>,
    action: &str,
    new: &[(Media, Place)],
) -> Result<Option<Linked>> {
    for (media, _) in new {
        media::insert(db, media).await?;
    }
    let Some(event_id) = event_id else {
        return Ok(None);
    };
    let actor = &ctx.caller()?.member.id;
    loop {
        let before = require_attachable(db, ctx, event_id).await?;
        let mut after = before.clone();
        for (media, place) in new {
            insert(&mut after.media, media, *place);
        }
        let change = Change {
            actor,
            action,
            reason: None,
        };
        match events::save(db, &before, after, change, ctx.now).await {
            // The event has changed since it was read. The media are added to its current state.
            Err(Failure(error)) if error.code == Code::STALE_REVISION => {}
            saved => {
                let saved = saved?;
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

/// Calls `record` in its own transaction.
pub(super) async fn commit(
    ctx: &Context<'_>,
    event_id: Option<&EventId>,
    action: &str,
    new: &[(Media, Place)],
) -> Result<Option<Linked>> {
    let tx = ctx.begin().await?;
    let linked = record(&tx.conn(), ctx, event_id, action, new).await?;
    tx.commit().await?;
    Ok(linked)
}

pub(crate) fn insert(slides: &mut Vec<Attached>, media: &Media, place: Place) {
    let slide_index = match place {
        Place::Slide(index) => {
            slides.retain(|slide| slide.slide_index != index);
            index
        }
        Place::Before(index) => {
            make_room(slides, index);
            index
        }
        Place::Card(index) => {
            slides.retain(|slide| slide.slide_index != index && (index > 0 || slide.kind != CARD));
            index
        }
        Place::End => slides.last().map_or(0, |last| last.slide_index + 1),
    };
    slides.push(Attached {
        id: media.id.clone(),
        slide_index,
        kind: media.kind.clone(),
        alt: media.alt.clone(),
        media_type: media.media_type.clone(),
    });
    slides.sort_by_key(|slide| slide.slide_index);
}

fn make_room(slides: &mut [Attached], index: i64) {
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
    /// Replaces the medium at a slide, or inserts before it.
    pub(super) fn at(index: u8, insert: bool) -> Self {
        let index = index.into();
        if insert {
            Self::Before(index)
        } else {
            Self::Slide(index)
        }
    }
}
