//! The results of a search.

use schemars::JsonSchema;
use search::{Part, marked_title, matching_parts, typed::Typed};
use serde::Serialize;

use domain::{
    EventStatus,
    time::{Millis, Timestamp},
};
use store::searching::FoundText;

/// The maximum length of a title, in characters.
const TITLE: usize = 120;

/// Um resultado da busca.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Found {
    /// O id, como a operação que lê este tipo o pede; de uma skill, o nome.
    pub id: String,
    pub titulo: String,
    /// Verdadeiro quando o título tem todas as palavras.
    pub no_titulo: bool,
    /// O título, quando ele tem todas as palavras; senão, a parte do texto com mais delas.
    pub trecho: Vec<FoundPart>,
    /// A data do evento, ou quando o resto mudou pela última vez; nula quando não há.
    pub data: Option<Timestamp>,
    /// O status de um evento.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<EventStatus>,
    /// O canal de um evento.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canal: Option<String>,
    /// O link assinado de uma mídia.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// O caminho da página do console; nulo para uma mídia que não está em nenhum evento visível.
    pub pagina: Option<String>,
}

/// Uma parte de um texto.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundPart {
    pub texto: String,
    /// Verdadeiro quando é uma das palavras da busca.
    pub achado: bool,
}

impl From<Part> for FoundPart {
    fn from(part: Part) -> Self {
        Self {
            texto: part.text,
            achado: part.is_match,
        }
    }
}

impl Found {
    /// Builds a result with this title. The match is in the title or in `text`.
    pub fn new(typed: &Typed, id: String, title: &str, text: &str) -> Self {
        let titulo = shorten_title(title);
        let no_titulo = typed.find_place(title).is_some();
        let parts = match no_titulo {
            true if titulo == title => marked_title(typed, title),
            true => matching_parts(typed, title),
            false => matching_parts(typed, text),
        };
        Self {
            id,
            no_titulo,
            trecho: parts.into_iter().map(FoundPart::from).collect(),
            titulo,
            data: None,
            status: None,
            canal: None,
            url: None,
            pagina: None,
        }
    }

    /// Builds a result from a text whose first line is its title.
    pub fn from_found_text(typed: &Typed, found: FoundText) -> Self {
        let text = found.text.as_str();
        let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
        Self::new(typed, found.id, title, rest).with_date(found.changed_at)
    }

    pub fn with_date(self, instant: Millis) -> Self {
        Self {
            data: Some(Timestamp(instant)),
            ..self
        }
    }

    pub fn with_page(self, path: String) -> Self {
        Self {
            pagina: Some(path),
            ..self
        }
    }
}

fn shorten_title(title: &str) -> String {
    match title.char_indices().nth(TITLE) {
        None => title.to_owned(),
        Some((end, _)) => format!("{}…", title[..end].trim_end()),
    }
}
