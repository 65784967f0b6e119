//! The team's skills: versioned Markdown for agents.

mod area;
mod hints;
mod list_skills;
mod publish_skill_version;

pub use area::AREA;
pub use list_skills::ListSkills;
pub use publish_skill_version::PublishSkillVersion;

use gateway::Resource;

const SKILL: Resource = Resource::new("skill");
