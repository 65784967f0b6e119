//! Reads drafts for the pages.

use gateway::Result;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::view::View;

#[derive(Deserialize)]
pub(super) struct DraftPage {
    pub draft: Draft,
    pub ocorrencias: Option<Occurrences>,
}

#[derive(Deserialize)]
pub(super) struct Draft {
    pub template_id: String,
    #[serde(default)]
    pub html: String,
    pub html_length: i64,
    pub metadata: Map<String, Value>,
    pub updated_at: String,
    pub updated_by_name: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Occurrences {
    pub total: usize,
    pub trechos: Vec<Passage>,
    pub next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Passage {
    pub trecho: String,
    /// The exact HTML of the occurrence.
    pub procurar: Option<String>,
}

/// Reads a draft. With `search`, reads a page of occurrences instead of the HTML.
pub(super) async fn read_draft(
    view: &View<'_>,
    id: &str,
    search: Option<&str>,
    cursor: Option<&str>,
) -> Result<DraftPage> {
    let input = json!({ "templateId": id, "busca": search, "cursor": cursor });
    view.read("get_email_draft", input).await
}
