//! The part of a text in which a search matches, with its matching words marked.

use super::{
    typed::Typed,
    words::{Word, words},
};

/// The maximum number of characters of a part, without the ellipses.
const LENGTH: usize = 160;
/// The maximum number of characters before the first matching word.
const BEFORE: usize = 40;
/// Maximum number of matching words considered when the part is chosen.
const MOST_MATCHES: usize = 40;

/// A run of characters; `is_match` is true for a word that matches the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub text: String,
    pub is_match: bool,
}

/// Returns the part of the text with the most distinct words of the search, in one line and cut at word
/// boundaries. Empty if the text contains no word of the search.
#[must_use]
pub fn matching_parts(typed: &Typed, text: &str) -> Vec<Part> {
    let matching = words(text).filter(|word| typed.matches(word));
    let matching: Vec<Word> = matching.take(MOST_MATCHES).collect();
    let near = |from: usize| {
        let end = matching[from].at.start + LENGTH - BEFORE;
        matching[from..]
            .iter()
            .take_while(move |word| word.at.end <= end)
    };
    let score = |from: &usize| (typed.count_matched(near(*from)), usize::MAX - from);
    let Some(best) = (0..matching.len()).max_by_key(score) else {
        return vec![];
    };
    let first = matching[best].at.start;
    let start = word_start_before(text, first);
    let end = word_end_after(text, start);
    split_at_matches(text, start, end, &matching)
}

/// Returns the complete title, with the words of the search marked.
#[must_use]
pub fn marked_title(typed: &Typed, title: &str) -> Vec<Part> {
    let matching: Vec<Word> = words(title).filter(|word| typed.matches(word)).collect();
    split_at_matches(title, 0, title.len(), &matching)
}

/// Returns the start of a word at most [`BEFORE`] characters before `at`.
fn word_start_before(text: &str, at: usize) -> usize {
    let before = text[..at].char_indices().rev();
    let Some((from, _)) = before.take(BEFORE).last() else {
        return at;
    };
    if text[..from].trim_end().is_empty() {
        return 0;
    }
    let space = text[from..at].find(char::is_whitespace);
    space.map_or(at, |space| from + space)
}

/// Returns the end of a word at most [`LENGTH`] characters after `start`.
fn word_end_after(text: &str, start: usize) -> usize {
    let Some((length, _)) = text[start..].char_indices().nth(LENGTH) else {
        return text.len();
    };
    let end = start + length;
    match text[start..end].trim_end().rfind(char::is_whitespace) {
        Some(space) if space > BEFORE => start + space,
        _ => end,
    }
}

fn split_at_matches(text: &str, start: usize, end: usize, matching: &[Word]) -> Vec<Part> {
    let mut parts: Vec<Part> = vec![];
    let mut push = |text: &str, is_match| {
        let mut line = String::new();
        for c in text.chars() {
            let c = if c.is_whitespace() { ' ' } else { c };
            if c != ' ' || !line.ends_with(' ') {
                line.push(c);
            }
        }
        if !line.is_empty() {
            parts.push(Part {
                text: line,
                is_match,
            });
        }
    };
    let shown = &text[start..end];
    let trimmed = shown.trim_start();
    let mut at = start + shown.len() - trimmed.len();
    let end = start + shown.trim_end().len();
    if start > 0 {
        push("…", false);
    }
    for word in matching {
        if word.at.start >= at && word.at.end <= end {
            push(&text[at..word.at.start], false);
            push(&text[word.at.clone()], true);
            at = word.at.end;
        }
    }
    if at < end {
        push(&text[at..end], false);
    }
    if !text[end..].trim().is_empty() {
        push("…", false);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bracket_matches(parts: &[Part]) -> String {
        let each = parts.iter().map(|part| match part.is_match {
            true => format!("[{}]", part.text),
            false => part.text.clone(),
        });
        each.collect()
    }

    #[test]
    fn the_part_with_most_words_is_shown_and_its_words_are_marked() {
        let filler = "Nada disto importa aqui. ".repeat(20);
        let text = format!("Um bolo. {filler}\nO bolo\n de   cenouras assa. {filler}");
        let parts = matching_parts(&Typed::parse("cenoura bolo"), &text);
        let text = bracket_matches(&parts);
        assert!(text.contains("O [bolo] de [cenouras] assa. Nada"), "{text}");
        assert!(text.starts_with('…') && text.ends_with('…'), "{text}");
        assert!(text.chars().count() <= LENGTH + 10, "{text}");
    }

    #[test]
    fn the_part_of_a_short_text_is_the_whole_text() {
        let typed = Typed::parse("pão");
        assert_eq!(
            bracket_matches(&matching_parts(&typed, "Pães  e\nbolos")),
            "[Pães] e bolos"
        );
        assert_eq!(bracket_matches(&marked_title(&typed, "O pão")), "O [pão]");
        assert!(matching_parts(&typed, "Bolos").is_empty());
        assert!(matching_parts(&typed, "").is_empty());
    }

    #[test]
    fn any_text_is_cut_between_characters() {
        let typed = Typed::parse("frango");
        for before in [
            "ã".repeat(500),
            "🎉 ".repeat(300),
            "\u{a0}".repeat(90),
            " x".into(),
        ] {
            for after in ["", "ã", " 🎉", &"é".repeat(400), &" é".repeat(400)] {
                let text = format!("{before} frango{after}");
                let found = bracket_matches(&matching_parts(&typed, &text));
                let is_long = after.starts_with("éé");
                assert!(found.contains("[frango") || is_long, "{found}");
                assert!(found.chars().count() <= LENGTH + 4, "{found}");
            }
        }
    }
}
