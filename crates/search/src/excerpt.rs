//! The part of a chunk that shows why the chunk matches a query.

use std::collections::HashSet;

use super::words::words;

/// The maximum number of characters of an excerpt, without the ellipses.
const LENGTH: usize = 280;
/// The maximum number of characters before the first matching word.
const BEFORE: usize = 60;

/// Returns the part of the text with the most distinct words of the query, cut at word boundaries.
#[must_use]
pub fn excerpt(text: &str, terms: &HashSet<&str>) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let letters: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    if letters.len() <= LENGTH {
        return text;
    }
    let place = |byte: usize| letters.partition_point(|at| *at < byte);
    let met: Vec<(usize, usize, String)> = words(&text)
        .filter_map(|word| Some((word.stem()?, word)))
        .filter(|(stem, _)| terms.contains(stem.as_str()))
        .map(|(stem, word)| (place(word.at.start), place(word.at.end), stem))
        .collect();
    let mut best = (0, 0);
    for (index, (start, _, _)) in met.iter().enumerate() {
        let within = met[index..]
            .iter()
            .take_while(|(_, end, _)| end - start <= LENGTH - BEFORE);
        let distinct = within
            .map(|(_, _, stem)| stem)
            .collect::<HashSet<_>>()
            .len();
        if distinct > best.0 {
            best = (distinct, *start);
        }
    }
    let (_, first) = best;
    let from = first.saturating_sub(BEFORE).min(letters.len() - LENGTH);
    let until = from + LENGTH;
    let byte = |place: usize| letters.get(place).copied().unwrap_or(text.len());
    let start = match from {
        0 => 0,
        _ => next_word_start(&text, byte(from), byte(first.max(from))),
    };
    let end = match text[start..byte(until)].rfind(' ') {
        Some(space) if until < letters.len() => start + space,
        _ => byte(until),
    };
    let dots = |cut: bool| if cut { "…" } else { "" };
    format!(
        "{}{}{}",
        dots(start > 0),
        text[start..end].trim(),
        dots(end < text.len())
    )
}

/// Returns the start of the first whole word in a part.
fn next_word_start(text: &str, from: usize, until: usize) -> usize {
    if text[..from].ends_with(' ') {
        return from;
    }
    text[from..until]
        .find(' ')
        .map_or(from, |space| from + space + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filler_text(words: usize) -> String {
        "nada ".repeat(words)
    }

    #[test]
    fn an_excerpt_contains_the_match_and_splits_no_word() {
        let text = format!(
            "{}o frango assa a 74 °C no centro. {}",
            filler_text(150),
            filler_text(150)
        );
        let found = excerpt(&text, &HashSet::from(["frang", "centr"]));
        assert!(
            found.contains("o frango assa a 74 °C no centro."),
            "{found}"
        );
        assert!(
            found.starts_with("…nada ") && found.ends_with(" nada…"),
            "{found}"
        );
        assert!(found.chars().count() <= LENGTH + 2);
    }

    #[test]
    fn the_excerpt_of_a_short_text_is_the_whole_text() {
        assert_eq!(
            excerpt("  Sal \n e  água. ", &HashSet::new()),
            "Sal e água."
        );
    }

    #[test]
    fn an_excerpt_of_any_text_does_not_panic() {
        let solid = "ã".repeat(2_000);
        assert!(excerpt(&solid, &HashSet::from(["x"])).chars().count() <= LENGTH + 2);
        let end = format!("{}frango", filler_text(300));
        assert!(excerpt(&end, &HashSet::from(["frang"])).ends_with("frango"));
        let emoji = "🎉 ".repeat(900) + "frango";
        assert!(excerpt(&emoji, &HashSet::from(["frang"])).ends_with("frango"));
    }
}
