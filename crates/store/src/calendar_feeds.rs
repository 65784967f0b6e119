//! Calendar feeds of members.

use super::{Bind, Conn, Row, members};
use crate::Result;
use domain::{CalendarFeedId, Error, FeedFilter, Member, MemberId, time::Millis};

/// A calendar feed, without the secret of its URL.
#[derive(Debug, Clone)]
pub struct CalendarFeed {
    pub id: CalendarFeedId,
    pub member_id: MemberId,
    pub name: String,
    pub filter: FeedFilter,
    pub created_at: Millis,
    pub last_read_at: Option<Millis>,
    pub revoked_at: Option<Millis>,
}

const SELECT: &str = "
SELECT id, member_id, name, filter, created_at, last_read_at, revoked_at
FROM calendar_feeds WHERE ";

fn read_feed(row: &Row) -> Result<CalendarFeed> {
    let filter: String = row.try_get("", "filter")?;
    Ok(CalendarFeed {
        id: row.try_get("", "id")?,
        member_id: row.try_get("", "member_id")?,
        name: row.try_get("", "name")?,
        filter: serde_json::from_str(&filter)?,
        created_at: row.try_get("", "created_at")?,
        last_read_at: row.try_get("", "last_read_at")?,
        revoked_at: row.try_get("", "revoked_at")?,
    })
}

/// Inserts a calendar feed with the hash of its secret.
pub async fn insert(db: &Conn<'_>, feed: &CalendarFeed, secret_sha256: &str) -> Result<()> {
    let sql = "INSERT INTO calendar_feeds (id, secret_sha256, member_id, name, filter, created_at)
               VALUES ($1, $2, $3, $4, $5, $6)";
    let filter = serde_json::to_string(&feed.filter)?;
    let values = [
        feed.id.value(),
        secret_sha256.into(),
        feed.member_id.value(),
        feed.name.as_str().into(),
        filter.into(),
        feed.created_at.into(),
    ];
    Ok(db.run_later(sql, values).await?)
}

/// Finds a calendar feed, revoked or not, and its member by the hash of the secret.
pub async fn find_by_secret(
    db: &Conn<'_>,
    secret_sha256: &str,
) -> Result<Option<(CalendarFeed, Member)>> {
    let sql = format!("{SELECT} secret_sha256 = $1");
    let Some(row) = db.fetch_one(&sql, [secret_sha256.into()]).await? else {
        return Ok(None);
    };
    let feed = read_feed(&row)?;
    let member = members::find(db, &feed.member_id).await?;
    Ok(member.map(|member| (feed, member)))
}

/// Finds a calendar feed of this member, revoked or not.
pub async fn find_for_member(
    db: &Conn<'_>,
    member_id: &MemberId,
    id: &CalendarFeedId,
) -> Result<Option<CalendarFeed>> {
    let sql = format!("{SELECT} id = $1 AND member_id = $2");
    let row = db.fetch_one(&sql, [id.value(), member_id.value()]).await?;
    row.as_ref().map(read_feed).transpose()
}

/// Finds a calendar feed of this member, revoked or not. Returns an error (404) if there is none.
pub async fn require_for_member(
    db: &Conn<'_>,
    member_id: &MemberId,
    id: &CalendarFeedId,
) -> Result<CalendarFeed> {
    let found = find_for_member(db, member_id, id).await?;
    found.ok_or_else(|| Error::not_found_in("calendário", "list_calendar_feeds").into())
}

/// Lists the calendar feeds of a member that are not revoked, the newest first.
pub async fn list_in_force(db: &Conn<'_>, member_id: &MemberId) -> Result<Vec<CalendarFeed>> {
    let sql =
        format!("{SELECT} member_id = $1 AND revoked_at IS NULL ORDER BY created_at DESC, id DESC");
    let rows = db.fetch_all(&sql, [member_id.value()]).await?;
    rows.iter().map(read_feed).collect()
}

/// Lists the calendar feeds of these members that are not revoked, the newest first.
pub async fn list_in_force_of(db: &Conn<'_>, members: &[MemberId]) -> Result<Vec<CalendarFeed>> {
    if members.is_empty() {
        return Ok(vec![]);
    }
    let places: Vec<String> = (1..=members.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "{SELECT} member_id IN ({}) AND revoked_at IS NULL ORDER BY created_at DESC, id DESC",
        places.join(", ")
    );
    let rows = db.fetch_all(&sql, members.iter().map(Bind::value)).await?;
    rows.iter().map(read_feed).collect()
}

/// Revokes a calendar feed. Changes nothing if the feed is already revoked.
pub async fn revoke(db: &Conn<'_>, id: &CalendarFeedId, now: Millis) -> Result<()> {
    let sql = "UPDATE calendar_feeds SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
    Ok(db.run_later(sql, [id.value(), now.into()]).await?)
}

/// Revokes all calendar feeds of a member. Returns the ids of the feeds that were not revoked before.
pub async fn revoke_all_of(
    db: &Conn<'_>,
    member_id: &MemberId,
    now: Millis,
) -> Result<Vec<CalendarFeedId>> {
    let sql = "UPDATE calendar_feeds SET revoked_at = $2
               WHERE member_id = $1 AND revoked_at IS NULL RETURNING id";
    let rows = db.fetch_all(sql, [member_id.value(), now.into()]).await?;
    let ids = rows.iter().map(|row| Ok(row.try_get("", "id")?));
    ids.collect()
}

/// Records when a calendar feed was last read.
pub async fn set_last_read(db: &Conn<'_>, id: &CalendarFeedId, at: Millis) -> Result<()> {
    let sql = "UPDATE calendar_feeds SET last_read_at = $2
               WHERE id = $1 AND (last_read_at IS NULL OR last_read_at < $2)";
    Ok(db.run_later(sql, [id.value(), at.into()]).await?)
}
