//! Stored images and videos.

use super::{Bind, Conn, columns, conditions::Conditions, convert, media_texts};
use crate::{
    Result,
    searching::{self, FoundText, Joined, Kind},
};
use domain::{EventId, MediaId, MemberId, time::Millis};
use search::typed::Typed;

/// A stored image or video.
#[derive(Debug, Clone)]
pub struct Media {
    pub id: MediaId,
    pub sha256: String,
    pub media_type: String,
    pub bytes: i64,
    pub width: Option<i64>,
    pub height: Option<i64>,
    pub kind: String,
    pub alt: Option<String>,
    pub origin: String,
    pub created_by: MemberId,
    pub created_at: Millis,
    /// The URL of an imported file, without its query; `None` for other media.
    pub source_url: Option<String>,
}

columns!(Media {
    id,
    sha256,
    media_type,
    bytes,
    width,
    height,
    kind,
    alt,
    origin,
    created_by,
    created_at,
    source_url,
});

/// Returns the storage path of a medium's bytes.
#[must_use]
pub fn storage_path(sha256: &str) -> String {
    format!("sha256/{}/{sha256}", sha256.get(..2).unwrap_or_default())
}

/// Returns the storage path of a medium's reduced image of this width, next to the original.
#[must_use]
pub fn reduced_image_path(sha256: &str, width: u32) -> String {
    format!("{}-{width}", storage_path(sha256))
}

const INSERT: &str = "
INSERT INTO media (id, sha256, media_type, bytes, width, height, kind, alt, origin, created_by,
    created_at, source_url)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";

/// Stores a medium and the text by which it is found.
pub async fn insert(db: &Conn<'_>, media: &Media) -> Result<()> {
    let values = [
        media.id.value(),
        media.sha256.as_str().into(),
        media.media_type.as_str().into(),
        media.bytes.into(),
        media.width.into(),
        media.height.into(),
        media.kind.as_str().into(),
        media.alt.clone().into(),
        media.origin.as_str().into(),
        media.created_by.value(),
        media.created_at.into(),
        media.source_url.clone().into(),
    ];
    db.run(INSERT, values).await?;
    media_texts::save_text(db, media.id.as_str()).await
}

/// Returns whether any medium exists.
pub async fn any_media_exist(db: &Conn<'_>) -> Result<bool> {
    let found = db.fetch_one("SELECT id FROM media LIMIT 1", []).await?;
    Ok(found.is_some())
}

pub async fn find(db: &Conn<'_>, id: &MediaId) -> Result<Option<Media>> {
    let row = db
        .fetch_one("SELECT * FROM media WHERE id = $1", [id.value()])
        .await?;
    Ok(row.map(|row| row.read()).transpose()?)
}

/// Derived media are not listed, because no member added them.
const IS_NOT_DERIVED: &str = "NOT EXISTS (SELECT 1 FROM derived_media d WHERE d.media_id = f.id)";

/// The condition that a member may see a medium: they created the medium, or can see an event that
/// uses it.
const IS_VISIBLE: &str = "(f.created_by = {id} OR EXISTS (
    SELECT 1 FROM event_media x JOIN event_people v ON v.event_id = x.event_id
    WHERE x.media_id = f.id AND v.member_id = {id}))";

/// The same condition as [`IS_VISIBLE`], as a list of all media that the member may see.
const IS_ONE_OF_FEW: &str = "f.id IN (
    SELECT m.id FROM media m WHERE m.created_by = {id}
    UNION SELECT x.media_id FROM event_people v JOIN event_media x ON x.event_id = v.event_id
    WHERE v.member_id = {id})";

/// For a member with at most this many media and events, the visible media are listed by
/// [`IS_ONE_OF_FEW`]. For other members a scan of the newest media fills a page quickly.
const FEW: i64 = 1_000;

