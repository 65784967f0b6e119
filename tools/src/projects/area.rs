//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{
    ApplyProjectOperation, ApplyProjectOperations, CreateProject, GetProject,
    ListProjectOperations, ListProjects, PROJECT_ARCHIVED, PROJECT_LIMIT, SECTION_NOT_EMPTY,
};
use gateway::{Area, Entry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "projects",
    "Projetos colaborativos: seções e itens, mudados por operações com histórico.",
)
.codes(&[SECTION_NOT_EMPTY, PROJECT_ARCHIVED, PROJECT_LIMIT])
.operations(&[
    Entry::of::<ListProjects>(),
    Entry::of::<CreateProject>(),
    Entry::of::<GetProject>(),
    Entry::of::<ListProjectOperations>(),
    Entry::of::<ApplyProjectOperation>(),
    Entry::of::<ApplyProjectOperations>(),
]);
