//! The team's skills: Markdown for agents, in versions.

mod list_skills;
mod publish_skill_version;

pub use list_skills::ListSkills;
pub use publish_skill_version::PublishSkillVersion;
