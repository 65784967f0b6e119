//! Declares the area: its name, its description and its operations.

use super::{CHANNEL_RULES, PutVariants};
use gateway::{Area, Entry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "variants",
    "Variantes: o que uma peça diz em cada canal a que vai.",
)
.codes(&[CHANNEL_RULES])
.operations(&[Entry::for_operation::<PutVariants>()]);
