//! A piece as the pages read it.

use domain::{EventStatus, Revision};
use gateway::Result;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::words;
use crate::view::View;

/// Lines of history in one read.
const LINES: u64 = 200;
/// Reads of history for one page.
const READS: usize = 5;

#[derive(Debug, Deserialize)]
pub(crate) struct Event {
    pub id: String,
    pub api_revision: Revision,
    pub title: String,
    pub channel: String,
    pub status: EventStatus,
    pub description: Option<String>,
    #[serde(default)]
    pub description_is_briefing: bool,
    #[serde(default)]
    pub briefing: Option<String>,
    pub day: Option<i8>,
    pub month: Option<i8>,
    pub year: Option<i16>,
    pub hour: Option<String>,
    pub due_at: Option<String>,
    pub editorial_tag: Option<String>,
    pub assignee_member_ids: Vec<String>,
    pub assignees_names: Vec<String>,
    pub media: Vec<Medium>,
    pub created_by_name: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Medium {
    pub id: String,
    pub url: String,
    pub slide_index: Option<i64>,
    pub alt: Option<String>,
    pub media_type: String,
    /// Whether it is shown outside the pages of this service.
    #[serde(skip)]
    pub is_elsewhere: bool,
}

/// One change of a piece.
#[derive(Debug, Deserialize)]
pub(crate) struct Line {
    pub api_revision: Revision,
    pub action: String,
    pub actor_member_id: String,
    pub actor_name: String,
    #[serde(default)]
    pub agent: Option<String>,
    pub changes: Map<String, Value>,
    pub reason: Option<String>,
    pub occurred_at: String,
}

#[derive(Debug, Deserialize)]
struct Read {
    evento: Event,
    historico: Vec<Line>,
    next_cursor: Option<String>,
}

/// A piece and its history, newest first.
#[derive(Debug)]
pub(crate) struct Piece {
    pub event: Event,
    pub lines: Vec<Line>,
    /// Whether there are earlier lines that were not read.
    pub is_cut: bool,
}

impl Piece {
    /// Reads a piece with its latest history, and further back as far as `until` needs.
    pub async fn read(view: &View<'_>, id: &str, until: Option<Revision>) -> Result<Self> {
        let input = json!({ "eventId": id, "limit": LINES });
        let first: Read = view.read("get_event", input).await?;
        let mut piece = Self {
            event: first.evento,
            lines: first.historico,
            is_cut: first.next_cursor.is_some(),
        };
        let mut next = first.next_cursor;
        for _ in 1..READS {
            let reaches = piece.oldest() <= until.unwrap_or(Revision::MAX);
            let Some(cursor) = next.take().filter(|_| !reaches) else {
                break;
            };
            let input = json!({ "eventId": id, "limit": LINES, "cursor": cursor });
            let more: Read = view.read("get_event", input).await?;
            piece.lines.extend(more.historico);
            piece.is_cut = more.next_cursor.is_some();
            next = more.next_cursor;
        }
        Ok(piece)
    }

    /// A piece from the answer of `get_event`, to be shown outside the pages of this service.
    pub fn of(answer: Value) -> Result<Self> {
        let mut read: Read = serde_json::from_value(answer)?;
        for medium in &mut read.evento.media {
            medium.is_elsewhere = true;
        }
        Ok(Self {
            event: read.evento,
            lines: read.historico,
            is_cut: read.next_cursor.is_some(),
        })
    }

    /// The oldest revision that was read.
    fn oldest(&self) -> Revision {
        self.lines
            .last()
            .map_or(self.event.api_revision, |line| line.api_revision)
    }

    /// Whether the caption of this revision is known.
    pub fn knows(&self, revision: Revision) -> bool {
        revision <= self.event.api_revision && revision >= self.oldest()
    }

    /// The caption at a revision.
    pub fn caption_at(&self, revision: Revision) -> &str {
        let after = self.lines.iter();
        let after = after.take_while(|line| line.api_revision > revision);
        let earliest = after
            .filter_map(|line| line.changes.get("description"))
            .last();
        let caption = match earliest {
            Some(change) => change["before"].as_str(),
            None => self.event.description.as_deref(),
        };
        caption.unwrap_or_default()
    }

