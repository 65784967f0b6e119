//! Calendars: the agenda as a secret address that Google Calendar, Apple Calendar or Outlook
//! subscribes to.
//!
//! Decided here:
//!
//! - A member makes addresses for themselves, in a session: an agent opens no door that outlives it.
//! - An address opens one page and nothing else. It is no credential of the member (see
//!   `identity::calendar_feed`).
//! - Each reading shows what the member may see at that moment, by their current role. A project
//!   that has ended shows nothing.
//! - The file has no briefing, no remarks and no names: it is stored by the provider of the
//!   calendar. Pieces without a date are left out.
//! - The file has the pieces from 90 days ago to 400 days ahead, at most 2,000. Of more, those with
//!   the latest dates are left out, and the description of the calendar says so.
//! - Instants are in UTC (RFC 5545, form 2 in section 3.3.5). Every piece is one instant, without
//!   recurrence, so a time zone has nothing to add, and all programs show the instant in the zone of
//!   their user. A local time would need the rules of the zone in the file. Outlook uses those of a
//!   single appointment only to name the zone (MS-OXCICAL, 2.1.3.1.1.20.10.1), and the rules would
//!   be wrong when Brazil changes its zone.
//! - There is no `METHOD`, so `DTSTAMP` is the instant of the last change (section 3.8.7.2), and a
//!   file without changes keeps its `ETag`.
//! - An archived piece stays as `CANCELLED` while its date is in the file, so that programs that
//!   keep what they have read remove it. A piece that the member may no longer see is left out,
//!   because even its title is hidden.

mod area;
mod create_calendar_feed;
mod feed_view;
mod get_calendar_feed;
mod hints;
mod icalendar;
mod list_calendar_feeds;
mod revoke_calendar_feed;
mod written;

pub use area::AREA;
pub use create_calendar_feed::CreateCalendarFeed;
pub use list_calendar_feeds::ListCalendarFeeds;
pub use revoke_calendar_feed::RevokeCalendarFeed;

use gateway::{Code, Resource};
use store::calendar_feeds;

/// Maximum number of calendars of a member that are in force.
const MOST_FEEDS: usize = 10;

pub const TOO_MANY_CALENDAR_FEEDS: Code = Code::new(
    "TOO_MANY_CALENDAR_FEEDS",
    409,
    "Você já tem 10 calendários em vigor.",
)
.with_next_step("Revogue os que não usa mais; veja `list_calendar_feeds`.");

/// A calendar. Only its member sees it and is notified of its changes.
pub const CALENDAR_FEED: Resource = Resource::new("calendar_feed")
    .with_visibility(|db, member, id| {
        Box::pin(async move {
            calendar_feeds::require_for_member(&db, &member.id, &id.into()).await?;
            Ok(())
        })
    })
    .with_audience(|db, member, id| {
        Box::pin(async move {
            let found = calendar_feeds::find_for_member(&db, &member.id, &id.into()).await?;
            Ok(found.is_some())
        })
    });
