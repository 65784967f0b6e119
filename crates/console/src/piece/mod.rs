//! The page of one piece: media, caption, history and actions.

mod act;
mod actions;
mod approval;
mod arrange;
pub(crate) mod caption;
mod cards;
pub(crate) mod compared;
pub(crate) mod conflict;
pub(crate) mod details;
pub(crate) mod history;
mod made;
mod make;
pub(crate) mod model;
mod page;
mod posting;
pub(crate) mod previews;
mod publish;
mod receive;
mod redrawn;
pub(crate) mod remarks;
pub(crate) mod stage;
mod submit;
mod upload;
pub(crate) mod variant;
mod variant_post;
mod variants;
pub(crate) mod words;

use gateway::Entry;

pub(crate) const PAGES: &[Entry] = &[
    page::PAGE,
    receive::caption::CAPTION,
    receive::details::DETAILS,
    receive::arrange::ARRANGE,
    receive::carousel::CAROUSEL,
    receive::image::IMAGE,
    receive::preview::PREVIEWS,
    receive::upload::UPLOAD,
    receive::variant::VARIANT,
    posting::PAGE,
    remarks::RECEIVE,
    remarks::MENTIONS,
    cards::PAGE,
    cards::SAVE,
];
