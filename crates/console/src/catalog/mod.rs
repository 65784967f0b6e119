//! The catalog: each operation with a form to try it. Also the palette of pages and operations.

mod control;
mod list;
mod operation;
mod palette;
mod paths;
mod prose;
mod schema;
mod trial;

use domain::Capability;
use gateway::Entry;

use crate::places::{Place, place};

pub(crate) use palette::{Offer, list_offers};

pub(crate) const PAGES: &[Entry] = &[
    list::LIST,
    operation::OPERATION,
    trial::TRIAL,
    palette::PALETTE,
];
pub(crate) const PLACES: &[Place] =
    &[place("/catalogo", "Catálogo", &[Capability::TeamAdmin]).with_key("c")];
