//! Colours and their contrast (WCAG 2.2, «contrast ratio»).

use std::sync::LazyLock;

/// An sRGB colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Color(pub [u8; 3]);

/// The minimum contrast for text of any size (WCAG 2.2, 1.4.3).
pub(crate) const LEGIBLE: f32 = 4.5;

/// Returns the colour `0xRRGGBB`.
pub(crate) const fn hex(rgb: u32) -> Color {
    Color([(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8])
}

static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|i| {
        let s = i as f32 / 255.0;
        if s <= 0.04045 {
            s / 12.92
        } else {
            ((s + 0.055) / 1.055).powf(2.4)
        }
    })
});

impl Color {
    pub(crate) fn luminance(self) -> f32 {
        let [r, g, b] = self.0.map(|c| LINEAR[usize::from(c)]);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    pub(crate) fn contrast(self, other: Self) -> f32 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Returns the chroma: 0 for greys, 1 for pure colours.
    pub(crate) fn chroma(self) -> f32 {
        let [r, g, b] = self.0;
        f32::from(r.max(g).max(b) - r.min(g).min(b)) / 255.0
    }

    /// Returns the distance between two colours: 0 if they are equal, 1 between black and white.
    pub(crate) fn distance(self, other: Self) -> f32 {
        let part = |i: usize| (f32::from(self.0[i]) - f32::from(other.0[i])) / 255.0;
        let squares = (0..3).map(|i| part(i) * part(i)).sum::<f32>();
        (squares / 3.0).sqrt()
    }

    /// Returns this colour with the colour `over` blended over it. `part` is the opacity of `over`, from
    /// 0 to 1.
    pub(crate) fn mix(self, over: Self, part: f32) -> Self {
        Self(std::array::from_fn(|i| {
            let (a, b) = (f32::from(self.0[i]), f32::from(over.0[i]));
            (a + (b - a) * part).round().clamp(0.0, 255.0) as u8
        }))
    }

    /// Moves this colour towards `ink` until it is legible on `ground`.
    pub(crate) fn toward_until_legible(self, ink: Self, ground: Self) -> Self {
        (0..=10)
            .map(|step| self.mix(ink, step as f32 / 10.0))
            .find(|color| color.contrast(ground) >= LEGIBLE + 0.1)
            .unwrap_or(ink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_matches_wcag() {
        assert!((hex(0x000000).contrast(hex(0xFFFFFF)) - 21.0).abs() < 0.01);
        assert!((hex(0x767676).contrast(hex(0xFFFFFF)) - 4.54).abs() < 0.01);
    }
}
