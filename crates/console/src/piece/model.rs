//! Reads a piece for the pages.

use domain::{EventStatus, MemberId, Revision};
use gateway::Result;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{approval::Approval, variant::Variant, words};
use crate::{text, view::View};

/// The number of history lines in one read.
const LINES: u64 = 200;
/// The number of newest changes whose authors the page names.
const NAMED: usize = 20;
/// The maximum number of reads of history for one page.
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
    /// The approval of the piece, while it waits in a stage.
    #[serde(default)]
    pub aprovacao: Option<Approval>,
    pub editorial_tag: Option<String>,
    #[serde(default)]
    pub post_url: Option<String>,
    pub assignee_member_ids: Vec<String>,
    pub assignees_names: Vec<String>,
    pub media: Vec<Medium>,
    pub created_by: String,
    pub created_by_name: String,
}

#[derive(Debug, PartialEq, Deserialize)]
pub(crate) struct Medium {
    pub id: String,
    pub url: String,
    pub slide_index: Option<i64>,
    #[serde(default)]
    pub kind: Option<String>,
    pub alt: Option<String>,
    pub media_type: String,
    /// True if the medium is drawn for a page of another host, which needs full links.
    #[serde(skip)]
    pub is_elsewhere: bool,
}

/// A medium as it was on the piece at an earlier revision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PastMedium<'a> {
    pub id: &'a str,
    pub alt: Option<&'a str>,
    /// `None` if the viewer may no longer see the medium.
    pub stored: Option<&'a Medium>,
}

impl<'a> PastMedium<'a> {
    fn from_medium(medium: &'a Medium) -> Self {
        Self {
            id: &medium.id,
            alt: medium.alt.as_deref(),
            stored: Some(medium),
        }
    }
}

/// One change of a piece.
#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    pub api_revision: Revision,
    pub action: String,
    pub actor_member_id: String,
    pub actor_name: String,
    #[serde(default)]
    convidado: bool,
    #[serde(default)]
    pub agent: Option<String>,
    pub changes: Map<String, Value>,
    pub reason: Option<String>,
    pub occurred_at: String,
}

#[derive(Debug, Deserialize)]
struct Read {
    evento: Event,
    historico: Vec<Change>,
    #[serde(default)]
    variantes: Vec<Variant>,
    #[serde(default)]
    former_media: Vec<Medium>,
    next_cursor: Option<String>,
}

/// A piece and its history, newest first.
#[derive(Debug)]
pub(crate) struct Piece {
    pub event: Event,
    /// The variants of the piece, one per channel and format.
    pub variants: Vec<Variant>,
    pub lines: Vec<Change>,
    /// Media that are no longer on the piece but occur in its history.
    former_media: Vec<Medium>,
    /// True if the history has earlier lines that were not read.
    pub is_cut: bool,
}

impl Piece {
    /// Reads a piece with its latest history. If `until` is set, reads the history back to this
    /// revision.
    pub async fn read(view: &View<'_>, id: &str, until: Option<Revision>) -> Result<Self> {
        let input = json!({ "eventId": id, "limit": LINES });
        let first: Read = view.read("get_event", input).await?;
        let mut piece = Self {
            event: first.evento,
            variants: first.variantes,
            lines: first.historico,
            former_media: first.former_media,
            is_cut: first.next_cursor.is_some(),
        };
        let mut next = first.next_cursor;
        for _ in 1..READS {
            let reaches = piece.oldest_revision() <= until.unwrap_or(Revision::MAX);
            let Some(cursor) = next.take().filter(|_| !reaches) else {
                break;
            };
            let input = json!({ "eventId": id, "limit": LINES, "cursor": cursor });
            let more: Read = view.read("get_event", input).await?;
            piece.lines.extend(more.historico);
            piece.former_media.extend(more.former_media);
            piece.is_cut = more.next_cursor.is_some();
            next = more.next_cursor;
        }
        Ok(piece)
    }

    /// Builds a piece from the answer of `get_event`, for a page of another host.
    pub fn from_answer(answer: Value) -> Result<Self> {
        let mut read: Read = serde_json::from_value(answer)?;
        let media = read.evento.media.iter_mut();
        for medium in media.chain(&mut read.former_media) {
            medium.is_elsewhere = true;
        }
        Ok(Self {
            event: read.evento,
            variants: read.variantes,
            lines: read.historico,
            former_media: read.former_media,
            is_cut: read.next_cursor.is_some(),
        })
    }

