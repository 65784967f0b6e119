//! A calendar as a file: its properties, and one component for each piece.

use std::collections::HashMap;

use super::lines::Lines;
use domain::{
    EventId, EventStatus,
    channels::Channel,
    time::{MINUTE, Millis},
};
use store::{
    events::{CalendarEvent, MOST_CAPTION},
    variants::DatedVariant,
};

/// The interval at which calendar programs should read the file again (RFC 7986, section 5.7).
const REFRESH: &str = "PT1H";
/// The length of a piece in the calendar. Calendar programs draw an event without a length too small.
const LENGTH: Millis = 30 * MINUTE;

/// The time zone of the team, for calendar programs that show its name. No instant refers to the zone.
/// It also makes the file of an empty calendar valid, because a file needs at least one component (RFC
/// 5545, section 3.6).
const ZONE: [(&str, &str); 9] = [
    ("BEGIN", "VTIMEZONE"),
    ("TZID", "America/Sao_Paulo"),
    ("BEGIN", "STANDARD"),
    ("DTSTART", "20190217T000000"),
    ("TZOFFSETFROM", "-0200"),
    ("TZOFFSETTO", "-0300"),
    ("TZNAME", "-03"),
    ("END", "STANDARD"),
    ("END", "VTIMEZONE"),
];

/// The properties of a calendar.
pub(super) struct Heading {
    pub name: String,
    /// Describes the pieces in the calendar, and says which pieces are missing.
    pub description: String,
    /// The public URL of the service.
    pub public_url: String,
}

/// Writes a calendar. Equal inputs give equal text. `posts` are the variants that have their own planned
/// time; a variant is written if this time differs from the time of its piece.
pub(super) fn write_calendar(
    heading: &Heading,
    events: &[CalendarEvent],
    posts: &[DatedVariant],
) -> String {
    let mut of_pieces: HashMap<&EventId, Vec<&DatedVariant>> = HashMap::new();
    for post in posts {
        of_pieces.entry(&post.event_id).or_default().push(post);
    }
    let mut lines = Lines::default();
    lines.push("BEGIN", "VCALENDAR");
    lines.push("VERSION", "2.0");
    lines.push("PRODID", "-//Pauta//Agenda editorial//PT-BR");
    lines.push("CALSCALE", "GREGORIAN");
    for (standard, older, text) in [
        ("NAME", "X-WR-CALNAME", &heading.name),
        ("DESCRIPTION", "X-WR-CALDESC", &heading.description),
    ] {
        lines.push_text(standard, text);
        lines.push_text(older, text);
    }
    lines.push("X-WR-TIMEZONE", "America/Sao_Paulo");
    lines.push("REFRESH-INTERVAL;VALUE=DURATION", REFRESH);
    lines.push("X-PUBLISHED-TTL", REFRESH);
    for (name, value) in ZONE {
        lines.push(name, value);
    }
    for event in events {
        write_event(&mut lines, &heading.public_url, event, None);
        let posts = of_pieces.remove(&event.id).unwrap_or_default();
        for post in posts.into_iter().filter(|post| post.due_at != event.due_at) {
            write_event(&mut lines, &heading.public_url, event, Some(post));
        }
    }
    lines.push("END", "VCALENDAR");
    lines.into_text()
}

/// Writes a piece or, if `post` is given, this post of the piece at the time of the post. A change of a
/// post also changes the revision of its piece, so this revision is the `SEQUENCE` of both.
fn write_event(
    lines: &mut Lines,
    public_url: &str,
    event: &CalendarEvent,
    post: Option<&DatedVariant>,
) {
    let url = format!("{public_url}/eventos/{}", event.id);
    let waits =
        event.status == EventStatus::Approved && post.is_some_and(|post| post.is_approved == 0);
    let status = match waits {
        true => "espera aprovação",
        false => status_name(event.status),
    };
    let channel = post.map_or(event.channel.as_str(), |post| post.channel.as_str());
    let due_at = post.map_or(event.due_at, |post| post.due_at);
    let title = match post {
        None => event.title.clone(),
        Some(post) => format!("{}: {}", event.title, describe_channel(post)),
    };
    lines.push("BEGIN", "VEVENT");
    lines.push_text(
        "UID",
        post.map_or(event.id.as_str(), |post| post.id.as_str()),
    );
    lines.push_instant("DTSTAMP", event.updated_at);
    lines.push_instant("CREATED", event.created_at);
    lines.push_instant("LAST-MODIFIED", event.updated_at);
    lines.push("SEQUENCE", &event.api_revision.to_string());
    lines.push_instant("DTSTART", due_at);
    lines.push_instant("DTEND", due_at.saturating_add(LENGTH));
    lines.push_text("SUMMARY", &format!("{title} ({status})"));
    lines.push_text("DESCRIPTION", &describe_piece(event, channel, status, &url));
    lines.push("URL", &url);
    let categories = std::iter::once(channel).chain(event.tag.as_deref());
    lines.push_texts("CATEGORIES", categories);
    let confirmed = calendar_status(event.status);
    lines.push("STATUS", if waits { "TENTATIVE" } else { confirmed });
    // A planned publication does not make the assigned members busy.
    lines.push("TRANSP", "TRANSPARENT");
    lines.push("END", "VEVENT");
}

