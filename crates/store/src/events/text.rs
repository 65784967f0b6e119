//! The searchable text of events, and its index.
//!
//! A search finds a text anywhere, also inside words. So the terms of a text are its signs, and the
//! substrings of up to [`LONGEST`] characters that start at each letter of its words. If a search
//! text contains a word of at least [`LONGEST`] characters, every match has all terms of that
//! length of the word; for a shorter word, every match has a term that begins with the word. The
//! index returns candidates, and the search then compares their texts.
//!
//! A write marks its text `pending`, and a job indexes many texts at once. A search also reads the
//! pending texts, so that it always finds the latest text.
//!
//! Texts are folded in Rust, so that both databases search alike.
//!
//! The index also contains the words of each text for the search over everything
//! (`crate::searching`). The terms of those words begin with marks that no term of this search has.

use std::{borrow::Cow, cmp::Reverse, collections::BTreeSet};

use crate::{
    Bind, Conn, Result,
    searching::index::{self, Texts, query_terms},
};
use domain::{Event, fold_text, variant::Variant};

/// The maximum number of characters of a term.
const LONGEST: usize = 4;

/// The maximum number of words of a search text to look up in the index, and of terms of each word.
const WORDS: usize = 3;
const TERMS: usize = 12;

pub(super) const TEXTS: Texts = Texts {
    table: "event_texts",
    keys: &["event_id"],
    text: "searched",
    index: "event_index",
    terms,
    batch: 200,
};

const INSERT: &str = "
INSERT INTO event_texts (searched, event_id, pending) VALUES ($1, $2, TRUE)";
const UPDATE: &str = "
UPDATE event_texts SET searched = $1, pending = TRUE WHERE event_id = $2";

pub(super) async fn insert(db: &Conn<'_>, event: &Event) -> Result<()> {
    let values = [searchable_text(event, &[]).into(), event.id.value()];
    Ok(db.run_later(INSERT, values).await?)
}

/// Stores the text of an event and its variants.
pub async fn update_text(db: &Conn<'_>, event: &Event, variants: &[Variant]) -> Result<()> {
    let values = [searchable_text(event, variants).into(), event.id.value()];
    Ok(db.run_later(UPDATE, values).await?)
}

fn searchable_text(event: &Event, variants: &[Variant]) -> String {
    let parts = [
        Some(&event.title),
        event.description.as_ref(),
        event.editorial_tag.as_ref(),
    ];
    let parts = parts.into_iter().flatten().map(String::as_str);
    let of_variants = variants.iter().flat_map(|variant| variant.content.texts());
    let parts: Vec<&str> = parts.chain(of_variants).collect();
    fold_text(&parts.join("\n"))
}

/// Returns the words and the signs of a folded text.
fn tokens(folded: &str) -> impl Iterator<Item = &str> {
    let mut rest = folded;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c.is_control());
        let first = rest.chars().next()?;
        let length = if first.is_alphanumeric() {
            rest.find(|c: char| !c.is_alphanumeric())
        } else {
            Some(first.len_utf8())
        };
        let (token, next) = rest.split_at(length.unwrap_or(rest.len()));
        rest = next;
        Some(token)
    })
}

/// Returns the index term at the start of a token.
///
/// ASCII signs have a meaning in the query syntax of both indexes, so they are replaced by their
/// full-width forms.
fn first_term(token: &str) -> Cow<'_, str> {
    if let [sign @ b'!'..=b'~'] = token.as_bytes()
        && sign.is_ascii_punctuation()
    {
        let wide = char::from_u32(0xFEE0 + u32::from(*sign));
        return wide.map(String::from).unwrap_or_default().into();
    }
    let end = token.char_indices().nth(LONGEST);
    token[..end.map_or(token.len(), |(at, _)| at)].into()
}

/// Returns the terms that start at each character of a token.
fn token_terms(token: &str) -> impl Iterator<Item = Cow<'_, str>> {
    token.char_indices().map(|(at, _)| first_term(&token[at..]))
}

/// Returns the terms of a text in the index: the terms of this search and of the search over everything.
fn terms(folded: &str) -> BTreeSet<Cow<'_, str>> {
    let mut terms: BTreeSet<_> = tokens(folded).flat_map(token_terms).collect();
    terms.extend(query_terms(folded));
    terms
}

/// A term that the index has for every text that contains the search text.
pub(super) enum Sought<'a> {
    Term(Cow<'a, str>),
    /// The prefix of a term.
    Start(Cow<'a, str>),
}

/// Returns the terms to look up in the index. They are from the longest words, which are usually the
/// rarest.
pub(super) fn required_terms(folded: &str) -> Vec<Sought<'_>> {
    let words = tokens(folded).map(|word| (word.chars().count(), word));
    let mut words: Vec<(usize, &str)> = words.collect();
    words.sort_by_key(|(length, _)| Reverse(*length));
    // Short words are left out if there is a long one: they occur in so many texts that looking them
    // up takes longer than checking the events that the long words find.
    if words.first().is_some_and(|(length, _)| *length >= LONGEST) {
        words.retain(|(length, _)| *length >= LONGEST);
    }
    let mut sought = vec![];
    for (length, word) in words.into_iter().take(WORDS) {
        match (length + 1).checked_sub(LONGEST) {
            None | Some(0) => sought.push(Sought::Start(first_term(word))),
            Some(whole) => {
                sought.extend(token_terms(word).take(whole.min(TERMS)).map(Sought::Term));
            }
        }
    }
    sought
}

/// Indexes a batch of pending texts. Returns whether more may be pending.
pub async fn index_pending(db: &Conn<'_>) -> Result<bool> {
    index::index_pending(db, &TEXTS).await
}

/// Fills the empty index of a database into which the texts were copied.
pub async fn rebuild_index(db: &Conn<'_>) -> Result<()> {
    index::rebuild(db, &TEXTS).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_required_terms_of_each_of_its_parts() {
        let text = fold_text("Pão-de-queijo às 9h: R$ 78,50 ☕\n#receitadefamília 100%");
        let terms = terms(&text);
        for (from, _) in text.char_indices() {
            for to in from + 1..=text.len() {
                let Some(part) = text.get(from..to) else {
                    continue;
                };
                for sought in required_terms(part) {
                    let (sought, is_found) = match sought {
                        Sought::Term(sought) => (sought.clone(), terms.contains(&sought)),
                        Sought::Start(start) => (
                            start.clone(),
                            terms.iter().any(|term| term.starts_with(&*start)),
                        ),
                    };
                    assert!(is_found, "{part:?}: {sought:?}");
                }
            }
        }
    }

    #[test]
    fn terms_contain_no_index_syntax() {
        let signs: String = (' '..='~').collect();
        for term in terms(&signs) {
            assert!(
                term.chars().all(|c| c.is_alphanumeric() || !c.is_ascii()),
                "{term}"
            );
        }
    }
}
