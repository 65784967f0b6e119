//! Calendars: the agenda as a secret address that Google Calendar, Apple Calendar or Outlook
//! subscribes to.
//!
//! Decided here:
//!
//! - A member creates addresses for themselves, and only in a session: an agent must not create access
//!   that outlives the agent.
//! - An address gives access to one page only. It is not a credential of the member (see
//!   `identity::calendar_feed`).
//! - Each response contains the pieces that the member may see at that moment, by their current role.
//!   The calendar of a project that is no longer active is empty.
//! - The file contains no briefing, no remarks and no names, because the provider of the calendar
//!   program stores the file. Pieces without a date are left out.
//! - The file contains the pieces from 90 days ago to 400 days ahead, at most 2,000. If there are more,
//!   pieces from today on take precedence, then the pieces of earlier days, from yesterday backwards.
//!   The description of the calendar says which pieces are missing.
//! - Instants are in UTC (RFC 5545, form 2 in section 3.3.5). Every piece is one instant, without
//!   recurrence, so all programs show it in the zone of their user. The zone in the file is only a
//!   name; no instant refers to it.
//! - There is no `METHOD`, so `DTSTAMP` is the instant of the last change (section 3.8.7.2), and a
//!   file without changes keeps its `ETag`.
//! - A variant whose planned time differs from the time of its piece is a separate calendar event, in
//!   the calendars that contain the piece. The UID of this event is the id of the variant. A change of a
//!   variant also changes the revision of its piece, so both calendar events have this revision as their
//!   sequence. If a piece has no date, its posts are left out too.
//! - An archived piece stays in the file as `CANCELLED` while its date is within the days of the file,
//!   so that programs that keep earlier events remove the piece. So a calendar that is filtered by a
//!   status also contains archived pieces, and "arquivado" itself cannot be the filter.
//! - A piece is left out without a cancellation if it loses its date, leaves the days of the file, no
//!   longer matches the filter or becomes hidden from the member. Subscribed programs replace all
//!   earlier events with the events of the new file, and a cancellation would disclose the title of a
//!   hidden piece.
//! - The API level "nenhum" (`update_member_api_access`) revokes no calendar: every member may create
//!   calendars in a session, and a calendar gives no access to the API. Calendars are revoked when a
//!   member loses all access, or when others may know the password: by offboarding, by a new password
//!   with `revoke_tokens`, and by `pauta admin password`.
//! - A calendar may be read 60 times in ten minutes, counted over all networks together
//!   (`gateway::Quotas`).

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