    pub fn caption(&self) -> &str {
        self.event.description.as_deref().unwrap_or_default()
    }

    /// What happened after a revision, newest first.
    pub fn since(&self, revision: Revision) -> &[Line] {
        let end = self.lines.iter();
        let end = end.take_while(|line| line.api_revision > revision).count();
        &self.lines[..end]
    }

    /// The latest change by an operation.
    pub fn last(&self, action: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.action == action)
    }
}

impl Event {
    /// The caption. While it can still be written, what was asked for is not shown as one.
    pub fn caption(&self) -> &str {
        if self.description_is_briefing && self.status.is_editable() {
            return "";
        }
        self.description.as_deref().unwrap_or_default()
    }

    pub fn is_editable(&self) -> bool {
        self.status.is_editable()
    }

    /// The day as a date field has it.
    pub fn date(&self) -> String {
        match (self.year, self.month, self.day) {
            (Some(year), Some(month), Some(day)) => format!("{year:04}-{month:02}-{day:02}"),
            _ => String::new(),
        }
    }
}

impl Medium {
    pub fn is_video(&self) -> bool {
        self.media_type.starts_with("video/")
    }

    /// The path of its link, so that it is asked of the same host as the page; elsewhere the whole link.
    pub fn src(&self) -> String {
        if self.is_elsewhere {
            return self.url.clone();
        }
        let Ok(url) = url::Url::parse(&self.url) else {
            return self.url.clone();
        };
        match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        }
    }

    /// Whether it moves, although it is an image. Smaller images of it do not.
    pub fn is_animation(&self) -> bool {
        self.media_type == "image/gif"
    }

    pub fn alt(&self) -> &str {
        self.alt.as_deref().unwrap_or_default()
    }
}

impl Line {
    /// The status that it led to, where it changed the status.
    pub fn status(&self) -> Option<EventStatus> {
        let after = self.changes.get("status")?["after"].as_str()?;
        after.parse().ok()
    }

    /// What it did, after the name of who did it.
    pub fn did(&self) -> &str {
        words::did(&self.action, self.status())
    }

    /// Who did it, and through which agent: `Claude por Ana`.
    pub fn who(&self) -> String {
        match &self.agent {
            Some(agent) => format!("{agent} por {}", self.actor_name),
            None => self.actor_name.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(revision: i64, before: Option<&str>) -> Value {
        let changes = match before {
            Some(before) => json!({ "description": { "before": before, "after": "…" } }),
            None => json!({ "title": { "before": "a", "after": "b" } }),
        };
        json!({
            "api_revision": revision, "action": "save_draft", "actor_member_id": "m",
            "actor_name": "Ana", "changes": changes, "reason": null, "occurred_at": "",
        })
    }

    #[test]
    fn the_caption_of_a_revision_is_what_the_next_change_of_it_replaced() {
        let event = json!({
            "id": "e", "api_revision": 5, "title": "t", "channel": "x", "status": "a fazer",
            "description": "quinta", "assignee_member_ids": [], "assignees_names": [], "media": [],
            "created_by_name": "Ana",
        });
        let lines = json!([
            line(5, Some("quarta")),
            line(4, None),
            line(3, Some("segunda")),
            line(2, None)
        ]);
        let piece = Piece {
            event: serde_json::from_value(event).expect("an event"),
            lines: serde_json::from_value(lines).expect("lines"),
            is_cut: true,
        };
        let at = |revision| piece.caption_at(Revision::new(revision));
        assert_eq!(
            [at(5), at(4), at(3), at(2)],
            ["quinta", "quarta", "quarta", "segunda"]
        );
        let knows = |revision| piece.knows(Revision::new(revision));
        assert!(knows(2) && !knows(1) && !knows(6));
        assert_eq!(piece.since(Revision::new(3)).len(), 2);
        assert_eq!(piece.lines[0].who(), "Ana");
    }
}
