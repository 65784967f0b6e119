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
.announces_nothing()
.operations(&[
    Entry::for_operation::<ListProjects>(),
    Entry::for_operation::<CreateProject>(),
    Entry::for_operation::<GetProject>(),
    Entry::for_operation::<ListProjectOperations>(),
    Entry::for_operation::<ApplyProjectOperation>(),
    Entry::for_operation::<ApplyProjectOperations>(),
]);
