//! Requests the status of a publication from the provider, and stores the outcome.

use domain::{
    Code, EventStatus, PublicationId, PublicationState as State,
    time::{MINUTE, Millis, SECOND},
};
use gateway::{
    Result, Services,
    jobs::{JobContext, JobOutcome},
};
use ports::shortvideo::{Progress, Trouble};
use store::{
    Conn, Failure,
    events::{self, Change},
    publications::{self, Ended, Publication},
};

use crate::{
    announcements::{POST_CHANNEL, PUBLICATION_ENDED},
    publishing::{
        ACCOUNT_DISCONNECTED, PUBLICATION,
        scheduled::{announce_published, has_offline_variants},
    },
};

use super::{
    account::{self, NETWORK},
    desk::{Counted, Desk},
    meaning,
    post::ACTION,
};

/// The pause before the first status request.
pub(super) const PAUSE: Millis = 5 * SECOND;
/// The pause between two attempts while the account is not connected.
const DISCONNECTED: Millis = 10 * MINUTE;

/// Returns the pause before the next status request. It doubles with each request, from 5 seconds to 10
/// minutes.
pub(super) fn next_pause(polls: i64) -> Millis {
    let doublings = u32::try_from(polls.clamp(0, 7)).unwrap_or(7);
    ((5 * SECOND) << doublings).min(10 * MINUTE)
}

/// The outcome of a status request.
pub(super) enum Asked {
    Progress(Progress),
    /// The rate limit is reached. The next status request is allowed at this time.
    Later(Millis),
    /// The status could not be requested, for this reason. The next request is due at this time.
    HeldUp(Code, Millis),
}

/// Requests the status from the provider.
///
/// An error of the request says nothing about the publication itself.
pub(super) async fn request_status(ctx: &JobContext, publication: &Publication) -> Result<Asked> {
    let services = ctx.services();
    let now = services.clock.now();
    let disconnected = Asked::HeldUp(ACCOUNT_DISCONNECTED, now + DISCONNECTED);
    let Some(desk) = services.parts.find::<Desk>() else {
        return Ok(Asked::HeldUp(
            Code::PROVIDER_NOT_CONFIGURED,
            now + DISCONNECTED,
        ));
    };
    let access = match account::require_access(services).await {
        Ok(access) if access.account_id == publication.account_id => access,
        // Another account is connected now, and cannot see the publication.
        Ok(_) => return Ok(disconnected),
        Err(error) if matches!(error.status(), 404 | 409) => return Ok(disconnected),
        Err(error) => return Err(error),
    };
    let id = &access.account_id;
    if let Some(at) = Counted::Progress.count_call(services, id).await? {
        return Ok(Asked::Later(at));
    }
    let publish_id = publication.publish_id.as_deref().unwrap_or_default();
    let trouble = match desk.api.fetch_progress(&access.token, publish_id).await {
        Ok(progress) => return Ok(Asked::Progress(progress)),
        Err(trouble) => trouble,
    };
    if meaning::is_stale_token(&trouble) && account::renew_access(services, &access).await.is_ok() {
        return Ok(Asked::Later(now + PAUSE));
    }
    if let Some(until) = Counted::Progress
        .store_rate_limit(services, id, &trouble)
        .await?
    {
        return Ok(Asked::HeldUp(Code::RATE_LIMITED, until));
    }
    let refused = match &trouble {
        Trouble::Refused { code, .. } => meaning::map_provider_code(code).code,
        Trouble::Unreached | Trouble::Lost => Code::PROVIDER_FAILED,
    };
    Ok(match refused == ACCOUNT_DISCONNECTED {
        true => disconnected,
        false => Asked::HeldUp(Code::PROVIDER_FAILED, now + next_pause(publication.polls)),
    })
}

/// Records a status request that did not end the publication, and the reason if the publication is
/// held up.
pub(super) async fn record_held_up(
    ctx: &JobContext,
    publication: &Publication,
    code: Option<Code>,
    at: Millis,
) -> Result<JobOutcome> {
    let services = ctx.services();
    let tx = services.db.begin().await?;
    let (now, code) = (services.clock.now(), code.map(Code::as_str));
    publications::record_poll(&tx.conn(), &publication.id, code, now).await?;
    ctx.commit(tx).await?;
    Ok(JobOutcome::Again(at))
}

