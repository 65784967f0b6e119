//! Shows how a piece will look on its networks: one preview for each form in which a network shows a
//! post. A piece has one post for each of its variants or, without variants, a single post.
//!
//! A preview crops and folds as the network does, so that people see before publishing which parts are
//! cut off. Previews are HTML and CSS: radio buttons switch between the previews without a script.

mod draw;
mod forms;
mod post;
mod signer;

pub(crate) use draw::{Extent, draw_posts, previews_section};
pub(crate) use forms::has_own_count;
pub(crate) use post::Post;
pub(crate) use signer::Signers;
