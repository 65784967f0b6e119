//! Collaborative projects. Each change is an operation.
//!
//! A project is one JSON document. An operation reads the document, applies the change
//! (`domain::project::Project::apply`), and writes the document back under
//! `UPDATE … WHERE revision = ?`, with one row of history in the same transaction. The cost of an
//! operation depends on the size of the project and not on the length of its history. Lists read the
//! counts of a project from separate columns.
//!
//! Assigning a member locks the row of that member. Offboarding locks the same row before it reads
//! the projects, so that nobody assigns the member during the offboarding. Offboarding does not
//! change archived projects or done items. `project.restore` and `item.reopen`, which make these
//! editable again, remove former members. The recorded operation lists the removed members, so that a
//! replay of the history needs no other state.
//!
//! Decided here:
//!
//! - New projects begin at revision 1.
//! - `project.rename` and `project.describe` take `title` and `notes`. Only `project.schedule` has
//!   its own fields, `starts_on` and `ends_on`; it sets both dates and erases an absent date.
//! - An archived project refuses all operations except `project.restore` with 409
//!   `PROJECT_ARCHIVED`. Archiving an archived project changes nothing and answers 200. An operation
//!   that would exceed a limit of a project is refused with 409 `PROJECT_LIMIT`.
//! - `member.remove` also removes the person from open items; done items keep their assignees.
//!   Unlinking an event or removing a member that the project does not contain changes nothing; if
//!   the event or the member does not exist, the response is 404.

mod apply_project_operation;
mod apply_project_operations;
mod area;
mod change;
mod create_project;
mod get_project;
mod hints;
mod list_project_operations;
mod list_projects;
mod project_view;
mod released;
mod steps;
mod typed;

pub use apply_project_operation::ApplyProjectOperation;
pub use apply_project_operations::ApplyProjectOperations;
pub use area::AREA;
pub use create_project::CreateProject;
pub use get_project::GetProject;
pub use list_project_operations::ListProjectOperations;
pub use list_projects::ListProjects;
pub(crate) use released::remove_former_member;

use domain::project::{PROJECT_ARCHIVED, PROJECT_LIMIT, SECTION_NOT_EMPTY};
use gateway::Resource;

const PROJECT: Resource = Resource::new("project");
