//! The styles of images.

use crate::text_enum;

text_enum! {
    /// The style of an image.
    pub enum Style {
        Epico = "epico",
        Minimalista = "minimalista",
        Editorial = "editorial",
        Vibrante = "vibrante",
    }
}

impl Style {
    /// Returns the default style.
    #[must_use]
    pub fn epico() -> Self {
        Self::Epico
    }
}
