//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{ListSkills, PublishSkillVersion};
use gateway::{Area, Entry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "skills",
    "Skills da equipe: versões publicadas, também por MCP.",
)
.announces_nothing()
.operations(&[
    Entry::for_operation::<ListSkills>(),
    Entry::for_operation::<PublishSkillVersion>(),
]);
