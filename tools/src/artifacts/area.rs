//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{ARTIFACT_MISSING, PAGES, Renderer};
use gateway::{Area, Part};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "artifacts",
    "Documentos públicos para agentes e integradores.",
)
.codes(&[ARTIFACT_MISSING])
.required_parts(&[Part::of_type::<Renderer>("Renderer")])
.pages(PAGES);
