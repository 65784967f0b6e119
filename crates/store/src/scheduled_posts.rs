//! Publications of variants. They are the rows of `publications` with a variant.
//!
//! Each change of state is one conditional UPDATE. The change to `publishing` also requires that the
//! piece and the variant have the revisions that the caller read, that both are still approved, and that
//! publishing is not paused.

mod by_hand;
mod list;
mod online;

use super::{
    Bind, Conn, columns,
    conditions::Conditions,
    publications::UPLOAD_URL,
    secrets::{self, Sealed},
    text_column,
};
use crate::Result;
use domain::{
    CommentState, Event, EventId, MemberId, PostState as State, PublicationId, Revision, VariantId,
    time::Millis, variant::Variant,
};

pub use by_hand::{HandPost, Recorded, record_by_hand};
pub use list::{Filter, list};
pub use online::{
    is_online, load_published, record_comment, record_follow_up_done, record_link, record_online,
    record_post_id, record_published,
};

/// The publication of a variant.
#[derive(Debug, Clone)]
pub struct ScheduledPost {
    pub id: PublicationId,
    pub network: String,
    /// The format of the variant.
    pub kind: String,
    pub state: State,
    /// Set to 1 while this publication prevents another one of the variant.
    pub open: i64,
    /// The account at the network; empty until it is known.
    pub account_id: String,
    pub event_id: EventId,
    pub variant_id: VariantId,
    pub variant_revision: Revision,
    pub due_at: Millis,
    /// Set to 1 if a person set the hour of this publication independently of its variant and piece.
    pub hour_chosen: i64,
    /// The whole post, as JSON; empty before the preparation begins.
    pub post: String,
    /// The network's ids of the prepared uploads, as JSON.
    pub prepared: Option<String>,
    pub prepared_at: Option<Millis>,
    /// Set to 1 while an earlier request may have published the prepared post. No other post is prepared
    /// then.
    pub is_uncertain: i64,
    pub started_at: Option<Millis>,
    /// The number of failed attempts of the current step.
    pub polls: i64,
    pub post_id: Option<String>,
    pub link: Option<String>,
    pub comment_state: CommentState,
    /// Set to 0 while the link or the first comment of a published post is still to be completed.
    pub followed: i64,
    /// Why the publication does not progress or has failed.
    pub code: Option<String>,
    pub provider_code: Option<String>,
    /// The evidence that the service found at the network after it lost an answer, as JSON.
    pub evidence: Option<String>,
    pub created_by: MemberId,
    pub created_at: Millis,
    pub updated_at: Millis,
    pub finished_at: Option<Millis>,
}

columns!(ScheduledPost {
    id,
    network,
    kind,
    state,
    open,
    account_id,
    event_id,
    variant_id,
    variant_revision,
    due_at,
    hour_chosen,
    post,
    prepared,
    prepared_at,
    is_uncertain,
    started_at,
    polls,
    post_id,
    link,
    comment_state,
    followed,
    code,
    provider_code,
    evidence,
    created_by,
    created_at,
    updated_at,
    finished_at,
});

text_column!(State, CommentState);

/// Returns the guard of a variant: piece, channel and format. Publications with the same guard publish
/// the same post, even if the variant was deleted and created again.
fn guard(variant: &Variant) -> String {
    format!(
        "variant:{}/{}/{}",
        variant.event_id, variant.channel, variant.format
    )
}

/// Schedules the publication of a variant. Returns `false` if a publication with the same guard is open.
pub async fn insert(
    db: &Conn<'_>,
    id: &PublicationId,
    variant: &Variant,
    (account_id, due_at): (&str, Millis),
    now: Millis,
) -> Result<bool> {
    let sql = "INSERT INTO publications (id, network, kind, state, open, guard, account_id,
            event_id, variant_id, variant_revision, due_at, post, bytes, uploaded, finishing, polls,
            comment_state, followed, created_by, created_at, updated_at)
        VALUES ($1, $2, $3, 'scheduled', 1, $4, $5, $6, $7, $8, $9, '', 0, 0, 0, 0, 'absent', 1,
            $10, $11, $11)
        ON CONFLICT DO NOTHING";
    let values = [
        id.value(),
        variant.channel.as_str().into(),
        variant.format.as_str().into(),
        guard(variant).into(),
        account_id.into(),
        variant.event_id.value(),
        variant.id.value(),
        variant.revision.value(),
        due_at.into(),
        variant.changed_by.value(),
        now.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}

