//! Finds a text in the HTML of a draft.
//!
//! The search runs on a blocking thread. Each occurrence has its offset in characters and its exact
//! HTML, because a replacement needs the exact text.

use std::ops::Range;

use schemars::JsonSchema;
use search::reading;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use domain::encode_position;
use gateway::{Code, Error, Result, offload};

/// Maximum occurrences on a page.
const MOST: usize = 20;
/// A page ends when its occurrences have this many characters in total.
const ROOM: usize = 10_000;
/// Characters shown before and after each occurrence.
const AROUND: usize = 80;
/// Maximum characters that are shown of an occurrence, including its tags.
const LONGEST: usize = 1_000;

/// Onde um texto aparece.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Passages {
    /// Quantas vezes aparece no rascunho inteiro.
    pub(super) total: usize,
    /// Até 20, na ordem do HTML.
    pub(super) trechos: Vec<Passage>,
    /// O `cursor` para pedir as próximas; nulo na última página.
    next_cursor: Option<String>,
}

/// Uma ocorrência com o que está em volta.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Passage {
    /// Em que caractere do HTML começa, a partir de 0: serve de `de` de uma janela.
    pub(super) de: usize,
    /// Quantos caracteres do HTML ocupa, com as marcas e entidades no meio.
    tamanho: usize,
    /// A ocorrência como está no HTML, com 80 caracteres antes e depois; cortada depois de 1.000.
    trecho: String,
    /// A ocorrência como está no HTML, para `procurar` em `replace_in_email_draft`; nula se passa de 1.000
    /// caracteres.
    procurar: Option<String>,
}

/// Um texto dos metadados.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct MetadataText {
    /// Onde está: `assunto`, `blocos.0.titulo`.
    pub(super) campo: String,
    texto: String,
}

/// Finds the texts in the metadata that contain `text`, ignoring case and accents, in the order of
/// the metadata.
pub(super) fn find_in_metadata(metadata: &str, text: &str) -> Result<Vec<MetadataText>> {
    let mut found = vec![];
    collect_matches(serde_json::from_str(metadata)?, text, "", &mut found);
    Ok(found)
}

fn collect_matches(value: Value, text: &str, path: &str, found: &mut Vec<MetadataText>) {
    let at = |name: &str| match path {
        "" => name.to_owned(),
        _ => format!("{path}.{name}"),
    };
    match value {
        Value::String(texto) => {
            let mut contains = false;
            reading::for_each_occurrence(&texto, text, |_| contains = true);
            if contains {
                let campo = path.to_owned();
                found.push(MetadataText { campo, texto });
            }
        }
        Value::Array(items) => {
            for (index, item) in items.into_iter().enumerate() {
                collect_matches(item, text, &at(&index.to_string()), found);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                collect_matches(field, text, &at(&name), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// How a text is compared with the HTML.
#[derive(Debug, Clone, Copy)]
pub(super) enum Search {
    /// Compares the text with the HTML source, character by character.
    Exact,
    /// Compares the text with the visible text or the HTML source, ignoring case and accents.
    Reading,
}

impl Passages {
    /// Finds the occurrences that begin after the character offset `after`.
    pub(super) async fn find_occurrences(
        html: String,
        text: String,
        search: Search,
        after: Option<usize>,
    ) -> Result<Self> {
        offload(move || {
            let mut page = Page::new(&html, after);
            match search {
                Search::Exact => {
                    reading::for_each_exact_occurrence(&html, &text, |at| page.add_occurrence(&at));
                }
                Search::Reading => {
                    reading::for_each_occurrence(&html, &text, |at| page.add_occurrence(&at));
                }
            }
            page.passages
        })
        .await
    }

    /// Builds the error with this code whose details contain the occurrences.
    pub(super) fn to_error(&self, code: Code) -> Error {
        let shown = json!(self.trechos);
        Error::new(code)
            .with_detail("total", self.total.into())
            .with_detail("trechos", shown)
    }
}

/// Collects a page of occurrences, which are found in order.
struct Page<'h> {
    html: &'h str,
    after: Option<usize>,
    passages: Passages,
    room: usize,
    /// The start of the last counted occurrence, as byte offset and as character offset.
    counted: (usize, usize),
}

impl<'h> Page<'h> {
    fn new(html: &'h str, after: Option<usize>) -> Self {
        Self {
            html,
            after,
            passages: Passages {
                total: 0,
                trechos: vec![],
                next_cursor: None,
            },
            room: ROOM,
            counted: (0, 0),
        }
    }

    fn add_occurrence(&mut self, at: &Range<usize>) {
        let Passages {
            total,
            trechos,
            next_cursor,
        } = &mut self.passages;
        *total += 1;
        if next_cursor.is_some() {
            return;
        }
        let (byte, characters) = self.counted;
        let de = characters + self.html[byte..at.start].chars().count();
        self.counted = (at.start, de);
        if self.after.is_some_and(|after| de <= after) {
            return;
        }
        if let Some(last) = trechos.last()
            && (trechos.len() == MOST || self.room == 0)
        {
            *next_cursor = Some(encode_position(&last.de));
            return;
        }
        let passage = build_passage(self.html, at, de);
        self.room = self.room.saturating_sub(passage.character_count());
        trechos.push(passage);
    }
}

fn build_passage(html: &str, at: &Range<usize>, de: usize) -> Passage {
    let text = &html[at.clone()];
    let tamanho = text.chars().count();
    let before: Vec<char> = html[..at.start].chars().rev().take(AROUND).collect();
    let mut trecho: String = before.into_iter().rev().collect();
    trecho.extend(text.chars().take(LONGEST));
    let is_whole = tamanho <= LONGEST;
    if is_whole {
        trecho.extend(html[at.end..].chars().take(AROUND));
    }
    Passage {
        de,
        tamanho,
        trecho,
        procurar: is_whole.then(|| text.to_owned()),
    }
}

impl Passage {
    fn character_count(&self) -> usize {
        let texts = [Some(&self.trecho), self.procurar.as_ref()];
        texts.into_iter().flatten().map(|t| t.chars().count()).sum()
    }
}
