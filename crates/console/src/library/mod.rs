//! Skills, knowledge and configuration.

mod brand;
mod brand_logo;
mod configuration;
mod document_files;
mod documents;
mod knowledge;
mod send_logo;
mod setting;
mod setting_editor;
mod settings;
mod skill;
mod skill_editor;
mod skills;

use domain::Capability;
use gateway::Entry;

use crate::places::{Place, place};

pub(crate) const PAGES: &[Entry] = &[
    skills::SKILLS,
    skill::SKILL,
    skill_editor::NEW_SKILL,
    skill_editor::EDIT_SKILL,
    skill_editor::PUBLISH_SKILL,
    knowledge::KNOWLEDGE,
    documents::DOCUMENTS,
    document_files::ADD_DOCUMENT,
    document_files::REPLACE_DOCUMENT,
    configuration::CONFIGURATION,
    setting::SETTING,
    setting_editor::EDIT_SETTING,
    setting_editor::PUBLISH_SETTING,
    brand::BRAND,
    brand::PUBLISH_BRAND,
    send_logo::SEND_LOGO,
];
pub(crate) const PLACES: &[Place] = &[
    place("/skills", "Skills", &[Capability::SkillsView]).with_areas(&["skills"]),
    place("/conhecimento", "Conhecimento", &[Capability::Rag]).with_areas(&["research", "skills"]),
    place("/configuracao", "Configuração", &[Capability::ConfigView]).with_areas(&["config"]),
];
