//! How images are designed.

use crate::text_enum;

text_enum! {
    /// How an image is designed.
    pub enum Style {
        Epico = "epico",
        Minimalista = "minimalista",
        Editorial = "editorial",
        Vibrante = "vibrante",
    }
}

impl Style {
    /// What is meant where none is named.
    #[must_use]
    pub fn epico() -> Self {
        Self::Epico
    }
}
