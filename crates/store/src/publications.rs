//! Publications on TikTok that a caller requests. The module `scheduled_posts` has the publications of
//! variants. Each change of state is one conditional UPDATE.

use std::collections::HashMap;

use super::{Bind, Conn, columns, conditions::Conditions, secrets, text_column};
use crate::Result;
use domain::{
    EventId, MemberId, PublicationId, PublicationKind, PublicationState as State, time::Millis,
};

/// The purpose of secrets that contain upload URLs.
pub const UPLOAD_URL: &str = "upload url";

/// A publication.
#[derive(Debug, Clone)]
pub struct Publication {
    pub id: PublicationId,
    pub kind: PublicationKind,
    pub state: State,
    /// Set to 1 while this publication prevents another one with the same guard.
    pub open: i64,
    /// Identifies what is published: an event, or media without an event.
    pub guard: String,
    pub account_id: String,
    pub event_id: Option<EventId>,
    /// The submitted post, as JSON.
    pub post: String,
    /// The size of the video in bytes.
    pub bytes: i64,
    pub uploaded: i64,
    /// Set to 1 just before the last chunk is sent.
    pub finishing: i64,
    /// The number of status requests to the provider.
    pub polls: i64,
    /// The provider's id of the publication.
    pub publish_id: Option<String>,
    /// The provider's id of the post.
    pub post_id: Option<String>,
    /// Why the publication failed, or why it does not progress.
    pub code: Option<String>,
    pub provider_code: Option<String>,
    pub created_by: MemberId,
    pub created_at: Millis,
    pub updated_at: Millis,
    pub finished_at: Option<Millis>,
}

columns!(Publication {
    id,
    kind,
    state,
    open,
    guard,
    account_id,
    event_id,
    post,
    bytes,
    uploaded,
    finishing,
    polls,
    publish_id,
    post_id,
    code,
    provider_code,
    created_by,
    created_at,
    updated_at,
    finished_at,
});

text_column!(PublicationKind, State);

const INSERT: &str = "
INSERT INTO publications (id, kind, state, open, guard, account_id, event_id, post, bytes, uploaded,
    finishing, polls, created_by, created_at, updated_at)
VALUES ($1, $2, $3, 1, $4, $5, $6, $7, $8, 0, 0, 0, $9, $10, $10)
ON CONFLICT DO NOTHING";

/// The data of a new publication.
#[derive(Debug)]
pub struct NewPublication<'a> {
    pub id: &'a PublicationId,
    pub kind: PublicationKind,
    pub guard: &'a str,
    pub account_id: &'a str,
    pub event_id: Option<&'a EventId>,
    /// The post as JSON.
    pub post: &'a str,
    pub bytes: i64,
    pub created_by: &'a MemberId,
}

/// Stores a publication before it is submitted. Returns `false` if another publication with the same
/// guard is open.
pub async fn insert(db: &Conn<'_>, new: &NewPublication<'_>, now: Millis) -> Result<bool> {
    let values = [
        new.id.value(),
        new.kind.as_str().into(),
        State::Submitting.as_str().into(),
        new.guard.into(),
        new.account_id.into(),
        new.event_id.map(|id| id.as_str().to_owned()).into(),
        new.post.into(),
        new.bytes.into(),
        new.created_by.value(),
        now.into(),
    ];
    Ok(db.run(INSERT, values).await? == 1)
}

pub async fn find(db: &Conn<'_>, id: &PublicationId) -> Result<Option<Publication>> {
    let sql = "SELECT * FROM publications WHERE id = $1 AND variant_id IS NULL";
    let row = db.fetch_one(sql, [id.value()]).await?;
    Ok(row.map(|row| row.read()).transpose()?)
}

/// The state, the piece and the creator of a publication, for announcements of its end.
#[derive(Debug, Clone)]
pub struct Ending {
    /// The state of a publication, or of the publication of a variant.
    pub state: String,
    pub event_id: Option<EventId>,
    pub created_by: MemberId,
}