pub async fn find(db: &Conn<'_>, id: &PublicationId) -> Result<Option<ScheduledPost>> {
    let sql = "SELECT * FROM publications WHERE id = $1 AND variant_id IS NOT NULL";
    let row = db.fetch_one(sql, [id.value()]).await?;
    Ok(row.map(|row| row.read()).transpose()?)
}

/// Lists the ids of the approved variants of approved pieces that must be scheduled: the service
/// publishes them at one of these networks, and they have an hour, no open or published publication, and
/// no ended publication of their current revision. A publication that ended with [`WITHDRAWN`] does not
/// count.
pub async fn list_unscheduled(db: &Conn<'_>, networks: &[&str]) -> Result<Vec<VariantId>> {
    if networks.is_empty() {
        return Ok(vec![]);
    }
    let mut query = Conditions::default();
    let names: Vec<String> = networks.iter().map(|name| query.bind(*name)).collect();
    let sql = format!(
        "SELECT v.id FROM event_variants v JOIN events e ON e.id = v.event_id
         WHERE v.publish = 'automatica' AND v.channel IN ({}) AND v.approved_revision = v.revision
         AND e.status = 'aprovado' AND coalesce(v.due_at, e.due_at) IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM publications p WHERE p.event_id = v.event_id
            AND p.network = v.channel AND p.kind = v.format AND p.variant_id IS NOT NULL
            AND (p.open = 1 OR p.state = 'published' OR (p.variant_id = v.id
                AND p.variant_revision = v.revision AND p.code IS DISTINCT FROM $W)))
         ORDER BY v.id LIMIT 500",
        names.join(", ")
    );
    let withdrawn = query.bind(WITHDRAWN);
    let rows = db
        .fetch_all(&sql.replace("$W", &withdrawn), query.values)
        .await?;
    rows.iter().map(|row| Ok(row.try_get("", "id")?)).collect()
}

/// The code of a publication that was canceled because its piece or variant was no longer approved. When
/// both are approved again, the variant is scheduled again.
pub const WITHDRAWN: &str = "APPROVAL_WITHDRAWN";

/// Lists the waiting publications that no longer match their variant: the variant was changed or
/// deleted, is no longer published automatically or has another hour, or the variant or its piece is no
/// longer approved.
pub async fn list_outdated(db: &Conn<'_>) -> Result<Vec<PublicationId>> {
    let sql = "SELECT p.id FROM publications p
        LEFT JOIN event_variants v ON v.id = p.variant_id
        LEFT JOIN events e ON e.id = p.event_id
        WHERE p.variant_id IS NOT NULL AND p.open = 1
        AND p.state IN ('scheduled', 'preparing', 'ready', 'late') AND p.is_uncertain = 0
        AND (v.id IS NULL OR v.publish <> 'automatica' OR v.revision <> p.variant_revision
            OR v.approved_revision IS DISTINCT FROM v.revision OR e.status <> 'aprovado'
            OR (p.hour_chosen = 0 AND coalesce(v.due_at, e.due_at) IS DISTINCT FROM p.due_at))
        ORDER BY p.id LIMIT 500";
    let rows = db.fetch_all(sql, []).await?;
    rows.iter().map(|row| Ok(row.try_get("", "id")?)).collect()
}

/// The new values of a waiting publication.
#[derive(Debug, Default)]
pub struct Step<'a> {
    pub code: Option<&'a str>,
    pub provider_code: Option<&'a str>,
    /// True to count a failed attempt of the step.
    pub is_attempt: bool,
}

