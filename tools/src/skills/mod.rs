//! The team's skills: Markdown for agents, in versions.

mod hints;
mod list_skills;
mod publish_skill_version;

pub use list_skills::ListSkills;
pub use publish_skill_version::PublishSkillVersion;

use gateway::{Area, Resource};

const SKILL: Resource = Resource::new("skill");

/// The area of these operations.
pub const AREA: Area = Area::new(
    "skills",
    "Skills da equipe: versões publicadas, também por MCP.",
);
