//! Variants of a piece: what it says on each channel that it goes to. Their operations are in the area
//! `workflow`, because a variant is part of its piece.
//!
//! Decided here:
//!
//! - A call states whole variants: a field that it leaves out is taken from the piece. What
//!   `get_event` shows of a variant is what the next call takes.
//! - A variant is part of its piece: a change has the next revision of the piece, so an approval,
//!   which names that revision, is of exactly these variants.
//! - A piece that is approved takes changes of its variants. The changed ones wait for
//!   `decide_variants`; the others keep their approval.
//! - What a variant says itself must fit into the rules of its channel (400). What it takes from the
//!   piece may break them while the piece is in work: the answer lists it, and the piece is neither
//!   submitted nor approved with it (409, `CHANNEL_RULES`).
//! - A channel without rules takes the format `post` and any length.

mod check;
mod hints;
mod put_variants;
mod variant_input;
mod variant_view;

pub(crate) use check::{Problem, find_problems, refuse_problems, require_no_problems};
pub use put_variants::PutVariants;
pub use variant_view::{CropView, VariantView};

use gateway::Code;

pub const CHANNEL_RULES: Code = Code::new(
    "CHANNEL_RULES",
    409,
    "A peça não cabe nas regras de um canal a que vai.",
)
.with_next_step("Corrija o que `problemas` diz, na peça ou na variante, e repita.");

/// The maximum number of variants of a piece.
const MOST: usize = 20;
