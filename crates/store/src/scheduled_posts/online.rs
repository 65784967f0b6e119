//! Published posts of variants: their ids, links and first comments.

use domain::{CommentState, EventId, PublicationId, time::Millis};

use super::{ScheduledPost, WITHDRAWN};
use crate::{Bind, Conn, Result};

/// Records that the post is published. A late answer of the network also replaces `checking` and
/// `unknown`.
pub async fn record_published(
    db: &Conn<'_>,
    id: &PublicationId,
    (post_id, link): (Option<&str>, Option<&str>),
    comment: CommentState,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE publications SET state = 'published', post_id = coalesce($2, post_id),
            link = coalesce($3, link), comment_state = $4, followed = 0, polls = 0, code = NULL,
            provider_code = NULL, open = 0, updated_at = $5, finished_at = $5
        WHERE id = $1 AND state IN ('publishing', 'checking', 'unknown')";
    let values = [
        id.value(),
        post_id.map(str::to_owned).into(),
        link.map(str::to_owned).into(),
        comment.as_str().into(),
        now.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}

/// Stores the id of a published post.
pub async fn record_post_id(
    db: &Conn<'_>,
    id: &PublicationId,
    post_id: &str,
    now: Millis,
) -> Result<()> {
    let sql = "UPDATE publications SET post_id = $2, updated_at = $3
        WHERE id = $1 AND state = 'published' AND post_id IS NULL";
    db.run(sql, [id.value(), post_id.into(), now.into()])
        .await?;
    Ok(())
}

/// Stores the link of a published post and counts an attempt to read it. `None` keeps the stored link.
pub async fn record_link(
    db: &Conn<'_>,
    id: &PublicationId,
    link: Option<&str>,
    now: Millis,
) -> Result<()> {
    let sql =
        "UPDATE publications SET link = coalesce($2, link), polls = polls + 1, updated_at = $3
        WHERE id = $1 AND state = 'published'";
    let values = [id.value(), link.map(str::to_owned).into(), now.into()];
    db.run(sql, values).await?;
    Ok(())
}

/// Changes the state of the first comment from `from` to `to`. Returns `false` if the state is not
/// `from`.
pub async fn record_comment(
    db: &Conn<'_>,
    id: &PublicationId,
    (from, to): (CommentState, CommentState),
    provider_code: Option<&str>,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE publications SET comment_state = $3, provider_code = $4, updated_at = $5
        WHERE id = $1 AND state = 'published' AND comment_state = $2";
    let values = [
        id.value(),
        from.as_str().into(),
        to.as_str().into(),
        provider_code.map(str::to_owned).into(),
        now.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}

/// Records that the link and the first comment of a post are completed.
pub async fn record_follow_up_done(db: &Conn<'_>, id: &PublicationId, now: Millis) -> Result<bool> {
    let sql = "UPDATE publications SET followed = 1, updated_at = $2
        WHERE id = $1 AND state = 'published' AND followed = 0";
    Ok(db.run(sql, [id.value(), now.into()]).await? == 1)
}

/// Loads the published posts of the variants of a piece.
pub async fn load_published(db: &Conn<'_>, event_id: &EventId) -> Result<Vec<ScheduledPost>> {
    let sql = "SELECT * FROM publications WHERE event_id = $1 AND variant_id IS NOT NULL
        AND state = 'published' ORDER BY network, kind, id";
    let rows = db.fetch_all(sql, [event_id.value()]).await?;
    let posts = rows.iter().map(crate::Row::read);
    Ok(posts.collect::<Result<_, _>>()?)
}

/// Returns whether another publication with the same guard is published.
pub async fn is_online(db: &Conn<'_>, post: &ScheduledPost) -> Result<bool> {
    let sql = "SELECT 1 FROM publications p JOIN publications o ON o.event_id = p.event_id
            AND o.guard = p.guard AND o.id <> p.id
        WHERE p.id = $1 AND o.state = 'published' LIMIT 1";
    Ok(db.fetch_one(sql, [post.id.value()]).await?.is_some())
}

/// Records that a person has found the post online, at this link. Returns `false` if the state of the
/// publication does not allow it, or if another publication with the same guard is published.
pub async fn record_online(
    db: &Conn<'_>,
    id: &PublicationId,
    link: &str,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE publications SET state = 'published', link = $2, followed = 0, polls = 0,
            open = 0, code = NULL, provider_code = NULL, updated_at = $3,
            finished_at = CASE WHEN state = 'published' THEN finished_at ELSE $3 END
        WHERE id = $1 AND (state IN ('failed', 'unknown', 'late')
            OR (state = 'published' AND link IS NULL))
        AND NOT EXISTS (SELECT 1 FROM publications o WHERE o.event_id = publications.event_id
            AND o.guard = publications.guard AND o.id <> publications.id
            AND o.state = 'published')";
    let values = [id.value(), link.into(), now.into()];
    if db.run(sql, values).await? == 0 {
        return Ok(false);
    }
    // Cancels the waiting publications with the same guard, because this one is already online.
    let sql = "UPDATE publications SET state = 'canceled', open = 0, code = $2, updated_at = $3,
            finished_at = $3
        WHERE guard = (SELECT guard FROM publications WHERE id = $1) AND id <> $1
        AND state IN ('scheduled', 'preparing', 'ready', 'late')";
    db.run(sql, [id.value(), WITHDRAWN.into(), now.into()])
        .await?;
    Ok(true)
}