/// Returns the channel of a post, with its format if the channel has several.
fn describe_channel(post: &DatedVariant) -> String {
    match Channel::find(&post.channel) {
        Some(channel) if channel.formats.len() > 1 => format!("{} ({})", channel.name, post.format),
        Some(channel) => channel.name.to_owned(),
        None => post.channel.clone(),
    }
}

/// Returns the description of a piece. The last line is the address of the piece, because some programs
/// do not show the property `URL`.
fn describe_piece(event: &CalendarEvent, channel: &str, status: &str, url: &str) -> String {
    let mut text = format!("Canal: {channel}\nStatus: {status}");
    if let Some(tag) = &event.tag {
        text.push_str("\nTipo: ");
        text.push_str(tag);
    }
    if let Some(caption) = &event.caption {
        text.push_str("\n\n");
        match caption.char_indices().nth(MOST_CAPTION) {
            Some((end, _)) => {
                text.push_str(caption[..end].trim_end());
                text.push('…');
            }
            None => text.push_str(caption),
        }
    }
    text.push_str("\n\n");
    text.push_str(url);
    text
}

/// Returns the status of a piece in words that agree with "peça".
const fn status_name(status: EventStatus) -> &'static str {
    match status {
        EventStatus::Todo => "a fazer",
        EventStatus::InProgress => "em progresso",
        EventStatus::Processing => "gerando mídia",
        EventStatus::InApproval => "em aprovação",
        EventStatus::Approved => "aprovada",
        EventStatus::Refused => "recusada",
        EventStatus::Published => "publicada",
        EventStatus::Archived => "arquivada",
    }
}

/// Returns the status in the terms of iCalendar (RFC 5545, section 3.8.1.11). Programs remove or strike
/// out a cancelled event.
const fn calendar_status(status: EventStatus) -> &'static str {
    match status {
        EventStatus::Todo
        | EventStatus::InProgress
        | EventStatus::Processing
        | EventStatus::InApproval
        | EventStatus::Refused => "TENTATIVE",
        EventStatus::Approved | EventStatus::Published => "CONFIRMED",
        EventStatus::Archived => "CANCELLED",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Revision;

    fn sample_event(caption: &str) -> CalendarEvent {
        CalendarEvent {
            id: "01990000-0000-7000-8000-000000000061".into(),
            api_revision: Revision::new(3),
            title: "Bolo, café; pão".into(),
            channel: "instagram".into(),
            status: EventStatus::Approved,
            caption: Some(caption.into()),
            due_at: 1_787_410_800_000,
            tag: Some("receita, doce".into()),
            created_at: 1,
            updated_at: 1_787_000_000_000,
        }
    }

    fn write_unfolded(events: &[CalendarEvent]) -> String {
        let heading = Heading {
            name: "Agenda".into(),
            description: "Peças".into(),
            public_url: "https://pauta.test".into(),
        };
        write_calendar(&heading, events, &[]).replace("\r\n ", "")
    }

    #[test]
    fn an_event_has_all_its_properties() {
        let text = write_unfolded(&[sample_event("Legenda")]);
        let (_, found) = text.split_once("BEGIN:VEVENT\r\n").expect("an event");
        assert_eq!(
            found,
            "UID:01990000-0000-7000-8000-000000000061\r\n\
             DTSTAMP:20260817T205320Z\r\n\
             CREATED:19700101T000000Z\r\n\
             LAST-MODIFIED:20260817T205320Z\r\n\
             SEQUENCE:3\r\n\
             DTSTART:20260822T150000Z\r\n\
             DTEND:20260822T153000Z\r\n\
             SUMMARY:Bolo\\, café\\; pão (aprovada)\r\n\
             DESCRIPTION:Canal: instagram\\nStatus: aprovada\\nTipo: receita\\, doce\\n\\nLegenda\\n\\n\
             https://pauta.test/eventos/01990000-0000-7000-8000-000000000061\r\n\
             URL:https://pauta.test/eventos/01990000-0000-7000-8000-000000000061\r\n\
             CATEGORIES:instagram,receita\\, doce\r\n\
             STATUS:CONFIRMED\r\n\
             TRANSP:TRANSPARENT\r\n\
             END:VEVENT\r\n\
             END:VCALENDAR\r\n"
        );
    }

    #[test]
    fn an_empty_calendar_has_a_component() {
        let text = write_unfolded(&[]);
        assert!(text.starts_with("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:"));
        assert!(text.contains("\r\nX-WR-CALNAME:Agenda\r\n"));
        assert!(text.contains("\r\nREFRESH-INTERVAL;VALUE=DURATION:PT1H\r\n"));
        assert!(text.ends_with("END:VTIMEZONE\r\nEND:VCALENDAR\r\n"));
    }

    #[test]
    fn a_long_caption_is_cut_between_characters() {
        for length in [MOST_CAPTION - 1, MOST_CAPTION, MOST_CAPTION + 1] {
            let text = write_unfolded(&[sample_event(&"🍞".repeat(length))]);
            let shown = text.matches('🍞').count();
            assert_eq!(shown, length.min(MOST_CAPTION));
            assert_eq!(text.contains('…'), length > MOST_CAPTION);
        }
    }
}
