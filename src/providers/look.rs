//! The visual identity of a team, in the form that the renderer expects.

use image::{DynamicImage, Rgb, RgbImage, Rgba};
use typeset::{Brand, Font, Image};

use super::pictures;

/// The maximum side of a logo, in pixels.
const LOGO: u32 = 400;

/// A team's visual identity, with its logo decoded.
pub(super) struct Look {
    colors: Vec<[u8; 3]>,
    font: Option<Font>,
    signer: String,
    logo: Option<Image>,
}

impl Look {
    /// Decodes the logo. A logo that cannot be decoded is omitted.
    pub(super) fn from_port(look: &ports::Look) -> Self {
        let logo = look.logo.as_ref().and_then(|file| {
            let decoded = pictures::decode_image(file).ok()?;
            let logo = fit_round_frame(&decoded.reduce_to_side(LOGO), &look.colors);
            let (width, height) = logo.dimensions();
            Image::new(width, height, logo.into_raw())
        });
        Self {
            colors: look.colors.clone(),
            font: look.font.map(to_typeset_font),
            signer: look.signer.clone(),
            logo,
        }
    }

    pub(super) fn brand(&self) -> Brand<'_> {
        Brand {
            colors: &self.colors,
            font: self.font,
            signer: Some(&self.signer),
            logo: self.logo.as_ref(),
        }
    }
}

fn to_typeset_font(font: domain::Font) -> Font {
    match font {
        domain::Font::Cinzel => Font::Cinzel,
        domain::Font::Garamond => Font::Garamond,
        domain::Font::Inter => Font::Inter,
        domain::Font::Fraunces => Font::Fraunces,
        domain::Font::Newsreader => Font::Newsreader,
        domain::Font::Bricolage => Font::Bricolage,
    }
}

/// Fits the logo to a round frame. A square opaque logo is not changed; any other logo is placed
/// whole inside the circle, on a background with enough contrast.
fn fit_round_frame(logo: &DynamicImage, colors: &[[u8; 3]]) -> RgbImage {
    let logo = logo.to_rgba8();
    let (width, height) = logo.dimensions();
    let is_square = width.abs_diff(height) * 10 <= width.max(height);
    let is_opaque = logo.pixels().all(|pixel| pixel.0[3] > 250);
    if is_square && is_opaque {
        return DynamicImage::ImageRgba8(logo).to_rgb8();
    }
    let ground = if is_opaque {
        let Rgba([r, g, b, _]) = *logo.get_pixel(0, 0);
        [r, g, b]
    } else {
        background_color(&logo, colors)
    };
    let diagonal = f64::from(width).hypot(f64::from(height)) * 1.08;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the side is a few hundred pixels"
    )]
    let side = diagonal.ceil() as u32;
    let mut square = RgbImage::from_pixel(side, side, Rgb(ground));
    let (left, top) = ((side - width) / 2, (side - height) / 2);
    for (x, y, Rgba([r, g, b, alpha])) in logo.enumerate_pixels() {
        let under = square.get_pixel_mut(left + x, top + y);
        for (under, over) in under.0.iter_mut().zip([*r, *g, *b]) {
            let part = u32::from(*alpha);
            let mixed = (u32::from(over) * part + u32::from(*under) * (255 - part)) / 255;
            *under = u8::try_from(mixed).unwrap_or(255);
        }
    }
    square
}

/// Returns the background colour of a logo: white for a dark logo, the darkest brand colour for a light
/// one.
fn background_color(logo: &image::RgbaImage, colors: &[[u8; 3]]) -> [u8; 3] {
    let light = |rgb: &[u8]| rgb.iter().take(3).map(|c| u64::from(*c)).sum::<u64>();
    let seen = logo.pixels().filter(|pixel| pixel.0[3] > 128);
    let (count, sum) = seen.fold((0u64, 0u64), |(count, sum), pixel| {
        (count + 1, sum + light(&pixel.0))
    });
    let is_light = sum > count * 3 * 170;
    let darkest = colors.iter().min_by_key(|rgb| light(&rgb[..]));
    match darkest {
        Some(darkest) if is_light => *darkest,
        _ => [255; 3],
    }
}
