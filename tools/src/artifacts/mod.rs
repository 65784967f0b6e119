//! The published documents, which agents and integrators read before their first call.

mod area;
mod get_document;
mod get_openapi;
mod get_skill_file;
mod pages;

pub use area::AREA;
pub use get_document::GetDocument;
pub use pages::PAGES;

use std::sync::Arc;

use gateway::{Code, Content, Context, Document, Documents, Error, Reply, Result, offload};

pub const ARTIFACT_MISSING: Code = Code::new(
    "ARTIFACT_MISSING",
    503,
    "O artefato não está nesta instalação.",
);

/// The document renderer, injected into the service at startup.
pub type Renderer = Arc<dyn Documents>;

/// Finds the document with this file name; `None` if this build does not contain it.
async fn find_document(ctx: &Context<'_>, name: String) -> Result<Option<Arc<dyn Document>>> {
    let documents = ctx.services.parts.get::<Renderer>();
    if documents.is_ready() {
        return Ok(documents.find(&name));
    }
    let documents = documents.clone();
    offload(move || documents.find(&name)).await
}

/// Serves a document of the table; `ARTIFACT_MISSING` if this build does not contain it.
async fn serve_document(ctx: &Context<'_>, name: &str) -> Result<Reply> {
    let document = find_document(ctx, name.to_owned()).await?;
    let document = document.ok_or_else(|| Error::new(ARTIFACT_MISSING))?;
    Ok(Reply::new(Content::Document(document)))
}
