//! Draws published texts. Names between backticks become code.

use maud::{Markup, html};

/// Draws a text of several paragraphs.
pub(super) fn draw_paragraphs(text: &str) -> Markup {
    html! {
        @for text in text.split("\n\n").filter(|text| !text.trim().is_empty()) {
            p { (draw_paragraph(text)) }
        }
    }
}

/// Draws a text of one paragraph.
pub(super) fn draw_paragraph(text: &str) -> Markup {
    let pieces = text.split('`').enumerate();
    html! {
        @for (at, part) in pieces {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Normalizes a text for search: lower case, no accents, spaces instead of underscores.
pub(super) fn normalize_for_search(text: &str) -> String {
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
        let shown = draw_paragraph("Leia `get_me` <antes>.").into_string();
        assert_eq!(shown, "Leia <code>get_me</code> &lt;antes&gt;.");
    }

    #[test]
    fn texts_are_searched_without_accents() {
        assert_eq!(
            normalize_for_search("Decidir_Aprovação"),
            "decidir aprovacao"
        );
    }
}
