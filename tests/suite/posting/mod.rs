//! Publication of approved variants at their scheduled time, tested with doubles of the networks' APIs.

mod by_hand;
mod changes;
mod clicks;
mod decisions;
mod double;
mod hours;
mod outcomes;
mod readings;
mod results;
mod stage;
mod storm;
mod tasks;
mod uploads;

use domain::variant::VariantContent;

pub use stage::Stage;

/// A variant that takes all its content from the piece.
fn plain() -> VariantContent {
    VariantContent::default()
}

/// A variant with this caption.
fn captioned(caption: &str) -> VariantContent {
    VariantContent {
        caption: Some(caption.into()),
        ..VariantContent::default()
    }
}
