//! The area: what it is called and what it offers.

use super::script::GenerateScript;
use super::{ListKnowledgeDocuments, SearchKnowledge};
use super::{embed_knowledge::EmbedKnowledge, forget_vectors::ForgetVectors};
use gateway::{Area, Entry, jobs::JobEntry};

/// The area of these operations.
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
