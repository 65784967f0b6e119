//! The area: what it is called and what it offers.

use super::{ARTIFACT_MISSING, PAGES, Renderer};
use gateway::{Area, Part};

/// The area of the published documents.
pub static AREA: Area = Area::new(
    "artifacts",
    "Documentos públicos para agentes e integradores.",
)
.codes(&[ARTIFACT_MISSING])
.parts(&[Part::of::<Renderer>("Renderer")])
.pages(PAGES);
