//! Reads the events of the agenda.

use domain::{
    EventStatus, Format, Member, Revision,
    channels::is_same_channel,
    time::{Millis, Timestamp, brasilia_day},
};
use gateway::{Error, Input, Result};
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{piece::words, view::View};

/// The maximum number of answers, of 200 events each, that one page of the agenda reads.
pub(super) const MOST_PAGES: usize = 10;

/// The entry that stands for guests in the list of awaited approvers.
const GUEST: &str = "convidado";

/// The fields of an event that the agenda needs.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Event {
    pub id: String,
    pub api_revision: Revision,
    pub title: String,
    pub channel: String,
    pub status: EventStatus,
    pub description: Option<String>,
    #[serde(default)]
    pub description_is_briefing: bool,
    /// `HH:mm`.
    pub hour: Option<String>,
    pub due_at: Option<Timestamp>,
    pub assignee_member_ids: Vec<String>,
    pub assignees_names: Vec<String>,
    pub media: Vec<Medium>,
    pub created_by_name: String,
    /// The current stage of the approval, if the event is approved in stages.
    #[serde(default)]
    pub aprovacao: Option<Approval>,
    /// The channels of the event's variants.
    #[serde(default)]
    pub canais: Vec<EventChannel>,
}

/// The current stage of an approval.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Approval {
    espera_por: Vec<Awaited>,
    pode_aprovar: bool,
}

/// An approver for whom a stage waits: a member or a role.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Awaited {
    Person { id: String },
    Role(String),
}

