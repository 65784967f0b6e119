//! Prepares the post of a variant before its hour. Only the account can see a prepared post, so every
//! step may be repeated.

use domain::{
    Code, PostState as State,
    time::{MINUTE, Millis, SECOND},
};
use gateway::{Result, Services, jobs::JobContext};
use ports::publishing::{PostOptions, Preparation, Prepared, Step, Trouble};
use store::scheduled_posts::{self, ScheduledPost};

use super::{
    desk::PostDesk,
    files,
    meaning::{self, Cause},
    network::{HELD_UP, Reached, hold_up, reach},
    prepared::{discard, load_prepared, store_prepared},
    steps::{Next, end_if_late, hold, record},
    stored_post::{Current, StoredPost, load_current},
};
use crate::publishing::public_url::require_public_url;

/// The time before the hour at which the preparation of images begins.
const AHEAD: Millis = 15 * MINUTE;
/// The pause between two requests whether the prepared post is ready.
const WORKING: Millis = 15 * SECOND;
/// The maximum number of new preparations of a post before the publication fails.
const ATTEMPTS: i64 = 4;

/// Begins the preparation when the hour is near.
pub(super) async fn begin(ctx: &JobContext, publication: &ScheduledPost) -> Result<Next> {
    let services = ctx.services();
    let now = services.clock.now();
    let current = load_current(&services.db.reader(), publication).await?;
    let Current::Approved { post, .. } = current else {
        return withdraw(ctx, publication).await;
    };
    let desk = services.parts.find::<PostDesk>();
    let network = desk.and_then(|desk| desk.find(&publication.network));
    let ahead = match network {
        Some(network) if post.has_video() => network.api.video_lead(),
        _ => AHEAD,
    };
    if now < publication.due_at - ahead {
        let prepare_at = publication.due_at - ahead;
        return match network.is_some_and(|network| network.api.checks_options()) {
            true => check_ahead(ctx, publication, &post, prepare_at).await,
            false => Ok(Next::At(prepare_at)),
        };
    }
    if let Some(next) = end_if_late(ctx, publication).await? {
        return Ok(next);
    }
    let reached = match reach(services, publication).await? {
        Ok(reached) => reached,
        Err((cause, code)) => {
            return hold(ctx, publication, cause, code, Next::At(now + HELD_UP)).await;
        }
    };
    let is_fetched = reached.network.api.downloads_files(post.has_video());
    if is_fetched && require_public_url(&services.public_url).is_err() {
        let next = Next::At(now + HELD_UP);
        return hold(ctx, publication, Cause::PrivateAddress, None, next).await;
    }
    let text = serde_json::to_string(&post)?;
    let is_same = publication.post == text && publication.account_id == reached.account().id;
    if publication.prepared.is_some() && is_same && reached.network.api.keeps_prepared() {
        // Files that the network already has, such as a long video, are not uploaded again.
        record(ctx, publication, State::Preparing, None, None).await?;
        return Ok(Next::Now);
    }
    restart(ctx, publication, &reached, &post).await
}

/// Checks long before the hour the conditions that only the account reports, such as the allowed privacy
/// levels. If the account may not publish the post, the publication fails while there is time to change
/// it. An error that prevents the check is ignored, because the preparation repeats the check.
async fn check_ahead(
    ctx: &JobContext,
    publication: &ScheduledPost,
    post: &StoredPost,
    prepare_at: Millis,
) -> Result<Next> {
    let services = ctx.services();
    let Ok(reached) = reach(services, publication).await? else {
        return Ok(Next::At(prepare_at));
    };
    let what = (post.has_video(), &Prepared::default());
    if let Some((_, at)) = reached.count_calls(services, Step::Check, what).await? {
        return Ok(Next::At(at.min(prepare_at)));
    }
    let options = PostOptions {
        privacy: post.privacy.as_deref(),
        seconds: files::load_longest(services, post).await,
    };
    let checked = reached
        .network
        .api
        .check_options(reached.account(), options);
    let Err(Trouble::Refused { code, .. }) = checked.await else {
        return Ok(Next::At(prepare_at));
    };
    match meaning::cause_of(&publication.network, &code) {
        cause @ (Cause::NotAudited | Cause::Media | Cause::Refused) => {
            fail(ctx, publication, cause, Some(&code)).await
        }
        _ => Ok(Next::At(prepare_at)),
    }
}

