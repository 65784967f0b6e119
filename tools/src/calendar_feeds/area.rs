//! Declares the area: its name, its description, its operations and pages.

use super::{
    CreateCalendarFeed, ListCalendarFeeds, RevokeCalendarFeed, TOO_MANY_CALENDAR_FEEDS,
    get_calendar_feed,
};
use gateway::{Area, Entry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "calendar_feeds",
    "Calendários: a agenda num endereço secreto, para Google Agenda, Apple Calendário ou Outlook.",
)
.codes(&[TOO_MANY_CALENDAR_FEEDS])
.announces_nothing()
.operations(&[
    Entry::for_operation::<CreateCalendarFeed>(),
    Entry::for_operation::<ListCalendarFeeds>(),
    Entry::for_operation::<RevokeCalendarFeed>(),
])
.pages(&[get_calendar_feed::PAGE]);
