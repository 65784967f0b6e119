//! Text as it is searched and compared.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Lower case without accents.
pub(crate) fn fold(text: &str) -> String {
    text.nfd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_ignores_case_and_accents() {
        assert_eq!(fold("Ação de LANÇAMENTO às 9h"), "acao de lancamento as 9h");
    }
}