/// Stores the post and begins its preparation from the start.
async fn restart(
    ctx: &JobContext,
    publication: &ScheduledPost,
    reached: &Reached<'_>,
    post: &StoredPost,
) -> Result<Next> {
    let services = ctx.services();
    if is_public(services, publication, reached).await? {
        // Somebody has made the prepared post public, so no second post is prepared.
        record(ctx, publication, State::Checking, None, None).await?;
        return Ok(Next::Now);
    }
    discard(ctx, publication, reached).await?;
    let tx = services.db.begin().await?;
    let text = serde_json::to_string(post)?;
    let content = (reached.account().id, text.as_str());
    let (id, from, now) = (&publication.id, publication.state, services.clock.now());
    scheduled_posts::begin_preparation(&tx.conn(), id, from, content, now).await?;
    ctx.commit(tx).await?;
    Ok(Next::Now)
}

/// Returns true if a network that keeps prepared posts reports that the earlier prepared post is public.
async fn is_public(
    services: &Services,
    publication: &ScheduledPost,
    reached: &Reached<'_>,
) -> Result<bool> {
    let api = &reached.network.api;
    if !api.keeps_prepared() || publication.prepared.is_none() {
        return Ok(false);
    }
    let prepared = load_prepared(services, publication).await?;
    let state = api.fetch_state(reached.account(), &prepared).await;
    Ok(matches!(state, Ok(Preparation::Published(_))))
}

/// Cancels a publication whose variant is no longer approved. If an earlier request may have published
/// the post, the publication becomes `unknown`, so that a person checks the account.
pub(super) async fn withdraw(ctx: &JobContext, publication: &ScheduledPost) -> Result<Next> {
    let (to, next) = match publication.is_uncertain {
        0 => (State::Canceled, Next::Nothing),
        // The next step requests the state from the network.
        _ => (State::Unknown, Next::Now),
    };
    record(ctx, publication, to, Some(Cause::Withdrawn), None).await?;
    Ok(next)
}

/// Prepares a post again, because the variant has changed or the prepared post no longer exists.
pub(super) async fn prepare_again(
    ctx: &JobContext,
    publication: &ScheduledPost,
    reached: &Reached<'_>,
) -> Result<Next> {
    let current = load_current(&ctx.services().db.reader(), publication).await?;
    match current {
        Current::Approved { post, .. } => restart(ctx, publication, reached, &post).await,
        Current::Withdrawn => withdraw(ctx, publication).await,
    }
}

