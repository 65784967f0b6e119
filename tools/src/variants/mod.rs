//! Variants of a piece: the content, hour and way of publishing on each channel. Their operations are in
//! the
//! area `workflow`, because a variant is part of its piece.
//!
//! Decided here:
//!
//! - A call contains whole variants: the piece supplies the fields that a variant omits. The next call
//!   accepts a variant in the form in which `get_event` returns it.
//! - A variant is part of its piece: a change of a variant creates the next revision of the piece. An
//!   approval names this revision, so it applies to exactly these variants.
//! - The variants of an approved piece may be changed. The changed variants wait for `decide_variants`;
//!   the unchanged variants keep their approval.
//! - A field that the variant itself sets must comply with the rules of its channel (400). A field that
//!   the piece supplies may break these rules while the piece is in work: the answer lists the problem,
//!   and the piece can be neither submitted nor approved with it (409, `CHANNEL_RULES`).
//! - A channel without rules accepts the format `post` and texts of any length.

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
