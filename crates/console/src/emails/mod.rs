//! E-mail drafts.

mod draft;
mod editor;
mod frame;
mod list;
mod preview;
mod reading;
mod replacing;

use domain::Capability;
use gateway::Entry;

use crate::places::{Place, place};

pub(crate) const PAGES: &[Entry] = &[
    list::DRAFTS,
    editor::NEW_DRAFT,
    editor::SAVE_DRAFT,
    draft::DRAFT,
    replacing::REPLACE,
    preview::PREVIEW,
    preview::TYPED_PREVIEW,
];
pub(crate) const PLACES: &[Place] = &[place("/emails", "E-mails", &[Capability::EmailDraftsView])
    .with_key("e")
    .with_areas(&["email_drafts"])];
