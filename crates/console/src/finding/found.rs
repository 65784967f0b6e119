//! Calls `search_everything` and reads its answer.

use domain::EventStatus;
use gateway::Result;
use serde::Deserialize;
use serde_json::json;

use crate::{piece::words, text, view::View};

/// The maximum length of a search text, in characters.
const LONGEST: usize = 200;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Found {
    pub grupos: Vec<Group>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Group {
    pub tipo: String,
    pub resultados: Vec<Item>,
    pub ha_mais: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Item {
    pub titulo: String,
    pub no_titulo: bool,
    pub trecho: Vec<Part>,
    data: Option<String>,
    status: Option<EventStatus>,
    canal: Option<String>,
    url: Option<String>,
    pagina: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Part {
    pub texto: String,
    pub achado: bool,
}

/// The kinds of resources, each with its plural name.
pub(super) const KINDS: [(&str, &str); 7] = [
    ("evento", "Peças"),
    ("projeto", "Projetos"),
    ("email", "E-mails"),
    ("midia", "Mídia"),
    ("skill", "Skills"),
    ("documento", "Documentos"),
    ("pessoa", "Pessoas"),
];

impl Group {
    /// Returns the plural name of the kind.
    pub fn kind_name(&self) -> &str {
        let kind = KINDS.iter().find(|(kind, _)| *kind == self.tipo);
        kind.map_or(&self.tipo, |(_, name)| name)
    }
}

impl Item {
    /// Returns the address of the page of the resource or, if it has no page, the address of its file.
    pub fn result_address(&self, view: &View<'_>) -> String {
        match (&self.pagina, &self.url) {
            (Some(path), _) => view.href_to(path),
            (None, url) => url.clone().unwrap_or_default(),
        }
    }

    /// Formats the date of a piece, or of the last change of another resource: `27 de novembro de 2026`.
    pub fn date_text(&self) -> Option<String> {
        self.data.as_deref().map(text::format_iso_long_day)
    }

    /// Returns the status and the channel of a piece as text.
    pub fn detail_text(&self) -> String {
        let status = self.status.map(words::status_name);
        let channel = self.canal.as_deref().map(words::channel_name);
        let known = status.into_iter().chain(channel);
        known.collect::<Vec<_>>().join(" · ")
    }

    /// Returns true if the result is a piece, whose date has another label than the dates of other
    /// resources.
    pub fn is_piece(&self) -> bool {
        self.status.is_some()
    }
}

/// Searches for the typed text. Does not search if the text is empty.
pub(super) async fn search(
    view: &View<'_>,
    typed: &str,
    kind: Option<&str>,
    limit: u8,
) -> Result<Found> {
    // A space at the end marks the last word as complete, so it is not trimmed.
    let typed: String = typed.trim_start().chars().take(LONGEST).collect();
    if typed.is_empty() {
        return Ok(Found::default());
    }
    let input = json!({ "q": typed, "tipos": kind, "limite": limit });
    view.read("search_everything", input).await
}
