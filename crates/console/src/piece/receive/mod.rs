//! The pages that receive the forms of a piece.
//!
//! A form has its own page if it needs several calls, or an answer that `action` does not give. A
//! submission or a decision is always bound to the revision that the person saw. The browser keeps the
//! typed text until it is saved.

pub(super) mod arrange;
pub(super) mod caption;
pub(super) mod carousel;
pub(super) mod details;
pub(super) mod image;
pub(super) mod preview;
pub(super) mod upload;
pub(super) mod variant;
