//! The pages that receive the forms of a piece.
//!
//! A page receives a form that needs more than one call, or an answer of its own. A submission and
//! a decision always stay bound to the revision that was seen. What a person types is kept in the
//! browser until it is saved.

pub(super) mod arrange;
pub(super) mod caption;
pub(super) mod carousel;
pub(super) mod details;
pub(super) mod preview;
pub(super) mod upload;
