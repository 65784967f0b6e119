//! The steps after a post is published: its link, the first comment, and the state of the piece. A
//! failure of these steps does not change that the post is online.

use domain::{
    Code, CommentState as Comment, Event, EventId, EventStatus,
    time::{DAY, HOUR, MINUTE, Millis, SECOND},
    variant::Variant,
};
use gateway::{Made, Result, Services, jobs::JobContext};
use ports::publishing::{Preparation, Step, Trouble};
use store::{
    Conn, Failure,
    events::{self, Change},
    scheduled_posts::{self, ScheduledPost},
    variants,
};

use crate::{
    announcements::{PIECE_PUBLISHED, record_change},
    visibility::EVENT,
};
use serde_json::Map;

use super::{
    network::{Reached, reach},
    prepared::load_prepared,
    steps::Next,
    stored_post::StoredPost,
};

/// The number of requests for the link before the publication continues without the link.
const ATTEMPTS: i64 = 6;
/// The time after the publication in which a missing id or link is still requested.
const LOOKED_FOR: Millis = DAY;
/// The shortest and the longest pause between two requests for a missing id or link.
const PAUSES: (Millis, Millis) = (5 * MINUTE, 2 * HOUR);
/// The name of this step in the history of events.
const ACTION: &str = "publish_variant";

/// Carries out the next step after the publication: reads the id or link, adds the comment, or finishes.
pub(super) async fn follow(ctx: &JobContext, publication: &ScheduledPost) -> Result<Next> {
    let services = ctx.services();
    let now = services.clock.now();
    if publication.comment_state == Comment::Sending {
        // The process died before it stored the outcome, so the comment may have been added.
        record_comment(ctx, publication, Comment::Unknown, None).await?;
        return Ok(Next::Now);
    }
    let given_up = publication.polls >= ATTEMPTS;
    let pause = (5 * SECOND) << publication.polls.clamp(0, 7);
    let prepared = load_prepared(services, publication).await?;
    // A network that accepts a post and publishes it later may return the id only after the post is
    // online.
    let wants_id = publication.post_id.is_none() && prepared.is_taken && !given_up;
    let wants_link = publication.link.is_none() && publication.post_id.is_some() && !given_up;
    let comments = publication.comment_state == Comment::Pending;
    if !wants_id && !wants_link && !comments {
        return finish(ctx, publication).await;
    }
    let Ok(reached) = reach(services, publication).await? else {
        if given_up {
            record_comment(ctx, publication, Comment::Failed, None).await?;
            return Ok(Next::Now);
        }
        record_link(ctx, publication, None).await?;
        return Ok(Next::At(now + pause));
    };
    let api = &reached.network.api;
    let post: StoredPost = serde_json::from_str(&publication.post)?;
    let step = match (wants_id, wants_link) {
        (true, _) => Some(Step::State),
        (_, true) => Some(Step::Link),
        _ => None,
    };
    if let Some(step) = step {
        let what = (post.has_video(), &prepared);
        if let Some((_, at)) = reached.count_calls(services, step, what).await? {
            return Ok(Next::At(at));
        }
    }
    match &publication.post_id {
        None if wants_id => {
            let state = api.fetch_state(reached.account(), &prepared).await;
            let Ok(Preparation::Published(Some(post_id))) = state else {
                record_link(ctx, publication, None).await?;
                return Ok(Next::At(now + pause));
            };
            record_post_id(ctx, publication, &post_id).await?;
            Ok(Next::Now)
        }
        Some(post_id) if wants_link => {
            let link = api
                .fetch_link(reached.account(), post_id, post.has_video())
                .await;
            let link = link.unwrap_or_default();
            record_link(ctx, publication, link.as_deref()).await?;
            Ok(if link.is_some() {
                Next::Now
            } else {
                Next::At(now + pause)
            })
        }
        Some(post_id) => add_first_comment(ctx, publication, &reached, post_id, pause).await,
        None => {
            record_comment(ctx, publication, Comment::Failed, None).await?;
            Ok(Next::Now)
        }
    }
}

async fn record_post_id(
    ctx: &JobContext,
    publication: &ScheduledPost,
    post_id: &str,
) -> Result<()> {
    let services = ctx.services();
    let tx = services.db.begin().await?;
    let now = services.clock.now();
    scheduled_posts::record_post_id(&tx.conn(), &publication.id, post_id, now).await?;
    ctx.commit(tx).await
}