    /// Returns the oldest revision in the history that was read.
    fn oldest_revision(&self) -> Revision {
        self.lines
            .last()
            .map_or(self.event.api_revision, |change| change.api_revision)
    }

    /// Returns true if the history that was read reaches back to this revision, so that its caption is
    /// known.
    pub fn covers_revision(&self, revision: Revision) -> bool {
        revision <= self.event.api_revision && revision >= self.oldest_revision()
    }

    /// Returns the earliest change of a field after a revision.
    fn first_change_after(&self, revision: Revision, field: &str) -> Option<&Value> {
        let after = self.changes_after(revision).iter();
        after
            .filter_map(|change| change.changes.get(field))
            .next_back()
    }

    /// Returns the caption at a revision.
    pub fn caption_at(&self, revision: Revision) -> &str {
        let caption = match self.first_change_after(revision, "description") {
            Some(change) => change["before"].as_str(),
            None => self.event.description.as_deref(),
        };
        caption.unwrap_or_default()
    }

    /// Returns the media at a revision, in order.
    pub fn media_at(&self, revision: Revision) -> Vec<PastMedium<'_>> {
        let Some(change) = self.first_change_after(revision, "media") else {
            let media = self.event.media.iter();
            return media.map(PastMedium::from_medium).collect();
        };
        let slides = change["before"].as_array().into_iter().flatten();
        let slides = slides.filter_map(|slide| {
            let id = slide["id"].as_str()?;
            let mut stored = self.event.media.iter().chain(&self.former_media);
            Some(PastMedium {
                id,
                alt: slide["alt"].as_str(),
                stored: stored.find(|medium| medium.id == id),
            })
        });
        slides.collect()
    }

    pub fn caption(&self) -> &str {
        self.event.description.as_deref().unwrap_or_default()
    }

    /// Returns the changes after a revision, newest first.
    pub fn changes_after(&self, revision: Revision) -> &[Change] {
        let end = self.lines.iter();
        let end = end
            .take_while(|change| change.api_revision > revision)
            .count();
        &self.lines[..end]
    }

    /// Returns the newest changes as JSON pairs of revision and author, for the script that shows who
    /// changed the piece. The author is empty if the viewer made the change.
    pub fn newest_authors(&self, viewer: &MemberId) -> String {
        let newest = self.lines.iter().take(NAMED);
        let authors = newest.map(|change| {
            let author = match (&change.agent, change.actor_member_id == viewer.as_str()) {
                (Some(agent), true) => format!("{agent}, em seu nome,"),
                (None, true) => String::new(),
                (_, false) => change.author_text(),
            };
            json!([change.api_revision, author])
        });
        Value::Array(authors.collect()).to_string()
    }

    /// Returns the latest refusal, if the piece has not been submitted again since then.
    pub fn open_refusal(&self) -> Option<&Change> {
        let mut decisions = self.lines.iter();
        decisions
            .find(|change| ["decide_approval", "submit_for_approval"].contains(&&*change.action))
            .filter(|change| change.new_status() == Some(EventStatus::Refused))
    }

    /// Returns the latest decision that ended the approval, not only a stage.
    pub fn last_final_decision(&self) -> Option<&Change> {
        let mut decisions = self.lines.iter();
        decisions.find(|change| change.action == "decide_approval" && change.new_status().is_some())
    }

    /// Returns the latest change by this operation.
    pub fn last_change_by(&self, action: &str) -> Option<&Change> {
        self.lines.iter().find(|change| change.action == action)
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

    /// Returns true if the current stage lets the viewer refuse the piece or ask for changes. Does not
    /// check whether the piece waits for a decision, or whether the viewer has the right to decide.
    pub fn may_decide(&self) -> bool {
        self.aprovacao.as_ref().is_none_or(|one| one.pode_recusar)
    }

    pub fn is_editable(&self) -> bool {
        self.status.is_editable()
    }

    /// Returns the day in the format of an HTML date field.
    pub fn date_field_value(&self) -> String {
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

    /// Returns the address of the file: a path, so that the browser requests the file from the host of
    /// the page. For a page of another host, returns the full link.
    pub fn file_address(&self) -> String {
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

    /// Returns true if the image is animated. The smaller versions of an animated image are not
    /// animated.
    pub fn is_animation(&self) -> bool {
        self.media_type == "image/gif"
    }

    pub fn alt_text(&self) -> &str {
        self.alt.as_deref().unwrap_or_default()
    }
}

impl Change {
    /// Returns the new status of the piece, if the change set one.
    pub fn new_status(&self) -> Option<EventStatus> {
        let after = self.changes.get("status")?["after"].as_str()?;
        after.parse().ok()
    }

    /// Returns the verb of the change, which follows the name of the author in a sentence.
    pub fn change_verb(&self) -> &str {
        if self.requests_changes() {
            return "pediu ajustes";
        }
        words::action_verb(&self.action, self.new_status())
    }

    /// Returns true if the change is a decision that asks for changes.
    pub fn requests_changes(&self) -> bool {
        let decision = self.changes.get("decision");
        decision.is_some_and(|change| change["after"] == "pedir_ajustes")
    }

    /// Returns the author, with the agent that made the change: `Claude por Ana`.
    pub fn author_text(&self) -> String {
        match &self.agent {
            Some(agent) => format!("{agent} por {}", self.actor_name),
            None if self.convidado => text::guest_name(&self.actor_name),
            None => self.actor_name.clone(),
        }
    }
}

/// Returns the path of a piece's page.
pub(crate) fn piece_path(id: &str) -> String {
    format!("/eventos/{id}")
}

/// Returns the path of the page that corrects the cards of a piece.
pub(crate) fn cards_path(id: &str) -> String {
    format!("/eventos/{id}/cards")
}

/// Returns the path of a piece's page, at the form that generates one of its images again.
pub(crate) fn image_path(id: &str, media_id: &str) -> String {
    format!("/eventos/{id}?imagem={media_id}#gerar-imagem")
}

/// Returns the path of a piece's page, at the section of its media.
pub(crate) fn media_path(id: &str) -> String {
    format!("/eventos/{id}#midias")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_change(revision: i64, before: Option<&str>) -> Value {
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
    fn the_caption_of_a_revision_is_the_before_value_of_the_next_change() {
        let event = json!({
            "id": "e", "api_revision": 5, "title": "t", "channel": "x", "status": "a fazer",
            "description": "quinta", "assignee_member_ids": [], "assignees_names": [], "media": [],
            "created_by": "a", "created_by_name": "Ana",
        });
        let lines = json!([
            build_change(5, Some("quarta")),
            build_change(4, None),
            build_change(3, Some("segunda")),
            build_change(2, None)
        ]);
        let piece = Piece {
            event: serde_json::from_value(event).expect("an event"),
            variants: vec![],
            lines: serde_json::from_value(lines).expect("lines"),
            former_media: vec![],
            is_cut: true,
        };
        let at = |revision| piece.caption_at(Revision::new(revision));
        assert_eq!(
            [at(5), at(4), at(3), at(2)],
            ["quinta", "quarta", "quarta", "segunda"]
        );
        let covers = |revision| piece.covers_revision(Revision::new(revision));
        assert!(covers(2) && !covers(1) && !covers(6));
        assert_eq!(piece.changes_after(Revision::new(3)).len(), 2);
        assert_eq!(piece.lines[0].author_text(), "Ana");
    }

    #[test]
    fn the_media_of_a_revision_are_the_before_value_of_the_next_change() {
        let medium =
            |id: &str| json!({ "id": id, "url": "", "alt": null, "media_type": "image/png" });
        let event = json!({
            "id": "e", "api_revision": 4, "title": "t", "channel": "x", "status": "a fazer",
            "description": null, "assignee_member_ids": [], "assignees_names": [],
            "media": [medium("b")], "created_by": "a", "created_by_name": "Ana",
        });
        let swapped = |revision: i64, before: Value| {
            json!({
                "api_revision": revision, "action": "update_event_media", "actor_member_id": "m",
                "actor_name": "Ana", "changes": { "media": { "before": before, "after": [] } },
                "reason": null, "occurred_at": "",
            })
        };
        let read = json!({
            "evento": event, "next_cursor": null, "former_media": [medium("a")],
            "historico": [
                swapped(4, json!([{ "id": "a", "alt": "pão" }, { "id": "b" }])),
                swapped(3, json!([{ "id": "gone", "alt": null }])),
                build_change(2, None),
            ],
        });
        let piece = Piece::from_answer(read).expect("a piece");
        let at = |revision| {
            let media = piece.media_at(Revision::new(revision)).into_iter();
            let media = media.map(|medium| (medium.id, medium.alt, medium.stored.is_some()));
            media.collect::<Vec<_>>()
        };
        assert_eq!(at(4), [("b", None, true)]);
        assert_eq!(at(3), [("a", Some("pão"), true), ("b", None, true)]);
        assert_eq!(at(2), [("gone", None, false)]);
        assert_eq!(at(1), at(2));
    }
}