columns!(Ending {
    state,
    event_id,
    created_by,
});

/// Finds the endings of these publications, with or without a variant, by id.
pub async fn find_endings(
    db: &Conn<'_>,
    ids: &[PublicationId],
) -> Result<HashMap<PublicationId, Ending>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let places: Vec<String> = (1..=ids.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "SELECT id, state, event_id, created_by FROM publications WHERE id IN ({})",
        places.join(", ")
    );
    let rows = db.fetch_all(&sql, ids.iter().map(Bind::value)).await?;
    let endings = rows
        .iter()
        .map(|row| Ok((row.try_get("", "id")?, row.read()?)));
    endings.collect()
}

/// Finds the open publication of a piece as a whole. Without an open one, finds a published one.
pub async fn find_for_piece(db: &Conn<'_>, event_id: &EventId) -> Result<Option<Publication>> {
    let sql = "SELECT * FROM publications WHERE event_id = $1 AND variant_id IS NULL
        AND (open = 1 OR state = 'published') ORDER BY open DESC, id LIMIT 1";
    let row = db.fetch_one(sql, [event_id.value()]).await?;
    Ok(row.map(|row| row.read()).transpose()?)
}

/// Finds the open publication with a guard.
pub async fn find_open(db: &Conn<'_>, guard: &str) -> Result<Option<Publication>> {
    let sql = "SELECT * FROM publications WHERE guard = $1 AND open = 1";
    let row = db.fetch_one(sql, [guard.into()]).await?;
    Ok(row.map(|row| row.read()).transpose()?)
}

/// Records that the provider accepted the publication and waits for the video's bytes or processes
/// them. Returns `false` if the outcome is already stored.
pub async fn record_submission(
    db: &Conn<'_>,
    id: &PublicationId,
    publish_id: &str,
    state: State,
    now: Millis,
) -> Result<bool> {
    // A late response also replaces the state `unknown`.
    let sql = "UPDATE publications SET state = $2, publish_id = $3, code = NULL,
            finished_at = NULL, updated_at = $4
        WHERE id = $1 AND publish_id IS NULL AND state IN ('submitting', 'unknown') AND open = 1";
    let values = [
        id.value(),
        state.as_str().into(),
        publish_id.into(),
        now.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}

/// The outcome of a publication.
#[derive(Debug, Default)]
pub struct Ended<'a> {
    pub code: Option<&'a str>,
    pub provider_code: Option<&'a str>,
    pub post_id: Option<&'a str>,
}

/// Records the outcome of a publication, if the publication is still in the state `from`.
///
/// A publication with unknown outcome stays open. A successful publication of media without an
/// event stays open too, because nothing else records that these media were published.
pub async fn record_outcome(
    db: &Conn<'_>,
    id: &PublicationId,
    from: State,
    to: State,
    ended: Ended<'_>,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE publications SET state = $3, code = $4, provider_code = $5,
            post_id = $6, updated_at = $7, finished_at = $7, open = CASE
                WHEN $3 = 'unknown' OR ($3 = 'published' AND event_id IS NULL) THEN 1 ELSE 0 END
        WHERE id = $1 AND state = $2";
    let values = [
        id.value(),
        from.as_str().into(),
        to.as_str().into(),
        ended.code.map(str::to_owned).into(),
        ended.provider_code.map(str::to_owned).into(),
        ended.post_id.map(str::to_owned).into(),
        now.into(),
    ];
    let is_ended = db.run(sql, values).await? == 1;
    if is_ended && from == State::Uploading {
        secrets::delete(db, UPLOAD_URL, id.as_str()).await?;
    }
    Ok(is_ended)
}

