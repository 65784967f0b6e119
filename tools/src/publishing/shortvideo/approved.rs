//! Finds the event of the media to publish. Media that are attached to events are published only if
//! the event is approved.
//!
//! The approval is checked when the event is read, and again, with the revision that was read, in
//! the transaction that stores the publication. Later changes of the event do not stop the
//! publication. If the event is still `aprovado` when the provider reports the post as online, the
//! event becomes `publicado`, with a line of history by the member who published; otherwise it
//! keeps its status.

use std::collections::BTreeMap;

use domain::{Event, EventId, EventStatus, MediaId, Member};
use gateway::{Error, Result};
use store::{Conn, events, media};

use crate::{editable::NOT_APPROVED, visibility};

/// Finds the approved event that has all these media; `None` if no event has any of them.
///
/// Refuses (409) a medium that is attached to events if no approved event has all the media. Refuses
/// (400) media that several approved events have if the caller did not name an event.
pub(super) async fn find_approved_event(
    db: &Conn<'_>,
    member: &Member,
    media_ids: &[MediaId],
    asked: Option<&EventId>,
) -> Result<Option<Event>> {
    let named = match asked {
        Some(id) => Some(visibility::require_event_in(db, member, id).await?),
        None => None,
    };
    let mut of: BTreeMap<EventId, Vec<MediaId>> = BTreeMap::new();
    for (media_id, event_id) in media::list_attachments(db, media_ids).await? {
        of.entry(event_id).or_default().push(media_id);
    }
    let attached = |id: &&MediaId| of.values().any(|ids| ids.contains(id));
    let attached: Vec<&MediaId> = media_ids.iter().filter(attached).collect();
    let (mut approved, mut other) = (vec![], None);
    let events = match named {
        Some(event) => vec![event],
        None => events::find_all(db, of.keys()).await?,
    };
    for event in events {
        let Some(ids) = of.get(&event.id) else {
            continue;
        };
        match event.status == EventStatus::Approved {
            true if attached.iter().all(|id| ids.contains(id)) => approved.push(event),
            true => {}
            false => other = Some((event, ids)),
        }
    }
    match (attached.first(), approved.len()) {
        (None, _) if asked.is_some() => Err(Error::invalid_field(
            "event_id",
            "media",
            "não tem estas mídias: anexe-as ao evento antes da aprovação",
        )),
        (None, _) => Ok(None),
        (Some(_), 1) => Ok(approved.pop()),
        (Some(_), 2..) => Err(Error::invalid_field(
            "event_id",
            "required",
            "é necessário: mais de um evento aprovado tem estas mídias",
        )),
        (Some(first), _) => {
            let mut refused = Error::new(NOT_APPROVED);
            if let Some((event, ids)) = &other {
                let id = ids.first().unwrap_or(first);
                refused = refused
                    .because(format!(
                        "A mídia {id} é de um evento `{}`; só um evento `aprovado` com todas as \
                         mídias é publicado.",
                        event.status
                    ))
                    .with_detail("media_id", id.as_str().into())
                    .with_detail("event_id", event.id.as_str().into())
                    .with_detail("status", event.status.as_str().into());
            } else {
                refused = refused
                    .because(format!(
                        "A mídia {first} é de um evento que não tem todas estas mídias."
                    ))
                    .with_detail("media_id", first.as_str().into());
            }
            Err(refused)
        }
    }
}