async fn record_link(
    ctx: &JobContext,
    publication: &ScheduledPost,
    link: Option<&str>,
) -> Result<()> {
    let services = ctx.services();
    let tx = services.db.begin().await?;
    let now = services.clock.now();
    scheduled_posts::record_link(&tx.conn(), &publication.id, link, now).await?;
    ctx.commit(tx).await
}

async fn record_comment(
    ctx: &JobContext,
    publication: &ScheduledPost,
    to: Comment,
    provider_code: Option<&str>,
) -> Result<bool> {
    let services = ctx.services();
    let tx = services.db.begin().await?;
    let now = services.clock.now();
    let states = (publication.comment_state, to);
    let id = &publication.id;
    let stored =
        scheduled_posts::record_comment(&tx.conn(), id, states, provider_code, now).await?;
    ctx.commit(tx).await?;
    Ok(stored)
}

/// Adds the first comment. The comment is never sent twice.
async fn add_first_comment(
    ctx: &JobContext,
    publication: &ScheduledPost,
    reached: &Reached<'_>,
    post_id: &str,
    pause: Millis,
) -> Result<Next> {
    let post: StoredPost = serde_json::from_str(&publication.post)?;
    let text = post.first_comment.unwrap_or_default();
    if !record_comment(ctx, publication, Comment::Sending, None).await? {
        return Ok(Next::Now);
    }
    let mut sending = publication.clone();
    sending.comment_state = Comment::Sending;
    let api = &reached.network.api;
    let outcome = api.comment(reached.account(), post_id, &text).await;
    let (to, code) = match &outcome {
        Ok(_) => (Comment::Added, None),
        Err(Trouble::Lost) => (Comment::Unknown, None),
        Err(Trouble::Refused { code, .. }) => (Comment::Failed, Some(code.as_str())),
        Err(Trouble::Unreached) if publication.polls < ATTEMPTS => (Comment::Pending, None),
        Err(Trouble::Unreached) => (Comment::Failed, None),
    };
    record_comment(ctx, &sending, to, code).await?;
    if to == Comment::Pending {
        record_link(ctx, publication, None).await?;
        return Ok(Next::At(ctx.services().clock.now() + pause));
    }
    Ok(Next::Now)
}

/// Requests the missing id and link of a published post. The publication has already ended and does not
/// wait for the id and the link.
pub(super) async fn request_missing_id_and_link(
    ctx: &JobContext,
    publication: &ScheduledPost,
) -> Result<Next> {
    let services = ctx.services();
    let now = services.clock.now();
    let age = now - publication.finished_at.unwrap_or(publication.updated_at);
    let prepared = load_prepared(services, publication).await?;
    let wants_id = publication.post_id.is_none() && prepared.is_taken;
    if age >= LOOKED_FOR || !(wants_id || publication.post_id.is_some()) {
        return Ok(Next::Nothing);
    }
    let again = Next::At(now + (age / 4).clamp(PAUSES.0, PAUSES.1));
    let Ok(reached) = reach(services, publication).await? else {
        return Ok(again);
    };
    let api = &reached.network.api;
    let post: StoredPost = serde_json::from_str(&publication.post)?;
    let step = if wants_id { Step::State } else { Step::Link };
    let what = (post.has_video(), &prepared);
    if let Some((_, at)) = reached.count_calls(services, step, what).await? {
        return Ok(Next::At(at));
    }
    let Some(post_id) = &publication.post_id else {
        let state = api.fetch_state(reached.account(), &prepared).await;
        let Ok(Preparation::Published(Some(post_id))) = state else {
            return Ok(again);
        };
        record_post_id(ctx, publication, &post_id).await?;
        return Ok(Next::Now);
    };
    let link = api
        .fetch_link(reached.account(), post_id, post.has_video())
        .await;
    let Some(link) = link.unwrap_or_default() else {
        return Ok(again);
    };
    record_late_link(ctx, publication, &link).await?;
    Ok(Next::Nothing)
}

/// Stores the link of a post. A published piece without a link gets this link too.
async fn record_late_link(ctx: &JobContext, publication: &ScheduledPost, link: &str) -> Result<()> {
    let services = ctx.services();
    loop {
        let now = services.clock.now();
        let tx = services.db.begin().await?;
        let db = tx.conn();
        events::lock_event(&db, &publication.event_id).await?;
        scheduled_posts::record_link(&db, &publication.id, Some(link), now).await?;
        let piece = events::find(&db, &publication.event_id).await?;
        let is_without =
            |piece: &Event| piece.status == EventStatus::Published && piece.post_url.is_none();
        if let Some(before) = piece.filter(is_without) {
            let mut after = before.clone();
            after.post_url = Some(link.to_owned());
            let change = Change {
                actor: &publication.created_by,
                action: ACTION,
                reason: None,
            };
            match events::save(&db, &before, after, change, now).await {
                // The piece has changed since it was read: tries again.
                Err(Failure(error)) if error.code == Code::STALE_REVISION => continue,
                saved => record_change(services, &db, &saved?, None).await?,
            }
        }
        return ctx.commit(tx).await;
    }
}

