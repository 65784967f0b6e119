//! Error texts for OAuth clients, limited to the characters that OAuth allows.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Converts a text to the characters of `error_description` (RFC 6749, section 5.2): printable
/// ASCII without accents, quotation mark and backslash.
#[must_use]
pub fn error_description(text: &str) -> String {
    text.nfd()
        .filter(|c| !is_combining_mark(*c))
        .map(|c| match c {
            '"' => '\'',
            ' '..='~' if c != '\\' => c,
            _ => '?',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_characters_remain() {
        let text = "a pessoa não permitiu \"isto\" \\ …\n€";
        assert_eq!(
            error_description(text),
            "a pessoa nao permitiu 'isto' ? ???"
        );
    }
}
