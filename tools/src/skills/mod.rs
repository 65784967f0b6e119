//! The team's skills: versioned Markdown for agents.
//!
//! A skill is indexed for the knowledge base in the transaction that publishes it. Decided here:
//! version 0 stands for a skill that does not exist yet. `expected_version` 0 publishes only a new
//! skill, and `details.current` is 0 if the skill does not exist.

mod area;
mod hints;
mod list_skills;
mod publish_skill_version;

pub use area::AREA;
pub use list_skills::ListSkills;
pub use publish_skill_version::PublishSkillVersion;

use gateway::Resource;

const SKILL: Resource = Resource::new("skill");
