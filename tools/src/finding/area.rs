//! Declares the area: its name, its description, its operations, pages and jobs.

use super::SearchEverything;
use gateway::{Area, Entry};

/// The declaration of this area.
pub static AREA: Area = Area::new("search", "Busca em tudo o que quem chama pode ver.")
    .operations(&[Entry::for_operation::<SearchEverything>()]);
