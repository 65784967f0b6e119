//! How a piece will look where it goes: one preview for each form that its network has.
//!
//! A preview crops and folds as the network does, so that people see before publishing what is cut
//! off. It is HTML and CSS: the forms are radio buttons, and work without a script.

mod draw;
mod forms;
mod signer;

pub(super) use draw::section;
pub(super) use signer::Signer;
