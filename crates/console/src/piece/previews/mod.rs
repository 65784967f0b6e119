//! Shows how a piece will look on its networks: one preview for each form in which a network shows
//! the post. A piece has one post for each of its variants, or else a post of its own.
//!
//! A preview crops and folds as the network does, so that people see what is cut off before they
//! publish. Previews are HTML and CSS: radio buttons switch between them without a script.

mod draw;
mod forms;
mod post;
mod signer;

pub(crate) use draw::{Extent, draw_posts, previews_section};
pub(crate) use forms::has_own_count;
pub(crate) use post::Post;
pub(crate) use signer::Signers;