/// Moves a publication from one state to another, or records why it stays in its state. Returns `false`
/// if the publication is no longer in the state `from`.
pub async fn record_step(
    db: &Conn<'_>,
    id: &PublicationId,
    (from, to): (State, State),
    step: Step<'_>,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE publications SET state = $3, code = $4, provider_code = $5,
            polls = CASE WHEN $3 <> $2 THEN 0 ELSE polls + $6 END, updated_at = $7,
            finished_at = CASE WHEN $3 IN ('failed', 'unknown', 'late', 'canceled')
                THEN $7 ELSE NULL END,
            open = CASE WHEN $3 IN ('failed', 'canceled') THEN 0 ELSE 1 END
        WHERE id = $1 AND state = $2";
    let values = [
        id.value(),
        from.as_str().into(),
        to.as_str().into(),
        step.code.map(str::to_owned).into(),
        step.provider_code.map(str::to_owned).into(),
        i64::from(step.is_attempt).into(),
        now.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}

/// Begins or repeats the preparation of a post.
pub async fn begin_preparation(
    db: &Conn<'_>,
    id: &PublicationId,
    from: State,
    (account_id, post): (&str, &str),
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE publications SET state = 'preparing', account_id = $3, post = $4,
            prepared = NULL, prepared_at = NULL, code = NULL, provider_code = NULL, is_uncertain = 0,
            updated_at = $5
        WHERE id = $1 AND state = $2";
    let values = [
        id.value(),
        from.as_str().into(),
        account_id.into(),
        post.into(),
        now.into(),
    ];
    let has_begun = db.run(sql, values).await? == 1;
    if has_begun {
        secrets::delete(db, UPLOAD_URL, id.as_str()).await?;
    }
    Ok(has_begun)
}

/// Stores what the network has prepared, with the encrypted upload addresses of an upload in progress.
pub async fn record_prepared(
    db: &Conn<'_>,
    id: &PublicationId,
    (prepared, addresses): (&str, Option<&Sealed>),
    now: Millis,
) -> Result<bool> {
    let sql =
        "UPDATE publications SET prepared = $2, prepared_at = $3, updated_at = $3, code = NULL,
            provider_code = NULL
        WHERE id = $1 AND state = 'preparing'";
    let values = [id.value(), prepared.into(), now.into()];
    if db.run(sql, values).await? == 0 {
        return Ok(false);
    }
    match addresses {
        Some(sealed) => secrets::save_record(db, sealed).await?,
        None => secrets::delete(db, UPLOAD_URL, id.as_str()).await?,
    }
    Ok(true)
}

/// Records that the network has accepted the post and publishes it by itself; `code` is the reason for
/// the state `checking`. If an upload was already prepared, this upload is the only post, so an earlier
/// request can have published nothing else.
pub async fn record_acceptance(
    db: &Conn<'_>,
    id: &PublicationId,
    (prepared, code): (&str, &str),
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE publications SET state = 'checking', prepared = $2, code = $3,
            provider_code = NULL, polls = 0, open = 1, finished_at = NULL,
            is_uncertain = CASE WHEN prepared IS NULL THEN is_uncertain ELSE 0 END,
            started_at = coalesce(started_at, $4), updated_at = $4
        WHERE id = $1 AND state IN ('ready', 'publishing', 'checking', 'unknown')";
    let values = [id.value(), prepared.into(), code.into(), now.into()];
    let is_done = db.run(sql, values).await? == 1;
    if is_done {
        secrets::delete(db, UPLOAD_URL, id.as_str()).await?;
    }
    Ok(is_done)
}

/// Clears the prepared post and its upload addresses, after the prepared post was deleted at the
/// network.
pub async fn forget_prepared(db: &Conn<'_>, id: &PublicationId, now: Millis) -> Result<()> {
    let sql = "UPDATE publications SET prepared = NULL, prepared_at = NULL, updated_at = $2
        WHERE id = $1 AND state IN ('failed', 'canceled')";
    db.run(sql, [id.value(), now.into()]).await?;
    forget_addresses(db, id).await
}

/// Deletes the upload addresses of publications that ended before an instant.
pub async fn forget_ended_addresses(db: &Conn<'_>, before: Millis) -> Result<()> {
    let sql = "DELETE FROM secrets WHERE purpose = $1 AND EXISTS (
        SELECT 1 FROM publications p
        WHERE p.id = secrets.id AND p.finished_at < $2 AND p.state <> 'unknown')";
    db.run(sql, [UPLOAD_URL.into(), before.into()]).await?;
    Ok(())
}

/// Deletes the upload addresses of a publication.
pub async fn forget_addresses(db: &Conn<'_>, id: &PublicationId) -> Result<()> {
    secrets::delete(db, UPLOAD_URL, id.as_str()).await
}

