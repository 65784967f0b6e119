//! The styles: how each places and decorates a text.

mod editorial;
mod epico;
mod minimalista;
mod night;
mod tiles;
mod vibrante;

use crate::card::Style;
use crate::design::{Design, Dice};

pub(crate) fn of(style: Style, seed: u64) -> Box<dyn Design> {
    let dice = Dice::new(seed);
    match style {
        Style::Epico => Box::new(epico::Epico::new(dice)),
        Style::Minimalista => Box::new(minimalista::Minimalista::new(dice)),
        Style::Editorial => Box::new(editorial::Editorial::new(dice)),
        Style::Vibrante => Box::new(vibrante::Vibrante::new(dice)),
    }
}
