//! Draws published texts. Names between backticks become code.

use maud::{Markup, html};

/// Draws a text of several paragraphs.
pub(super) fn paragraphs(text: &str) -> Markup {
    html! {
        @for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
            p { (line(paragraph)) }
        }
    }
}

/// Draws a text of one paragraph.
pub(super) fn line(text: &str) -> Markup {
    let parts = text.split('`').enumerate();
    html! {
        @for (at, part) in parts {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// A text normalized for search: lower case, no accents.
pub(super) fn folded(text: &str) -> String {
    let plain = |c: char| match c {
        'á' | 'à' | 'â' | 'ã' | 'ä' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        '_' => ' ',
        other => other,
    };
    text.chars()
        .flat_map(char::to_lowercase)
        .map(plain)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_between_backticks_are_code() {
        let shown = line("Leia `get_me` <antes>.").into_string();
        assert_eq!(shown, "Leia <code>get_me</code> &lt;antes&gt;.");
    }

    #[test]
    fn texts_are_searched_without_accents() {
        assert_eq!(folded("Decidir_Aprovação"), "decidir aprovacao");
    }
}
