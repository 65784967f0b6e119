//! Shows how a piece will look on its network: one preview for each form in which the network shows
//! posts.
//!
//! A preview crops and folds as the network does, so that people see what is cut off before they
//! publish. Previews are HTML and CSS: radio buttons switch between them without a script.

mod draw;
mod forms;
mod signer;

pub(crate) use draw::{Extent, previews_section};
pub(crate) use forms::has_own_count;
pub(crate) use signer::Signer;