impl Approval {
    /// Returns true if the stage waits for this approver. A stage that waits only for guests counts as
    /// waiting for every approver, because approvers invite the guests.
    pub fn waits_for(&self, member: &Member) -> bool {
        let is_guest = |one: &Awaited| matches!(one, Awaited::Role(role) if role == GUEST);
        let is_awaited = |one: &Awaited| match one {
            Awaited::Person { id } => *id == member.id.as_str(),
            Awaited::Role(role) => self.pode_aprovar && *role == member.role.as_str(),
        };
        self.espera_por.iter().all(is_guest) || self.espera_por.iter().any(is_awaited)
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct EventChannel {
    pub canal: String,
    pub formato: Format,
    /// True if the hour of the channel has passed and the post is not online, or is not known to be
    /// online.
    #[serde(default)]
    pub atrasada: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Medium {
    pub url: String,
    pub media_type: String,
}

impl Medium {
    /// Returns the address of the file: a path or, if `base` is a full URL, the full URL.
    pub fn file_address(&self, base: &str) -> &str {
        if base.contains("://") {
            &self.url
        } else {
            self.file_path()
        }
    }

    /// Returns the path of the file's URL, without the host.
    pub fn file_path(&self) -> &str {
        let after = self.url.split_once("://").map_or("", |(_, rest)| rest);
        after.find('/').map_or(&self.url, |at| &after[at..])
    }
}

impl Event {
    /// Returns the caption. Empty while the description is only a briefing in an editable piece.
    pub fn caption(&self) -> &str {
        if self.description_is_briefing && self.status.is_editable() {
            return "";
        }
        self.description.as_deref().unwrap_or_default()
    }

    /// Returns the briefing, as long as no caption has replaced it.
    pub fn briefing(&self) -> Option<&str> {
        let briefing = self.description.as_deref();
        briefing.filter(|text| self.description_is_briefing && !text.trim().is_empty())
    }

    /// Returns the names of the variants' channels, without the channel of the event itself.
    pub fn other_channels(&self) -> Vec<&str> {
        let others = self.canais.iter().map(|one| one.canal.as_str());
        let others = others.filter(|channel| !is_same_channel(channel, &self.channel));
        let mut names: Vec<_> = others.map(words::channel_name).collect();
        names.dedup();
        names
    }

    /// Returns the channels and formats of the late posts.
    pub fn late_posts(&self) -> Vec<String> {
        let late = self.canais.iter().filter(|one| one.atrasada);
        let names = late.map(|one| {
            let channel = words::channel_name(&one.canal);
            format!("{channel} · {}", words::format_name(one.formato))
        });
        names.collect()
    }

    /// Returns true if the event or one of its variants goes to this channel.
    pub fn goes_to(&self, channel: &str) -> bool {
        let mut variants = self.canais.iter();
        is_same_channel(&self.channel, channel)
            || variants.any(|one| is_same_channel(&one.canal, channel))
    }

    /// Returns true if the event is open, and its date or the hour of one of its channels has passed.
    pub fn is_late(&self, now: Millis) -> bool {
        let is_past = self.due_instant().is_some_and(|due| due < now);
        self.status.is_open() && (is_past || self.canais.iter().any(|one| one.atrasada))
    }

    pub fn due_instant(&self) -> Option<Millis> {
        self.due_at.map(|at| at.0)
    }

    /// Returns the day of the due instant in Brasília time.
    pub fn due_day(&self) -> Option<Date> {
        self.due_instant().map(brasilia_day)
    }

    /// Returns true if the date of the event may change.
    pub fn is_movable(&self) -> bool {
        !matches!(self.status, EventStatus::Published | EventStatus::Archived)
    }
}

/// Events ordered by date. `more` is true if more events exist than were read.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub list: Vec<Event>,
    pub more: bool,
}

/// The answer of `list_events`.
#[derive(Deserialize)]
pub(super) struct Answer {
    pub eventos: Vec<Event>,
    pub next_cursor: Option<String>,
}

/// Reads all events that match the filter, up to `MOST_PAGES` pages.
pub(super) async fn read_events(view: &View<'_>, filter: Value) -> Result<Events> {
    read_pages(view, filter, MOST_PAGES).await
}

/// Reads the events that match the filter, up to a number of pages of 200 events.
pub(super) async fn read_pages(view: &View<'_>, filter: Value, most: usize) -> Result<Events> {
    let Value::Object(mut input) = filter else {
        return Err(Error::internal(
            "the filter of the agenda is not a JSON object",
        ));
    };
    input.insert("limit".into(), json!(200));
    let mut events = Events::default();
    for _ in 0..most {
        let answer = read_events_page(view, input.clone()).await?;
        events.list.extend(answer.eventos);
        let Some(cursor) = answer.next_cursor else {
            return Ok(events);
        };
        input.insert("cursor".into(), cursor.into());
    }
    events.more = true;
    Ok(events)
}

/// Reads one page. The answer is parsed directly into events, because a month has hundreds.
async fn read_events_page(view: &View<'_>, input: Input) -> Result<Answer> {
    let answer = view.ctx.call("list_events", input).await?;
    Ok(serde_json::from_str(&answer.body.into_json_text()?)?)
}

/// Returns the CSS class and the icon of a status. The names of statuses are in `piece::words`.
pub(super) fn class_and_sign(status: EventStatus) -> (&'static str, &'static str) {
    match status {
        EventStatus::Todo => ("todo", "○"),
        EventStatus::InProgress => ("doing", "✎"),
        EventStatus::Processing => ("doing", "⧗"),
        EventStatus::InApproval => ("wait", "◔"),
        EventStatus::Approved => ("good", "✓"),
        EventStatus::Refused => ("bad", "✕"),
        EventStatus::Published => ("out", "●"),
        EventStatus::Archived => ("gone", "▢"),
    }
}

/// Returns the first words of a text, on one line.
pub(super) fn first_words(text: &str, most: usize) -> String {
    let mut words = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if count + length > most {
            let room = most.saturating_sub(count);
            if count == 0 {
                words.extend(word.chars().take(room));
            }
            return format!("{}…", words.trim_end());
        }
        words.push_str(word);
        words.push(' ');
        count += length + 1;
    }
    words.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_words_are_cut_between_words() {
        assert_eq!(first_words("Um texto\ncurto", 20), "Um texto curto");
        assert_eq!(first_words("Um texto mais longo", 10), "Um texto…");
        assert_eq!(first_words("ãããããã", 3), "ããã…");
        assert_eq!(first_words("", 3), "");
    }

    #[test]
    fn media_are_requested_from_the_host_of_the_page() {
        let medium = |url: &str| Medium {
            url: url.into(),
            media_type: "image/png".into(),
        };
        assert_eq!(
            medium("https://a.test/media/1?s=2").file_path(),
            "/media/1?s=2"
        );
        assert_eq!(medium("/media/1").file_path(), "/media/1");
        let whole = medium("https://a.test/p/media/1");
        assert_eq!(whole.file_address("/p"), "/p/media/1");
        assert_eq!(
            whole.file_address("https://a.test/p"),
            "https://a.test/p/media/1"
        );
    }
}