/// Moves a publication from `checking` back to `ready`, because the network reports that the post is not
/// online. An earlier request may still arrive, so the publication becomes uncertain.
pub async fn repeat_publishing(db: &Conn<'_>, id: &PublicationId, now: Millis) -> Result<bool> {
    let sql = "UPDATE publications SET state = 'ready', is_uncertain = 1, code = NULL,
            provider_code = NULL, updated_at = $2
        WHERE id = $1 AND state = 'checking' AND open = 1";
    Ok(db.run(sql, [id.value(), now.into()]).await? == 1)
}

/// Moves a ready publication to `publishing`. Returns `false` if its hour has not come, if publishing is
/// paused, if the piece or the variant has another revision than expected, is not approved or has
/// another hour, or if a publication with the same guard is already published.
pub async fn begin_publishing(
    db: &Conn<'_>,
    post: &ScheduledPost,
    piece: &Event,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE publications SET state = 'publishing', started_at = $2, code = NULL,
            provider_code = NULL, polls = 0, updated_at = $2
        WHERE id = $1 AND state = 'ready' AND open = 1 AND due_at <= $2
        AND EXISTS (SELECT 1 FROM event_variants v JOIN events e ON e.id = v.event_id
            WHERE v.id = publications.variant_id AND v.revision = publications.variant_revision
            AND v.approved_revision = v.revision AND v.publish = 'automatica'
            AND e.status = 'aprovado' AND e.api_revision = $3
            AND (publications.hour_chosen = 1
                OR coalesce(v.due_at, e.due_at) = publications.due_at))
        AND NOT EXISTS (SELECT 1 FROM publications o WHERE o.event_id = publications.event_id
            AND o.state = 'published' AND o.guard = publications.guard)
        AND NOT EXISTS (SELECT 1 FROM publishing_pauses)";
    let values = [post.id.value(), now.into(), piece.api_revision.value()];
    Ok(db.run(sql, values).await? == 1)
}

/// Stores what the service found at the network after it lost an answer.
pub async fn record_evidence(db: &Conn<'_>, id: &PublicationId, evidence: &str) -> Result<()> {
    let sql = "UPDATE publications SET evidence = $2 WHERE id = $1";
    db.run(sql, [id.value(), evidence.into()]).await?;
    Ok(())
}

/// Sets the hour of a waiting or late publication.
pub async fn set_due(
    db: &Conn<'_>,
    id: &PublicationId,
    from: State,
    (due_at, is_chosen): (Millis, bool),
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE publications SET due_at = $3, hour_chosen = $4, updated_at = $5,
            finished_at = NULL, code = NULL,
            state = CASE WHEN state = 'late' THEN 'scheduled' ELSE state END
        WHERE id = $1 AND state = $2 AND open = 1";
    let values = [
        id.value(),
        from.as_str().into(),
        due_at.into(),
        i64::from(is_chosen).into(),
        now.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}

/// Reopens a failed, unknown or late publication after a person has decided so. `to` determines whether
/// it begins from the start or with the prepared post. It runs at its hour, or at once if that hour has
/// passed. Returns `false` if the state is not `from`, or if another publication with the same guard is
/// open or published.
pub async fn reopen(
    db: &Conn<'_>,
    id: &PublicationId,
    (from, to): (State, State),
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE publications SET state = $3, open = 1,
            due_at = CASE WHEN due_at > $4 THEN due_at ELSE CAST($4 AS BIGINT) END,
            hour_chosen = CASE WHEN due_at > $4 THEN hour_chosen ELSE 1 END,
            code = NULL, provider_code = NULL, evidence = NULL, polls = 0, finished_at = NULL,
            is_uncertain = CASE WHEN state = 'unknown' THEN 1 ELSE is_uncertain END, updated_at = $4
        WHERE id = $1 AND state = $2 AND state IN ('failed', 'unknown', 'late')
        AND NOT EXISTS (SELECT 1 FROM publications o WHERE o.event_id = publications.event_id
            AND o.guard = publications.guard AND o.id <> publications.id
            AND (o.open = 1 OR o.state = 'published'))";
    let values = [
        id.value(),
        from.as_str().into(),
        to.as_str().into(),
        now.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}