async fn sees_few_media(db: &Conn<'_>, member: &MemberId) -> Result<bool> {
    let sql = format!(
        "SELECT (SELECT count(*) FROM (SELECT 1 FROM media m WHERE m.created_by = $1
            LIMIT {FEW} + 1) own)
         + (SELECT count(*) FROM (SELECT 1 FROM event_people v WHERE v.member_id = $1
            LIMIT {FEW} + 1) seen) AS n"
    );
    let row = db.fetch_one(&sql, [member.value()]).await?;
    Ok(row.map_or(Ok(0), |row| row.try_get::<i64>("", "n"))? <= FEW)
}

/// Finds these media, in no particular order. If `visible_to` is set, finds only media that this
/// member may see.
pub async fn find_visible(
    db: &Conn<'_>,
    visible_to: Option<&MemberId>,
    ids: &[MediaId],
) -> Result<Vec<Media>> {
    if ids.is_empty() {
        return Ok(vec![]);
    }
    let mut query = Conditions::default();
    let names: Vec<String> = ids.iter().map(|id| query.bind(id.value())).collect();
    query.and(&format!("f.id IN ({})", names.join(", ")));
    if let Some(member) = visible_to {
        let member = query.bind(member.value());
        query.and(&IS_VISIBLE.replace("{id}", &member));
    }
    fetch_media(db, query, "").await
}

async fn fetch_media(db: &Conn<'_>, query: Conditions, tail: &str) -> Result<Vec<Media>> {
    let condition = if query.text.is_empty() {
        "TRUE"
    } else {
        &query.text
    };
    let sql = format!("SELECT f.* FROM media f WHERE {condition} {tail}");
    let rows = db.fetch_all(&sql, query.values).await?;
    Ok(rows
        .iter()
        .map(crate::Row::read)
        .collect::<Result<_, _>>()?)
}

/// The filter of a list of media.
#[derive(Debug, Default)]
pub struct Filter {
    /// Only media attached to this event.
    pub event_id: Option<EventId>,
    /// Only media that this member may see.
    pub visible_to: Option<MemberId>,
    pub media_type_prefix: Option<&'static str>,
    /// Only media older than this position (created_at, id).
    pub before: Option<(Millis, MediaId)>,
}

/// Returns the media that match the filter, newest first, at most `probe`.
pub async fn list(db: &Conn<'_>, filter: Filter, probe: i64) -> Result<Vec<Media>> {
    let mut query = Conditions::default();
    query.and(IS_NOT_DERIVED);
    if let Some(event) = filter.event_id {
        let event = query.bind(String::from(event));
        query.and(&format!(
            "f.id IN (SELECT media_id FROM event_media WHERE event_id = {event})"
        ));
    }
    if let Some(member) = filter.visible_to {
        let is_visible = match sees_few_media(db, &member).await? {
            true => IS_ONE_OF_FEW,
            false => IS_VISIBLE,
        };
        let member = query.bind(String::from(member));
        query.and(&is_visible.replace("{id}", &member));
    }
    if let Some(prefix) = filter.media_type_prefix {
        let prefix = query.bind(format!("{prefix}%"));
        query.and(&format!("f.media_type LIKE {prefix}"));
    }
    if let Some((at, id)) = filter.before {
        let (at, id) = (query.bind(at), query.bind(String::from(id)));
        query.and(&format!("(f.created_at, f.id) < ({at}, {id})"));
    }
    let limit = query.bind(probe);
    fetch_media(
        db,
        query,
        &format!("ORDER BY f.created_at DESC, f.id DESC LIMIT {limit}"),
    )
    .await
}

/// The factor by which the number of searched media grows if the member may see too few of them.
const READ_MORE: usize = 4;
/// The maximum number of searched media per requested medium.
const MOST_READ: usize = 64;

