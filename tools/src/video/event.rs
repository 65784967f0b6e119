//! The event for which a video is made. The status of the event is `processing` until the video ends;
//! then the event gets its previous status back.

use super::VIDEO_OPEN;
use crate::{
    announcements::record_change,
    media::{self, Place},
};
use domain::{EventId, EventStatus, Revision, VideoId, time::Millis};
use gateway::{Code, Context, Error, Principal, Result, Services};
use store::{
    Conn, Failure,
    events::{self, Change},
    media::Media,
    videos::{self, Video},
};

/// Marks an event as having a video in progress. Returns the status that the event gets back later, and
/// its revision.
///
/// Refuses (404, 409) an event that the caller may not see or edit. Refuses (409) an event that has
/// another video in progress, unless `despite` names the newest of these videos.
pub(super) async fn mark_event(
    ctx: &Context<'_>,
    event_id: &EventId,
    despite: Option<&VideoId>,
) -> Result<(EventStatus, Revision)> {
    let db = ctx.db();
    events::lock_event(&db, event_id).await?;
    media::require_attachable(&db, ctx, event_id).await?;
    require_none_newer(&videos::list_open(&db, event_id).await?, despite)?;
    loop {
        let before = media::require_attachable(&db, ctx, event_id).await?;
        if before.status == EventStatus::Processing {
            let status = videos::find_return_status(&db, event_id).await?;
            return Ok((status.unwrap_or(before.status), before.api_revision));
        }
        let mut after = before.clone();
        after.status = EventStatus::Processing;
        let change = Change {
            actor: &ctx.caller()?.member.id,
            action: ctx.spec.name,
            reason: None,
        };
        match events::save(&db, &before, after, change, ctx.now).await {
            Err(Failure(error)) if error.code == Code::STALE_REVISION => {}
            saved => {
                let saved = saved?;
                media::announce_change(ctx, &db, &saved).await?;
                return Ok((before.status, saved.api_revision));
            }
        }
    }
}

/// Refuses (409) if an open video other than `despite` is at least as new as `despite`. If
/// `despite` is not an open video, every open video is refused.
fn require_none_newer(open: &[Video], despite: Option<&VideoId>) -> Result<()> {
    let seen = open.iter().find(|video| Some(&video.id) == despite);
    let is_newer = |video: &&Video| match seen {
        Some(seen) => video.id != seen.id && video.created_at >= seen.created_at,
        None => true,
    };
    match open.iter().find(is_newer) {
        Some(video) => Err(Error::new(VIDEO_OPEN)
            .with_detail("video_id", video.id.as_str().into())
            .with_detail("progress", video.progress.into())),
        None => Ok(()),
    }
}

/// Gives an event its previous status back when its last video has ended, and attaches the medium, if
/// one is given. `caller` is `None` if the service itself acts. Returns true if the medium was attached.
/// An event that was archived or can no longer be edited stays unchanged.
pub(super) async fn release_event(
    services: &Services,
    db: &Conn<'_>,
    video: &Video,
    medium: Option<&Media>,
    (action, caller): (&str, Option<&Principal>),
    now: Millis,
) -> Result<bool> {
    let Some(event_id) = &video.event_id else {
        return Ok(false);
    };
    loop {
        let Some(before) = events::find(db, event_id).await? else {
            return Ok(false);
        };
        let mut after = before.clone();
        let is_last = videos::find_return_status(db, event_id).await?.is_none();
        if before.status == EventStatus::Processing && is_last {
            let stored = videos::find(db, &video.id).await?;
            let status = stored.and_then(|video| video.event_status);
            after.status = status.unwrap_or(EventStatus::InProgress);
        }
        let medium = medium.filter(|_| before.status.is_editable());
        if let Some(medium) = medium {
            media::insert_slide(&mut after.media, medium, Place::End);
        }
        if after == before {
            return Ok(false);
        }
        let change = Change {
            actor: &video.created_by,
            action,
            reason: None,
        };
        match events::save(db, &before, after, change, now).await {
            Err(Failure(error)) if error.code == Code::STALE_REVISION => {}
            saved => {
                let saved = saved?;
                record_change(services, db, &saved, caller).await?;
                return Ok(medium.is_some());
            }
        }
    }
}
