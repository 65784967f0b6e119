//! The styles: each one positions and decorates a text.

mod editorial;
mod epico;
mod minimalista;
mod night;
mod tiles;
mod vibrante;

use crate::brand::Scheme;
use crate::card::Style;
use crate::design::{Design, Dice};

/// Creates the design of a style with one of its palettes, or in the colours of a brand.
pub(crate) fn create_design(style: Style, seed: u64, scheme: Option<&Scheme>) -> Box<dyn Design> {
    let dice = Dice::new(seed);
    match style {
        Style::Epico => Box::new(epico::Epico::new(dice, scheme)),
        Style::Minimalista => Box::new(minimalista::Minimalista::new(dice, scheme)),
        Style::Editorial => Box::new(editorial::Editorial::new(dice, scheme)),
        Style::Vibrante => Box::new(vibrante::Vibrante::new(dice, scheme)),
    }
}