/// Carries out the next step of the preparation.
pub(super) async fn continue_preparation(
    ctx: &JobContext,
    publication: &ScheduledPost,
) -> Result<Next> {
    let services = ctx.services();
    let now = services.clock.now();
    let stored: StoredPost = serde_json::from_str(&publication.post)?;
    if let Some(next) = end_if_late(ctx, publication).await? {
        return Ok(next);
    }
    let reached = match reach(services, publication).await? {
        Ok(reached) => reached,
        Err((cause, code)) => {
            return hold(ctx, publication, cause, code, Next::At(now + HELD_UP)).await;
        }
    };
    match load_current(&services.db.reader(), publication).await? {
        Current::Withdrawn => return withdraw(ctx, publication).await,
        Current::Approved { post, .. } if *post != stored => {
            return restart(ctx, publication, &reached, &post).await;
        }
        Current::Approved { .. } => {}
    }
    let api = &*reached.network.api;
    let post = match files::build_post(services, publication, &stored, api).await {
        Ok(post) => post,
        Err(error) if error.code == Code::INVALID_INPUT => {
            return fail(ctx, publication, Cause::Media, None).await;
        }
        Err(error) => return Err(error),
    };
    if post.files.is_empty() && api.needs_files() {
        return fail(ctx, publication, Cause::Media, None).await;
    }
    let prepared = load_prepared(services, publication).await?;
    let what = (stored.has_video(), &prepared);
    let counted_at = services.clock.now();
    if let Some((cause, at)) = reached.count_calls(services, Step::Prepare, what).await? {
        return hold(ctx, publication, cause, None, Next::At(at)).await;
    }
    match api.prepare(reached.account(), &post, &prepared).await {
        Ok(Preparation::Created(prepared)) => {
            store_prepared(ctx, publication, &prepared).await?;
            // The run ends here, so that other jobs get their turn between two files or chunks.
            Ok(Next::At(services.clock.now()))
        }
        Ok(Preparation::Working) => {
            let next = Next::At(now + WORKING);
            hold(ctx, publication, Cause::NotReady, None, next).await
        }
        // A published post counts as ready here: `publish` reads its state and finds that it is online.
        Ok(Preparation::Ready | Preparation::Published(_)) => {
            record(ctx, publication, State::Ready, None, None).await?;
            // The run ends here, so that the publishing request gets the whole time limit of a run.
            Ok(Next::At(services.clock.now()))
        }
        Ok(Preparation::Expired) => restart(ctx, publication, &reached, &stored).await,
        Ok(Preparation::Failed { code }) => refuse(ctx, publication, &reached, &code).await,
        Err(Trouble::Refused { code, .. })
            if matches!(
                meaning::cause_of(&publication.network, &code),
                Cause::Media
                    | Cause::Cover
                    | Cause::Playlist
                    | Cause::Refused
                    | Cause::PrepareAgain
                    | Cause::Restricted
                    | Cause::NotAudited
                    | Cause::AddressUnverified
            ) =>
        {
            refuse(ctx, publication, &reached, &code).await
        }
        Err(trouble) => {
            if matches!(trouble, Trouble::Unreached) {
                reached
                    .remove_counted_calls(services, Step::Prepare, what, counted_at)
                    .await?;
            }
            let held = hold_up(services, &reached, &trouble).await;
            let code = held.provider_code.as_deref();
            if let Next::At(until) = held.next {
                let why = (held.cause, until);
                reached
                    .block_calls(services, Step::Prepare, what, why)
                    .await?;
            }
            hold(ctx, publication, held.cause, code, held.next).await
        }
    }
}

/// Prepares the post again after a temporary failure, up to `ATTEMPTS` times. After other failures or
/// too many attempts, the publication fails.
pub(super) async fn refuse(
    ctx: &JobContext,
    publication: &ScheduledPost,
    reached: &Reached<'_>,
    code: &str,
) -> Result<Next> {
    let cause = meaning::cause_of(&publication.network, code);
    if cause != Cause::PrepareAgain || publication.polls >= ATTEMPTS {
        return fail(ctx, publication, cause, Some(code)).await;
    }
    let now = ctx.services().clock.now();
    let pause = Next::At(now + ((10 * SECOND) << publication.polls.clamp(0, 4)));
    prepare_again(ctx, publication, reached).await?;
    let found = scheduled_posts::find(&ctx.services().db.reader(), &publication.id).await?;
    match found.filter(|found| found.state == State::Preparing) {
        Some(again) => hold(ctx, &again, cause, Some(code), pause).await,
        None => Ok(Next::Now),
    }
}

/// Ends a publication as failed. Nothing was posted.
pub(super) async fn fail(
    ctx: &JobContext,
    publication: &ScheduledPost,
    cause: Cause,
    provider_code: Option<&str>,
) -> Result<Next> {
    record(ctx, publication, State::Failed, Some(cause), provider_code).await?;
    Ok(Next::Nothing)
}
