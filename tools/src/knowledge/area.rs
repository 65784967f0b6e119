//! Declares the area: its name, its description, its operations, pages and jobs.

use super::script::GenerateScript;
use super::{ListKnowledgeDocuments, SearchKnowledge};
use super::{embed_knowledge::EmbedKnowledge, forget_vectors::ForgetVectors};
use gateway::{Area, Entry, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new("research", "Pesquisa na base de conhecimento da equipe.")
    .operations(&[
        Entry::of::<SearchKnowledge>(),
        Entry::of::<ListKnowledgeDocuments>(),
        Entry::of::<GenerateScript>(),
    ])
    .jobs(&[
        JobEntry::of::<EmbedKnowledge>(),
        JobEntry::of::<ForgetVectors>(),
    ]);
