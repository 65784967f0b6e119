//! The calendars that the published examples use.

use domain::{
    CalendarFeedId, FeedFilter, LinkSecret, MemberId,
    time::{DAY, Millis},
};
use gateway::{Error, Result};
use store::{
    Conn,
    calendar_feeds::{self, CalendarFeed},
};

/// The secret of the calendar that the examples read.
const SECRET: &str = "agenda-assinada-de-exemplo-do-demo-da-Pauta";

/// Inserts two calendars: the examples never read the first one, and read the second one.
pub(super) async fn seed_calendar_feeds(
    db: &Conn<'_>,
    ids: [CalendarFeedId; 2],
    member_id: &MemberId,
    now: Millis,
) -> Result<()> {
    let [unread, read] = ids;
    seed_calendar_feed(db, unread, member_id, now).await?;
    let secret = LinkSecret::parse(SECRET);
    let secret = secret.ok_or_else(|| Error::internal("a malformed example secret"))?;
    insert_feed(db, read, &secret, member_id, now).await
}

/// Inserts a calendar that is never read.
pub(super) async fn seed_calendar_feed(
    db: &Conn<'_>,
    id: CalendarFeedId,
    member_id: &MemberId,
    now: Millis,
) -> Result<()> {
    insert_feed(db, id, &LinkSecret::generate(), member_id, now).await
}

async fn insert_feed(
    db: &Conn<'_>,
    id: CalendarFeedId,
    secret: &LinkSecret,
    member_id: &MemberId,
    now: Millis,
) -> Result<()> {
    let feed = CalendarFeed {
        id,
        member_id: member_id.clone(),
        name: "Agenda da equipe".into(),
        filter: FeedFilter::default(),
        created_at: now - DAY,
        last_read_at: None,
        revoked_at: None,
    };
    Ok(calendar_feeds::insert(db, &feed, &secret.digest()).await?)
}