/// Ends the publication with the final status that the provider reported.
pub(super) async fn end_with_status(
    ctx: &JobContext,
    publication: &Publication,
    progress: Progress,
) -> Result<JobOutcome> {
    match progress {
        Progress::Failed { reason } => {
            let code = meaning::map_provider_code(&reason).code.as_str();
            end_publication(ctx, publication, State::Failed, code, Some(&reason)).await
        }
        Progress::Published { post_id } => {
            end_as_published(ctx, publication, post_id.as_deref()).await
        }
        Progress::Working { .. } => Ok(JobOutcome::Again(ctx.services().clock.now() + PAUSE)),
    }
}

/// Ends a publication as failed or unknown.
pub(super) async fn end_publication(
    ctx: &JobContext,
    publication: &Publication,
    to: State,
    code: &str,
    provider_code: Option<&str>,
) -> Result<JobOutcome> {
    let services = ctx.services();
    let tx = services.db.begin().await?;
    let (id, from, now) = (&publication.id, publication.state, services.clock.now());
    let ended = Ended {
        code: Some(code),
        provider_code,
        post_id: None,
    };
    if publications::record_outcome(&tx.conn(), id, from, to, ended, now).await? {
        announce_end(services, &tx.conn(), id).await?;
    }
    ctx.commit(tx).await?;
    Ok(JobOutcome::Done)
}

/// Ends a publication as published. Its event becomes `publicado` if it is still approved.
async fn end_as_published(
    ctx: &JobContext,
    publication: &Publication,
    post_id: Option<&str>,
) -> Result<JobOutcome> {
    let services = ctx.services();
    let (id, from) = (&publication.id, publication.state);
    let reason = publication.publish_id.as_ref();
    let reason = reason.map(|publish_id| format!("TikTok: {publish_id}"));
    loop {
        let now = services.clock.now();
        let tx = services.db.begin().await?;
        let db = tx.conn();
        let ended = Ended {
            post_id,
            ..Ended::default()
        };
        if !publications::record_outcome(&db, id, from, State::Published, ended, now).await? {
            return Ok(JobOutcome::Done);
        }
        let event = match &publication.event_id {
            Some(event_id) => events::find(&db, event_id).await?,
            None => None,
        };
        let event = event.filter(|event| event.status == EventStatus::Approved);
        // If a variant was added meanwhile and is not online, the piece stays approved.
        let is_over = match &event {
            Some(event) => !has_offline_variants(&db, &event.id).await?,
            None => false,
        };
        if let Some(before) = event.filter(|_| is_over) {
            let mut after = before.clone();
            after.status = EventStatus::Published;
            let change = Change {
                actor: &publication.created_by,
                action: ACTION,
                reason: reason.as_deref(),
            };
            match events::save(&db, &before, after, change, now).await {
                // The event has changed since it was read: tries again.
                Err(Failure(error)) if error.code == Code::STALE_REVISION => continue,
                saved => announce_published(services, &db, &saved?).await?,
            }
        }
        announce_end(services, &db, id).await?;
        ctx.commit(tx).await?;
        return Ok(JobOutcome::Done);
    }
}

/// Announces that a publication has ended, in the transaction that stores its end.
pub(super) async fn announce_end(
    services: &Services,
    db: &Conn<'_>,
    id: &PublicationId,
) -> Result<()> {
    let found = publications::find(db, id).await?;
    let facts = found.into_iter().flat_map(|publication| {
        let event_id = publication.event_id.map(|id| ("event_id", id.to_string()));
        let state = ("state", publication.state.to_string());
        let channel = (POST_CHANNEL, NETWORK.to_owned());
        [Some(state), Some(channel), event_id].into_iter().flatten()
    });
    let facts = facts.map(|(name, value)| (name.to_owned(), value.into()));
    let publication = (PUBLICATION, id.as_str());
    PUBLICATION_ENDED
        .record(services, db, publication, facts.collect())
        .await
}
