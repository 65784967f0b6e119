//! The kinds of resources that a search finds.

use crate::{
    email_drafts::ListEmailDrafts,
    knowledge::ListKnowledgeDocuments,
    media::ListMedia,
    projects::ListProjects,
    skills::ListSkills,
    workflow::{ListEvents, ListTeam},
};
use domain::text_enum;
use gateway::{Operation, Principal, Result, Spec};

text_enum! {
    /// A kind of resource. The kinds are in the order of the answer.
    pub enum FoundKind {
        Event = "evento",
        Project = "projeto",
        EmailDraft = "email",
        Media = "midia",
        Skill = "skill",
        Document = "documento",
        Person = "pessoa",
    }
}

impl FoundKind {
    /// Returns the spec of the operation that lists resources of this kind. A caller who may call this
    /// operation may search this kind.
    fn list_operation(self) -> Spec {
        match self {
            Self::Event => ListEvents::SPEC,
            Self::Project => ListProjects::SPEC,
            Self::EmailDraft => ListEmailDrafts::SPEC,
            Self::Media => ListMedia::SPEC,
            Self::Skill => ListSkills::SPEC,
            Self::Document => ListKnowledgeDocuments::SPEC,
            Self::Person => ListTeam::SPEC,
        }
    }

    /// Returns the kinds to search, in the order of the answer. Refuses (403) a requested kind that the
    /// caller may not list.
    pub fn kinds_to_search(caller: &Principal, asked: Option<&str>) -> Result<Vec<Self>> {
        let Some(asked) = asked else {
            let all = Self::ALL.iter().copied();
            let may_list = |kind: &Self| caller.authorize(kind.list_operation().access).is_ok();
            return Ok(all.filter(may_list).collect());
        };
        let names: Vec<&str> = asked.split(',').collect();
        let kinds = Self::ALL.iter().copied();
        let kinds: Vec<Self> = kinds
            .filter(|kind| names.contains(&kind.as_str()))
            .collect();
        for kind in &kinds {
            caller.authorize(kind.list_operation().access)?;
        }
        Ok(kinds)
    }
}
