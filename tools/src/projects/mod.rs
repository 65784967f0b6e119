//! Collaborative projects. Each change is an operation.

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
pub(crate) use released::release;

use domain::project::{PROJECT_ARCHIVED, PROJECT_LIMIT, SECTION_NOT_EMPTY};
use gateway::Resource;

const PROJECT: Resource = Resource::new("project");
