//! The bundled fonts, each parsed once. Their licences are in `fonts/`.

use std::sync::LazyLock;

use harfrust::Font;

/// A bundled font.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Face {
    Cinzel,
    Garamond,
    InterDisplay,
    Inter,
    Fraunces,
    Newsreader,
    BricolageExtrabold,
    Bricolage,
    Sans,
    Arabic,
    Hebrew,
    Symbols,
    Emoji,
}

/// The fallback fonts, in order, for characters that the style's own font does not have.
pub(crate) const FALLBACKS: [Face; 5] = [
    Face::Sans,
    Face::Arabic,
    Face::Hebrew,
    Face::Symbols,
    Face::Emoji,
];

/// The font files, in the order of [`Face`].
const DATA: [&[u8]; 13] = [
    include_bytes!("../fonts/cinzel-bold.ttf"),
    include_bytes!("../fonts/eb-garamond-medium.ttf"),
    include_bytes!("../fonts/inter-display-medium.ttf"),
    include_bytes!("../fonts/inter-regular.ttf"),
    include_bytes!("../fonts/fraunces-semibold.ttf"),
    include_bytes!("../fonts/newsreader-regular.ttf"),
    include_bytes!("../fonts/bricolage-extrabold.ttf"),
    include_bytes!("../fonts/bricolage-medium.ttf"),
    include_bytes!("../fonts/noto-sans-medium.ttf"),
    include_bytes!("../fonts/noto-sans-arabic-medium.ttf"),
    include_bytes!("../fonts/noto-sans-hebrew-medium.ttf"),
    include_bytes!("../fonts/noto-sans-symbols.ttf"),
    include_bytes!("../fonts/noto-color-emoji.ttf"),
];

static FONTS: LazyLock<Vec<Font>> = LazyLock::new(|| {
    DATA.iter()
        .map(|&data| Font::new(data, 0).expect("a bundled font is well formed"))
        .collect()
});

impl Face {
    pub(crate) fn font(self) -> &'static Font {
        &FONTS[self as usize]
    }

    /// True if the font has a glyph for this character.
    pub(crate) fn has_glyph(self, c: char) -> bool {
        self.font().charmap().map_unicode(c).is_some()
    }

    /// Returns the distance, in ems, by which the font is raised to centre it on the capitals.
    pub(crate) fn centering_offset(self) -> f32 {
        if self == Face::Emoji { 0.06 } else { 0.0 }
    }

    /// Returns the factor that matches the apparent size of the font to the size of the other fonts.
    pub(crate) fn size_factor(self) -> f32 {
        match self {
            Face::Emoji => 0.84,
            Face::Sans | Face::Hebrew | Face::Symbols => 0.94,
            _ => 1.0,
        }
    }
}
