//! Windows: reading a long text in parts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum length of a text that can be read in parts, in characters.
const LONGEST: i64 = 2_000_000;
/// The default size of a window, in characters. A window of this size usually fits into one tool
/// result.
const USUAL: i64 = 20_000;

/// The part of a text that is requested, as fields of an input.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RequestedWindow {
    /// Primeiro caractere, desde 0.
    #[schemars(range(min = 0, max = 2000000))]
    de: Option<i64>,
    /// Caracteres; ausente, 20.000.
    #[schemars(range(min = 1, max = 2000000))]
    tamanho: Option<i64>,
}

impl RequestedWindow {
    /// Returns the requested range; `None` requests the whole text.
    #[must_use]
    pub fn requested_range(&self) -> Option<TextRange> {
        let asked = self.de.is_some() || self.tamanho.is_some();
        asked.then(|| TextRange {
            from: self.de.unwrap_or(0),
            length: self.tamanho.unwrap_or(USUAL).min(LONGEST),
        })
    }
}

/// A range of characters in a text. Positions start at 0.
#[derive(Debug, Clone, Copy)]
pub struct TextRange {
    pub from: i64,
    pub length: i64,
}

/// Parte de um texto, em caracteres.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Window {
    de: i64,
    /// Quantos caracteres vieram.
    tamanho: i64,
    /// Quantos caracteres tem o texto inteiro.
    total: i64,
    /// O `de` da próxima janela; nulo na última.
    proxima: Option<i64>,
}

impl Window {
    /// Returns the window of this range in a text of `total` characters.
    #[must_use]
    pub fn from_range(span: TextRange, total: i64) -> Self {
        let end = total.min(span.from + span.length);
        Self {
            de: span.from,
            tamanho: (end - span.from).max(0),
            total,
            proxima: (end < total).then_some(end),
        }
    }
}
