//! Collaborative projects: made whole, changed by one operation at a time.

mod apply_project_operation;
mod create_project;
mod get_project;
mod list_project_operations;
mod list_projects;
mod project_view;
mod released;
mod typed;

pub use apply_project_operation::ApplyProjectOperation;
pub use create_project::CreateProject;
pub use get_project::GetProject;
pub use list_project_operations::ListProjectOperations;
pub use list_projects::ListProjects;
pub(crate) use released::release;

use crate::{
    domain::project::Refusal,
    registry::{Code, Error},
};

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotFound(what) => Self::not_found(what),
            Refusal::SectionNotEmpty(items) => {
                Self::new(Code::SectionNotEmpty).with("items", items.into())
            }
            Refusal::Archived => Self::new(Code::ProjectArchived),
            Refusal::TooMany(what, most) => Self::new(Code::ProjectLimit)
                .because(format!("O limite é de {most} {what}."))
                .with("limit", most.into()),
            Refusal::Repeated => Self::invalid(
                "payload.assignee_member_ids",
                "uniqueItems",
                "não pode repetir itens",
            ),
            Refusal::EndsBeforeStart => Self::invalid(
                "payload.ends_on",
                "minimum",
                "não pode vir antes de `starts_on`",
            ),
        }
    }
}