/// Records that the steps after the publication are done. If all variants of the piece are online, the
/// piece becomes `publicado`.
async fn finish(ctx: &JobContext, publication: &ScheduledPost) -> Result<Next> {
    let services = ctx.services();
    loop {
        let now = services.clock.now();
        let tx = services.db.begin().await?;
        let db = tx.conn();
        // The lock makes two variants that end at the same time see each other.
        events::lock_event(&db, &publication.event_id).await?;
        if !scheduled_posts::record_follow_up_done(&db, &publication.id, now).await? {
            return Ok(Next::Nothing);
        }
        match complete_piece(services, &db, publication, now).await {
            // The piece has changed since it was read: tries again.
            Err(Failure(error)) if error.code == Code::STALE_REVISION => continue,
            completed => completed?,
        }
        ctx.commit(tx).await?;
        return Ok(Next::Now);
    }
}

/// Changes the piece of this publication to `publicado`, if all its variants are online.
async fn complete_piece(
    services: &Services,
    db: &Conn<'_>,
    publication: &ScheduledPost,
    now: Millis,
) -> store::Result<()> {
    let Some(before) = events::find(db, &publication.event_id).await? else {
        return Ok(());
    };
    let variants = variants::list(db, &before.id).await?;
    let posts = scheduled_posts::load_published(db, &before.id).await?;
    let after = publish_if_online(&before, &variants, &posts);
    if after.status == before.status {
        return Ok(());
    }
    let lines: Vec<String> = posts
        .iter()
        .map(|post| {
            let link = post.link.as_deref().unwrap_or("sem link");
            format!("{} {}: {link}", post.network, post.kind)
        })
        .collect();
    let reason = lines.join("\n");
    let change = Change {
        actor: &publication.created_by,
        action: ACTION,
        reason: Some(&reason),
    };
    let saved = events::save(db, &before, after, change, now).await?;
    announce_published(services, db, &saved)
        .await
        .map_err(Failure)
}

/// Announces that the service has published a piece, in the transaction of the change.
pub(crate) async fn announce_published(
    services: &Services,
    db: &Conn<'_>,
    saved: &Event,
) -> Result<()> {
    let made = Made {
        at: saved.updated_at,
        revision: Some(saved.api_revision),
        caller: None,
    };
    let facts = Map::from_iter([("status".to_owned(), saved.status.as_str().into())]);
    let piece = (EVENT, saved.id.as_str());
    PIECE_PUBLISHED
        .record_as(services, db, piece, made, facts)
        .await
}

/// Returns the piece. An approved piece becomes `publicado` if `posts` contains a post of each variant
/// and the steps after each post are done. The piece then gets the link of the post on its own channel,
/// otherwise the link of another post.
pub(crate) fn publish_if_online(
    piece: &Event,
    variants: &[Variant],
    posts: &[ScheduledPost],
) -> Event {
    let mut after = piece.clone();
    let is_complete = !posts.is_empty()
        && posts.iter().all(|post| post.followed == 1)
        && count_offline_variants(variants, posts) == 0;
    if piece.status != EventStatus::Approved || !is_complete {
        return after;
    }
    let of_channel = posts.iter().filter(|post| post.network == piece.channel);
    let mut links = of_channel.chain(posts).filter_map(|post| post.link.clone());
    after.status = EventStatus::Published;
    after.post_url = piece.post_url.clone().or_else(|| links.next());
    after
}

/// Returns true if the piece has variants that are not online.
pub(crate) async fn has_offline_variants(db: &Conn<'_>, piece: &EventId) -> Result<bool> {
    let variants = variants::list(db, piece).await?;
    if variants.is_empty() {
        return Ok(false);
    }
    let posts = scheduled_posts::load_published(db, piece).await?;
    Ok(count_offline_variants(&variants, &posts) > 0)
}

/// Counts the variants that are not online.
fn count_offline_variants(variants: &[Variant], posts: &[ScheduledPost]) -> usize {
    let is_left = |variant: &&Variant| {
        let format = variant.format.as_str();
        let mut posts = posts.iter();
        !posts.any(|post| post.network == variant.channel && post.kind == format)
    };
    variants.iter().filter(is_left).count()
}
