//! Finds a text in the HTML of a draft.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use gateway::{Code, Error};

/// Maximum occurrences in one answer.
const MOST: usize = 20;
/// Characters before and after each.
const AROUND: usize = 80;

/// Onde um texto aparece no HTML.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Passages {
    /// Quantas vezes aparece.
    pub(super) total: usize,
    /// As primeiras 20.
    pub(super) trechos: Vec<Passage>,
}

/// Uma ocorrência com o que está em volta.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Passage {
    /// O caractere em que começa, a partir de 0.
    de: usize,
    /// A ocorrência com 80 caracteres antes e depois, exatamente como está no HTML.
    trecho: String,
}

impl Passages {
    /// The exact occurrences of the text. They may overlap.
    pub(super) fn of(html: &str, text: &str) -> Self {
        let html: Vec<char> = html.chars().collect();
        Self::among(&html, &html, text.chars().collect())
    }

    /// The same, ignoring case.
    pub(super) fn of_any_case(html: &str, text: &str) -> Self {
        let html: Vec<char> = html.chars().collect();
        let small: Vec<char> = html.iter().copied().map(lower).collect();
        Self::among(&html, &small, text.chars().map(lower).collect())
    }

    fn among(html: &[char], searched: &[char], text: Vec<char>) -> Self {
        let mut passages = Self {
            total: 0,
            trechos: vec![],
        };
        let (Some(first), true) = (text.first(), text.len() <= searched.len()) else {
            return passages;
        };
        for at in 0..=searched.len() - text.len() {
            let end = at + text.len();
            if searched[at] != *first || searched[at..end] != text {
                continue;
            }
            passages.total += 1;
            if passages.trechos.len() < MOST {
                let around = at.saturating_sub(AROUND)..html.len().min(end + AROUND);
                passages.trechos.push(Passage {
                    de: at,
                    trecho: html[around].iter().collect(),
                });
            }
        }
        passages
    }

    /// A refusal that shows them.
    pub(super) fn refused(&self, code: Code) -> Error {
        let shown = json!(self.trechos);
        Error::new(code)
            .with("total", self.total.into())
            .with("trechos", shown)
    }
}

/// One character in lower case: a text keeps its length.
fn lower(c: char) -> char {
    let mut small = c.to_lowercase();
    match (small.next(), small.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}
