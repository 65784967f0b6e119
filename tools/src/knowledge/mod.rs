//! The knowledge base: documents that the team adds, found by full-text search and cited by
//! passage.
//!
//! Reading, splitting and stemming run on blocking threads; files are prepared before the
//! transaction. Writers lock the single row of totals, which also numbers the chunks. A chunk keeps
//! its id while its title and text stay the same.
//!
//! Decided here: `/api/rag` accepts queries of up to 4,000 characters. A document matches if it has
//! any of the requested tags. Citations contain the id of the chunk and, in addition to the fields
//! of the contract, `documento_id`. An uploaded document is refused if the knowledge base already
//! has a document with the same name or text, so that nothing is replaced by mistake; replacing a
//! document is a separate operation. Only the text of a file is stored.

mod add_knowledge_document;
mod area;
mod embed_knowledge;
mod find;
mod forget_vectors;
mod hints;
mod list_knowledge_documents;
mod reading;
mod received;
mod remove_knowledge_document;
mod replace_knowledge_document;
pub mod script;
mod search_knowledge;
mod semantics;
pub(crate) mod synonyms;
mod terms;

pub use add_knowledge_document::AddKnowledgeDocument;
pub use area::AREA;
pub use embed_knowledge::EmbedKnowledge;
pub(crate) use embed_knowledge::enqueue_embedding;
pub(crate) use find::search_passages;
pub use list_knowledge_documents::{KnowledgeDocument, ListKnowledgeDocuments};
pub use reading::{DocumentReader, Unreadable, is_document_name};
pub use remove_knowledge_document::RemoveKnowledgeDocument;
pub use replace_knowledge_document::ReplaceKnowledgeDocument;
pub use search_knowledge::SearchKnowledge;
pub use semantics::Semantics;

use search::{Document, Prepared, prepare_for_index};

use domain::time::Millis;
use gateway::{Code, Error, Resource, Result, Services};
use store::{Conn, knowledge};

const DOCUMENT: Resource = Resource::new("knowledge");

pub const DOCUMENT_EXISTS: Code = Code::new(
    "DOCUMENT_EXISTS",
    409,
    "A base de conhecimento já tem este documento.",
)
.with_next_step("Para ficar com o arquivo novo, troque o documento `details.documento_id`.");

pub const DOCUMENT_OF_SKILL: Code = Code::new(
    "DOCUMENT_OF_SKILL",
    409,
    "Este documento é de uma skill publicada.",
)
.with_next_step("Publique uma versão nova da skill.");

/// Refuses (409) the document of a skill, because it changes only with the skill.
fn require_not_skill(source: &str) -> Result<()> {
    match source.starts_with(knowledge::SKILL_SOURCE) {
        true => Err(Error::new(DOCUMENT_OF_SKILL)),
        false => Ok(()),
    }
}

/// Indexes a published skill under the source `skill:<name>`, in the transaction that publishes it.
/// The previous version is replaced.
///
/// Splitting and stemming run on a blocking thread. If the text has no words, the source is removed
/// from the knowledge base.
pub async fn index_skill(
    services: &Services,
    db: &Conn<'_>,
    name: &str,
    description: &str,
    markdown: &str,
    now: Millis,
) -> Result<()> {
    let source = format!("{}{name}", knowledge::SKILL_SOURCE);
    let (owned, name) = (source.clone(), name.to_owned());
    let (description, markdown) = (description.to_owned(), markdown.to_owned());
    let cutting = tokio::task::spawn_blocking(move || {
        let tags = Some(vec!["skill".to_owned()]);
        let document = Document::from_markdown(&markdown).prepend_paragraph(description);
        prepare_for_index(&owned, &name, &document, tags)
    });
    enqueue_embedding(services, db, now).await?;
    let Some(prepared) = cutting.await.map_err(Error::internal)? else {
        return Ok(knowledge::remove_source(db, &source).await?);
    };
    // Keeps this document separate from a file with the same text: removing the file must not
    // remove the skill.
    let prepared = Prepared {
        once: false,
        ..prepared
    };
    Ok(knowledge::save_document(db, prepared, now)
        .await
        .map(drop)?)
}

/// Normalizes a tag for storage and comparison: trimmed and in lower case.
#[must_use]
pub fn clean_tag(tag: &str) -> String {
    tag.trim().to_lowercase()
}