/// Finds listed media by their texts. If `visible_to` is set, finds only media that this member may
/// see.
pub async fn find_by_query(
    db: &Conn<'_>,
    visible_to: Option<&MemberId>,
    typed: &Typed,
    most: usize,
) -> Result<Vec<(MediaId, FoundText)>> {
    let mut conditions = Conditions::default();
    conditions.and("f.id = t.id");
    conditions.and(IS_NOT_DERIVED);
    if let Some(member) = visible_to {
        let member = conditions.bind(member.value());
        conditions.and(&IS_VISIBLE.replace("{id}", &member));
    }
    let mut probe = most;
    let found = loop {
        let joined = Joined {
            table: "media f",
            conditions: conditions.clone(),
        };
        let found = searching::find_texts(db, Kind::Media, typed, joined, probe).await?;
        let Some(member) = visible_to else {
            break found;
        };
        // Some found media match only by texts on events that the member may not see, so more media are
        // searched.
        let is_all = found.len() < probe;
        let mut found = media_texts::retain_visible(db, member, typed, found).await?;
        if found.len() >= most || is_all || probe >= most.saturating_mul(MOST_READ) {
            found.truncate(most);
            break found;
        }
        probe = probe.saturating_mul(READ_MORE);
    };
    let found = found.into_iter();
    let found = found.map(|text| Ok((convert(text.id.clone())?, text)));
    found.collect()
}

/// Finds the medium that was derived from `source` for this purpose.
pub async fn find_derived(
    db: &Conn<'_>,
    source: &MediaId,
    purpose: &str,
) -> Result<Option<MediaId>> {
    let sql = "SELECT media_id FROM derived_media WHERE source_id = $1 AND purpose = $2";
    let row = db.fetch_one(sql, [source.value(), purpose.into()]).await?;
    Ok(row.map(|row| row.try_get("", "media_id")).transpose()?)
}

/// Records a derived medium. Returns `false` if `source` already has a derived medium for this purpose.
pub async fn insert_derived(
    db: &Conn<'_>,
    source: &MediaId,
    purpose: &str,
    made: &MediaId,
) -> Result<bool> {
    let sql = "INSERT INTO derived_media (source_id, purpose, media_id) VALUES ($1, $2, $3)
        ON CONFLICT (source_id, purpose) DO NOTHING";
    let values = [source.value(), purpose.into(), made.value()];
    Ok(db.run(sql, values).await? == 1)
}

/// Lists the newest event that each of these media is attached to. If `visible_to` is set, considers
/// only events that this member may see. Ids of events are in the order of their creation.
pub async fn list_newest_events(
    db: &Conn<'_>,
    visible_to: Option<&MemberId>,
    ids: &[MediaId],
) -> Result<Vec<(MediaId, EventId)>> {
    if ids.is_empty() {
        return Ok(vec![]);
    }
    let mut query = Conditions::default();
    let names: Vec<String> = ids.iter().map(|id| query.bind(id.value())).collect();
    query.and(&format!("x.media_id IN ({})", names.join(", ")));
    if let Some(member) = visible_to {
        let member = query.bind(member.value());
        query.and(&format!(
            "EXISTS (SELECT 1 FROM event_people p
             WHERE p.event_id = x.event_id AND p.member_id = {member})"
        ));
    }
    let sql = format!(
        "SELECT x.media_id, max(x.event_id) AS event_id FROM event_media x
         WHERE {} GROUP BY x.media_id",
        query.text
    );
    let rows = db.fetch_all(&sql, query.values).await?;
    let rows = rows
        .iter()
        .map(|row| Ok((row.try_get("", "media_id")?, row.try_get("", "event_id")?)));
    rows.collect()
}

/// Lists the events that these media are attached to: (medium, event).
pub async fn list_attachments(db: &Conn<'_>, ids: &[MediaId]) -> Result<Vec<(MediaId, EventId)>> {
    if ids.is_empty() {
        return Ok(vec![]);
    }
    let mut query = Conditions::default();
    let names: Vec<String> = ids.iter().map(|id| query.bind(id.value())).collect();
    let sql = format!(
        "SELECT media_id, event_id FROM event_media WHERE media_id IN ({})
         ORDER BY event_id, media_id",
        names.join(", ")
    );
    let rows = db.fetch_all(&sql, query.values).await?;
    let rows = rows
        .iter()
        .map(|row| Ok((row.try_get("", "media_id")?, row.try_get("", "event_id")?)));
    rows.collect()
}
