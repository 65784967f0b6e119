//! The passages of the knowledge base on which a script is based.

use std::collections::{BTreeSet, HashSet};

use schemars::JsonSchema;
use search::{excerpt, words::stems};
use serde::Serialize;
use serde_json::{Value, json};

use super::addresses::Addresses;
use crate::knowledge::search_passages;
use domain::{ChunkId, DocumentId};
use gateway::{Context, Error, Result};
use store::knowledge::{self, Passage, Source, Within};

/// Maximum passages found for a script.
const PASSAGES: usize = 8;
/// Maximum passages cited for one claim.
const CITED: usize = 3;

/// Documento da base de conhecimento em que o roteiro se apoia.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CitedSource {
    /// Id do documento.
    id: DocumentId,
    titulo: String,
    /// De onde o documento veio: arquivo ou `skill:nome`.
    fonte: String,
}

/// Trecho de uma fonte.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CitedPassage {
    /// Id do trecho, como em `citacoes` de `search_knowledge`.
    id: ChunkId,
    documento_id: DocumentId,
    /// Documento e seção.
    titulo: String,
    /// A parte do trecho de que a afirmação fala.
    trecho: String,
}

/// Passages numbered from 1, and their documents.
pub(super) struct Material {
    passages: Vec<Passage>,
    documents: Vec<Source>,
}

impl Material {
    /// Searches for passages about a subject, in the chosen documents or, if none are chosen, in
    /// the whole knowledge base.
    ///
    /// For a chosen document without a match, its first passage is used. Refuses (400) a document
    /// that does not exist.
    pub async fn find_material(
        ctx: &Context<'_>,
        subject: &str,
        chosen: &[DocumentId],
    ) -> Result<Self> {
        let db = ctx.db();
        require_existing_sources(&knowledge::load_sources(&db, chosen).await?, chosen)?;
        let within = Within {
            documents: chosen,
            ..Within::default()
        };
        let found = search_passages(&db, ctx.services, subject, within, PASSAGES).await?;
        let mut passages: Vec<Passage> = found.hits.into_iter().map(|hit| hit.passage).collect();
        let missed = |id: &&DocumentId| passages.iter().all(|p| p.document_id != **id);
        let missed: Vec<DocumentId> = chosen.iter().filter(missed).cloned().collect();
        passages.extend(knowledge::load_first_passages(&db, &missed).await?);
        let ids: BTreeSet<DocumentId> = passages.iter().map(|p| p.document_id.clone()).collect();
        let ids: Vec<DocumentId> = ids.into_iter().collect();
        Ok(Self {
            documents: knowledge::load_sources(&db, &ids).await?,
            passages,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    /// Returns the numbered passages as JSON for the model.
    pub fn to_json(&self) -> Value {
        let passages = (1..).zip(&self.passages).map(|(number, passage): (u32, _)| {
            json!({ "numero": number, "titulo": passage.title, "texto": passage.text })
        });
        passages.collect()
    }

    /// Returns the documents of the passages with these numbers, each once, in the order of the numbers.
    /// Unknown numbers are ignored.
    pub fn cited_document_ids(&self, numbers: &[i64]) -> Vec<DocumentId> {
        let mut ids: Vec<DocumentId> = vec![];
        for passage in self.numbered_passages(numbers) {
            if !ids.contains(&passage.document_id) {
                ids.push(passage.document_id.clone());
            }
        }
        ids
    }

    /// Returns excerpts about the claim from the passages with these numbers; at most `CITED`, without
    /// duplicates.
    pub fn cited_passages(&self, numbers: &[i64], claim: &str) -> Vec<CitedPassage> {
        let terms: Vec<String> = stems(claim).collect();
        let terms: HashSet<&str> = terms.iter().map(String::as_str).collect();
        let mut cited: Vec<CitedPassage> = vec![];
        for passage in self.numbered_passages(numbers) {
            if cited.len() < CITED && cited.iter().all(|known| known.id != passage.id) {
                cited.push(CitedPassage {
                    id: passage.id.clone(),
                    documento_id: passage.document_id.clone(),
                    titulo: passage.title.clone(),
                    trecho: excerpt(&passage.text, &terms),
                });
            }
        }
        cited
    }

    /// Returns the passages with these numbers. Unknown numbers and passages without a document are
    /// ignored.
    fn numbered_passages(&self, numbers: &[i64]) -> impl Iterator<Item = &Passage> {
        let at = |number: &i64| usize::try_from(*number).ok()?.checked_sub(1);
        let passages = numbers
            .iter()
            .filter_map(move |number| self.passages.get(at(number)?));
        passages.filter(|passage| self.documents.iter().any(|d| d.id == passage.document_id))
    }

    pub fn cited_sources(&self, ids: &[DocumentId]) -> Vec<CitedSource> {
        let found = ids
            .iter()
            .filter_map(|id| self.documents.iter().find(|document| document.id == *id));
        let cited = found.map(|document| CitedSource {
            id: document.id.clone(),
            titulo: document.title.clone(),
            fonte: document.source.clone(),
        });
        cited.collect()
    }

    /// Returns the URLs that occur in the passages.
    pub fn passage_addresses(&self) -> Addresses {
        let mut addresses = Addresses::default();
        for passage in &self.passages {
            for text in [&passage.title, &passage.text, &passage.source] {
                addresses.allow_addresses(text);
            }
        }
        addresses
    }
}

fn require_existing_sources(known: &[Source], chosen: &[DocumentId]) -> Result<()> {
    let unknown = chosen
        .iter()
        .position(|id| known.iter().all(|known| known.id != *id));
    match unknown {
        None => Ok(()),
        Some(at) => Err(Error::invalid_field(
            &format!("fontes.{at}"),
            "exists",
            "não é um documento da base; use os `documento_id` de `search_knowledge`",
        )),
    }
}
