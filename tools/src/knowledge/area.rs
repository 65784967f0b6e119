//! Declares the area: its name, its description, its operations, pages and jobs.

use super::script::GenerateScript;
use super::{
    AddKnowledgeDocument, DOCUMENT_EXISTS, DOCUMENT_OF_SKILL, DocumentReader,
    ListKnowledgeDocuments, RemoveKnowledgeDocument, ReplaceKnowledgeDocument, SearchKnowledge,
};
use super::{embed_knowledge::EmbedKnowledge, forget_vectors::ForgetVectors};
use gateway::{Area, Entry, Part, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new("research", "Pesquisa na base de conhecimento da equipe.")
    .codes(&[DOCUMENT_EXISTS, DOCUMENT_OF_SKILL])
    .parts(&[Part::of::<DocumentReader>("DocumentReader")])
    .operations(&[
        Entry::of::<SearchKnowledge>(),
        Entry::of::<ListKnowledgeDocuments>(),
        Entry::of::<AddKnowledgeDocument>(),
        Entry::of::<ReplaceKnowledgeDocument>(),
        Entry::of::<RemoveKnowledgeDocument>(),
        Entry::of::<GenerateScript>(),
    ])
    .jobs(&[
        JobEntry::of::<EmbedKnowledge>(),
        JobEntry::of::<ForgetVectors>(),
    ]);
