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
    .required_parts(&[Part::of_type::<DocumentReader>("DocumentReader")])
    .announces_nothing()
    .operations(&[
        Entry::for_operation::<SearchKnowledge>(),
        Entry::for_operation::<ListKnowledgeDocuments>(),
        Entry::for_operation::<AddKnowledgeDocument>(),
        Entry::for_operation::<ReplaceKnowledgeDocument>(),
        Entry::for_operation::<RemoveKnowledgeDocument>(),
        Entry::for_operation::<GenerateScript>(),
    ])
    .jobs(&[
        JobEntry::for_job::<EmbedKnowledge>(),
        JobEntry::for_job::<ForgetVectors>(),
    ]);
