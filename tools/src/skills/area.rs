//! The area: what it is called and what it offers.

use super::{ListSkills, PublishSkillVersion};
use gateway::{Area, Entry};

/// The area of these operations.
pub static AREA: Area = Area::new(
    "skills",
    "Skills da equipe: versões publicadas, também por MCP.",
)
.operations(&[
    Entry::of::<ListSkills>(),
    Entry::of::<PublishSkillVersion>(),
]);