/// Records the progress of an upload. `finishing` is true if the last chunk is about to be sent.
pub async fn record_upload(
    db: &Conn<'_>,
    id: &PublicationId,
    bytes: i64,
    finishing: bool,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE publications SET uploaded = $2, finishing = $3, updated_at = $4
        WHERE id = $1 AND state = 'uploading'";
    let values = [
        id.value(),
        bytes.into(),
        i64::from(finishing).into(),
        now.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}

/// Records that the provider has received the whole video.
pub async fn record_receipt(db: &Conn<'_>, id: &PublicationId, now: Millis) -> Result<bool> {
    let sql = "UPDATE publications SET state = 'processing', uploaded = bytes, polls = 0,
            code = NULL, updated_at = $2
        WHERE id = $1 AND state = 'uploading'";
    let is_received = db.run(sql, [id.value(), now.into()]).await? == 1;
    if is_received {
        secrets::delete(db, UPLOAD_URL, id.as_str()).await?;
    }
    Ok(is_received)
}

/// Counts a status request. `code` is the reason why the publication does not progress.
pub async fn record_poll(
    db: &Conn<'_>,
    id: &PublicationId,
    code: Option<&str>,
    now: Millis,
) -> Result<()> {
    let sql = "UPDATE publications SET polls = polls + 1, code = $2, updated_at = $3
        WHERE id = $1 AND finished_at IS NULL";
    let code = code.map(str::to_owned).into();
    db.run(sql, [id.value(), code, now.into()]).await?;
    Ok(())
}

/// Allows the same media to be published again after a finished publication.
pub async fn allow_republication(db: &Conn<'_>, id: &PublicationId, now: Millis) -> Result<bool> {
    let sql = "UPDATE publications SET open = 0, updated_at = $2
        WHERE id = $1 AND finished_at IS NOT NULL AND open = 1";
    Ok(db.run(sql, [id.value(), now.into()]).await? == 1)
}

/// The filter of a list of publications.
#[derive(Debug, Default)]
pub struct Filter {
    pub id: Option<PublicationId>,
    pub event_id: Option<EventId>,
    /// Only publications that this member created, and those of events that they may see.
    pub visible_to: Option<MemberId>,
    /// Only publications older than this position (created_at, id).
    pub before: Option<(Millis, PublicationId)>,
}

/// Lists the publications that match the filter, newest first, at most `probe`.
pub async fn list(db: &Conn<'_>, filter: Filter, probe: i64) -> Result<Vec<Publication>> {
    let mut query = Conditions::default();
    query.and("p.variant_id IS NULL");
    if let Some(id) = filter.id {
        let id = query.bind(String::from(id));
        query.and(&format!("p.id = {id}"));
    }
    if let Some(id) = filter.event_id {
        let id = query.bind(String::from(id));
        query.and(&format!("p.event_id = {id}"));
    }
    if let Some(member) = filter.visible_to {
        let id = query.bind(String::from(member));
        query.and(&format!(
            "(p.created_by = {id} OR EXISTS (SELECT 1 FROM event_people v
              WHERE v.event_id = p.event_id AND v.member_id = {id}))"
        ));
    }
    if let Some((at, id)) = filter.before {
        let (at, id) = (query.bind(at), query.bind(String::from(id)));
        query.and(&format!("(p.created_at, p.id) < ({at}, {id})"));
    }
    let limit = query.bind(probe);
    let sql = format!(
        "SELECT p.* FROM publications p WHERE {} ORDER BY p.created_at DESC, p.id DESC \
         LIMIT {limit}",
        query.text
    );
    let rows = db.fetch_all(&sql, query.values).await?;
    let rows = rows.iter().map(crate::Row::read);
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the number of publications, by state.
pub async fn count_by_state(db: &Conn<'_>) -> Result<Vec<(String, i64)>> {
    let sql = "SELECT state, count(*) AS n FROM publications GROUP BY state";
    let rows = db.fetch_all(sql, []).await?;
    let rows = rows
        .iter()
        .map(|row| Ok((row.try_get("", "state")?, row.try_get("", "n")?)));
    rows.collect()
}
