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
//! - The file has the pieces from 90 days ago to 400 days ahead, at most 2,000. Of more, those of today
//!   and later are kept first, then those of the days before, backwards from yesterday. The
//!   description of the calendar says what is missing.
//! - Instants are in UTC (RFC 5545, form 2 in section 3.3.5). Every piece is one instant, without
//!   recurrence, so all programs show it in the zone of their user. The zone in the file is only a
//!   name; no instant refers to it.
//! - There is no `METHOD`, so `DTSTAMP` is the instant of the last change (section 3.8.7.2), and a
//!   file without changes keeps its `ETag`.
//! - A variant with another hour than its piece is an event of its own, with the id of the variant as its
//!   UID, in the calendars that have the piece. A change of a variant is one of its piece, so both have the
//!   revision of the piece as their sequence. The posts of a piece without a date are left out with it.
//! - An archived piece stays as `CANCELLED` while its date is in the file, so that programs that
//!   keep what they have read remove it. A calendar of one status has the archived pieces too, and
//!   "arquivado" itself is no filter.
//! - A piece that loses its date, leaves the days of the file, no longer fits the filter or may no
//!   longer be seen is left out without a cancellation. Programs that subscribe replace all they
//!   had with the whole file, and even the title of a hidden piece is hidden.
//! - The access level "nenhum" (`update_member_api_access`) ends no calendar: any member makes one in
//!   a session, and it is no access to the API. What ends a member's access or a password that
//!   others may know ends the calendars too: offboarding, `revoke_tokens` with a new password, and
//!   `pauta admin password`.
//! - A calendar may be read 60 times in ten minutes, from all networks together (`gateway::Quotas`).

mod area;
mod create_calendar_feed;
mod feed_view;
mod file;
mod get_calendar_feed;
mod hints;
mod lines;
mod list_calendar_feeds;
mod revoke_calendar_feed;

pub use area::AREA;
pub use create_calendar_feed::CreateCalendarFeed;
pub use list_calendar_feeds::ListCalendarFeeds;
pub use revoke_calendar_feed::RevokeCalendarFeed;

use gateway::Code;

/// Maximum number of calendars of a member that are in force.
const MOST_FEEDS: usize = 10;

pub const TOO_MANY_CALENDAR_FEEDS: Code = Code::new(
    "TOO_MANY_CALENDAR_FEEDS",
    409,
    "Você já tem 10 calendários em vigor.",
)
.with_next_step("Revogue os que não usa mais; veja `list_calendar_feeds`.");
