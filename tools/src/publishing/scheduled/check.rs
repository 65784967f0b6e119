//! Looks for evidence after the answer to a publication was lost.
//!
//! The state of the prepared post at the network is the evidence: it says whether the post is online.
//! The posts of the account are searched for the id and the link only, and only a single post with the
//! same caption since the request counts. Where the network tells nothing, a person is asked.

use domain::{
    Format, PostState as State,
    time::{HOUR, MINUTE, Millis, SECOND},
};
use gateway::{Result, Services, jobs::JobContext};
use ports::publishing::{Evidence, OnlinePost, Preparation, Trouble};
use serde_json::json;
use store::scheduled_posts::{self, ScheduledPost, Step};

use super::{
    meaning::Cause,
    network::{Reached, reach},
    prepared::load_prepared,
    publish::store_published,
    steps::{Next, announce_end, record},
    stored_post::StoredPost,
};

/// How long the network is asked before a person is. A request is over long before.
const QUIET: Millis = 10 * MINUTE;
const PAUSE: Millis = 30 * SECOND;
/// The pause while a person is already asked.
const LONG_PAUSE: Millis = HOUR;

/// Begins to look, after the process that sent the request died or lost its lease.
pub(super) async fn begin(ctx: &JobContext, publication: &ScheduledPost) -> Result<Next> {
    record(ctx, publication, State::Checking, None, None).await?;
    Ok(Next::Now)
}

/// Asks the network for the state of the prepared post.
pub(super) async fn look(ctx: &JobContext, publication: &ScheduledPost) -> Result<Next> {
    let services = ctx.services();
    let now = services.clock.now();
    let started = publication.started_at.unwrap_or(publication.updated_at);
    let prepared = load_prepared(services, publication).await?;
    let mut seen = None;
    let mut candidates = None;
    if let Ok(reached) = reach(services, publication).await? {
        let api = &reached.network.api;
        let evidence = api.evidence();
        let state = match evidence {
            Evidence::Nothing if publication.state == State::Unknown => return Ok(Next::Nothing),
            Evidence::Nothing => Err(Trouble::Unreached),
            _ => api.fetch_state(reached.account(), &prepared).await,
        };
        match state {
            Ok(Preparation::Published(Some(post_id))) => {
                store_published(ctx, publication, (Some(&post_id), None)).await?;
                return Ok(Next::Now);
            }
            Ok(Preparation::Published(None)) => {
                let found = find_post(services, &reached, publication, started).await?;
                // A list that cannot be read now is read later, because the first comment needs the post.
                if found.is_none() && now < started + QUIET {
                    return Ok(Next::At(now + PAUSE));
                }
                let found = found.unwrap_or_default();
                let [post] = &found[..] else {
                    store_published(ctx, publication, (None, None)).await?;
                    return Ok(Next::Now);
                };
                let found = (Some(post.id.as_str()), post.link.as_deref());
                store_published(ctx, publication, found).await?;
                return Ok(Next::Now);
            }
            // The network has given up what was prepared, so it cannot have been published.
            Ok(Preparation::Expired | Preparation::Failed { .. }) => {
                let cause = Some(Cause::NotPublished);
                record(ctx, publication, State::Failed, cause, None).await?;
                return Ok(Next::Nothing);
            }
            Ok(Preparation::Ready)
                if evidence == Evidence::Repeatable
                    && publication.state == State::Checking
                    && now >= started + PAUSE =>
            {
                repeat(ctx, publication).await?;
                return Ok(Next::Now);
            }
            Ok(Preparation::Ready) => seen = Some("ready"),
            Ok(_) => seen = Some("working"),
            Err(_) => {}
        }
        if now >= started + QUIET && publication.state == State::Checking {
            candidates = find_post(services, &reached, publication, started).await?;
        }
    }
    if publication.state == State::Unknown {
        return Ok(Next::At(now + LONG_PAUSE));
    }
    if now < started + QUIET {
        return Ok(Next::At(now + PAUSE));
    }
    ask_person(ctx, publication, seen, candidates.as_deref()).await
}

/// Publishes again what is not online, at a network where that has no second effect.
async fn repeat(ctx: &JobContext, publication: &ScheduledPost) -> Result<()> {
    let services = ctx.services();
    let tx = services.db.begin().await?;
    let now = services.clock.now();
    scheduled_posts::repeat_publishing(&tx.conn(), &publication.id, now).await?;
    ctx.commit(tx).await
}

/// The posts with the caption of this one since the request, without those that other publications of
/// the piece have made. `None` if the network does not say. Stories are not listed.
async fn find_post(
    services: &Services,
    reached: &Reached<'_>,
    publication: &ScheduledPost,
    started: Millis,
) -> Result<Option<Vec<OnlinePost>>> {
    if publication.kind == Format::Story.as_str() {
        return Ok(Some(vec![]));
    }
    let post: StoredPost = serde_json::from_str(&publication.post)?;
    let api = &reached.network.api;
    let Ok(Some(mut posts)) = api.list_posts(reached.account(), started).await else {
        return Ok(None);
    };
    let db = services.db.reader();
    let others = scheduled_posts::load_published(&db, &publication.event_id).await?;
    let is_of_other = |id: &str| {
        others
            .iter()
            .any(|other| other.post_id.as_deref() == Some(id))
    };
    posts.retain(|online| online.caption.trim() == post.caption.trim() && !is_of_other(&online.id));
    Ok(Some(posts))
}

/// Asks a person, with what was seen.
async fn ask_person(
    ctx: &JobContext,
    publication: &ScheduledPost,
    seen: Option<&str>,
    candidates: Option<&[OnlinePost]>,
) -> Result<Next> {
    let services = ctx.services();
    let now = services.clock.now();
    let links: Vec<_> = candidates
        .unwrap_or_default()
        .iter()
        .filter_map(|post| post.link.clone())
        .collect();
    let evidence = json!({
        "requested_at": publication.started_at,
        "prepared_post": seen,
        "posts_with_this_caption": candidates.map(<[OnlinePost]>::len),
        "links": links,
    });
    let tx = services.db.begin().await?;
    let db = tx.conn();
    let id = &publication.id;
    let step = Step {
        code: Some(Cause::Unknown.code()),
        ..Step::default()
    };
    let states = (State::Checking, State::Unknown);
    if scheduled_posts::record_step(&db, id, states, step, now).await? {
        scheduled_posts::record_evidence(&db, id, &evidence.to_string()).await?;
        announce_end(ctx, &tx, publication, State::Unknown).await?;
    }
    ctx.commit(tx).await?;
    Ok(Next::At(now + LONG_PAUSE))
}
