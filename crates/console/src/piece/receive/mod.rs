//! The pages that receive the forms of a piece.

pub(super) mod arrange;
pub(super) mod caption;
pub(super) mod carousel;
pub(super) mod details;
pub(super) mod preview;
pub(super) mod upload;
