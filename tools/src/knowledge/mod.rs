//! The knowledge base: documents that the team adds, found in full text, cited by passage.

mod chunk;
mod document;
mod excerpt;
mod html;
mod prepare;
mod question;
mod ranking;
mod search;
mod search_knowledge;
pub mod words;

pub use document::Document;
pub use prepare::{Prepared, PreparedChunk, prepare};
pub use search_knowledge::SearchKnowledge;

use crate::{
    domain::time::Millis,
    registry::{Error, Result},
    store::{Conn, knowledge},
};

/// Indexes a text of the service's own, such as a published skill (source `skill:<name>`), in the
/// transaction that publishes it; what the source had before is replaced.
///
/// Cutting and stemming happen on a thread of their own. A text without a word takes its source
/// out of the base.
pub async fn index_document(
    db: &Conn<'_>,
    source: &str,
    title: &str,
    markdown: String,
    now: Millis,
) -> Result<()> {
    let (owned, title) = (source.to_owned(), title.to_owned());
    let cutting = tokio::task::spawn_blocking(move || {
        prepare(&owned, &title, &Document::markdown(&markdown), None)
    });
    let Some(prepared) = cutting.await.map_err(Error::internal)? else {
        return knowledge::remove_source(db, source).await;
    };
    // A file with the same text may be removed without taking this one along.
    let prepared = Prepared {
        once: false,
        ..prepared
    };
    knowledge::put(db, prepared, now).await.map(drop)
}

/// A tag as it is kept and compared: without surrounding space, in lower case.
#[must_use]
pub fn clean_tag(tag: &str) -> String {
    tag.trim().to_lowercase()
}
