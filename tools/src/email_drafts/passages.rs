//! Finds a text in the HTML of a draft.
//!
//! It runs on a blocking thread. An occurrence says its place in characters of the HTML and how it
//! is written there, because a replacement is exact.

use std::ops::Range;

use schemars::JsonSchema;
use search::reading;
use serde::{Deserialize, Serialize};
use serde_json::json;

use domain::position;
use gateway::{Code, Error, Result, offload};

/// Maximum occurrences of an answer, and maximum characters of their texts.
const MOST: usize = 20;
const ROOM: usize = 10_000;
/// Characters shown before and after each occurrence.
const AROUND: usize = 80;
/// Maximum characters shown of an occurrence. It may contain tags.
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

/// How the text is compared with the HTML.
#[derive(Debug, Clone, Copy)]
pub(super) enum Search {
    /// Exact text of the HTML.
    Exact,
    /// The text that a person reads, or the HTML, ignoring case and accents.
    Reading,
}

impl Passages {
    /// The occurrences that begin after the character `after`.
    pub(super) async fn find(
        html: String,
        text: String,
        search: Search,
        after: Option<usize>,
    ) -> Result<Self> {
        offload(move || {
            let mut page = Page::new(&html, after);
            match search {
                Search::Exact => reading::exact_occurrences(&html, &text, |at| page.take(&at)),
                Search::Reading => reading::occurrences(&html, &text, |at| page.take(&at)),
            }
            page.passages
        })
        .await
    }

    /// A refusal that contains the occurrences.
    pub(super) fn refused(&self, code: Code) -> Error {
        let shown = json!(self.trechos);
        Error::new(code)
            .with("total", self.total.into())
            .with("trechos", shown)
    }
}

/// Collects a page of occurrences, which arrive in order.
struct Page<'h> {
    html: &'h str,
    after: Option<usize>,
    passages: Passages,
    room: usize,
    /// The byte offset and the character offset of the position counted last.
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

    fn take(&mut self, at: &Range<usize>) {
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
            *next_cursor = Some(position(&last.de));
            return;
        }
        let passage = passage(self.html, at, de);
        self.room = self.room.saturating_sub(passage.characters());
        trechos.push(passage);
    }
}

fn passage(html: &str, at: &Range<usize>, de: usize) -> Passage {
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
    fn characters(&self) -> usize {
        let texts = [Some(&self.trecho), self.procurar.as_ref()];
        texts.into_iter().flatten().map(|t| t.chars().count()).sum()
    }
}
