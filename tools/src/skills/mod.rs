//! The team's skills: versioned Markdown for agents.
//!
//! A skill is indexed for the knowledge base in the transaction that publishes it. Decided here:
//! `expected_version` 0 publishes a skill only if there is none; `details.current` is 0 then.

mod area;
mod hints;
mod list_skills;
mod publish_skill_version;

pub use area::AREA;
pub use list_skills::ListSkills;
pub use publish_skill_version::PublishSkillVersion;

use gateway::Resource;

const SKILL: Resource = Resource::new("skill");
