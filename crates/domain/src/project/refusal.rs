//! Errors of operations on projects.

use crate::{Code, Error};

/// The reason why an operation cannot be applied. The project stays unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    NotFound(&'static str),
    SectionNotEmpty(usize),
    Archived,
    /// A list is full. The fields are the name of its elements and their maximum number.
    TooMany(&'static str, usize),
    /// The list of assignees names the same member twice.
    Repeated,
    /// The end date would be before the start date.
    EndsBeforeStart,
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotFound(what) => Self::not_found_in(what, "get_project"),
            Refusal::SectionNotEmpty(items) => {
                Self::new(SECTION_NOT_EMPTY).with_detail("items", items.into())
            }
            Refusal::Archived => Self::new(PROJECT_ARCHIVED),
            Refusal::TooMany(what, most) => Self::new(PROJECT_LIMIT)
                .because(format!("O limite é de {most} {what}."))
                .with_detail("limit", most.into()),
            Refusal::Repeated => Self::invalid_field(
                "payload.assignee_member_ids",
                "uniqueItems",
                "não pode repetir itens",
            ),
            Refusal::EndsBeforeStart => Self::invalid_field(
                "payload.ends_on",
                "minimum",
                "não pode vir antes de `starts_on`",
            ),
        }
    }
}

pub const SECTION_NOT_EMPTY: Code = Code::new("SECTION_NOT_EMPTY", 409, "A seção ainda tem itens.")
    .with_next_step("Mova ou remova os itens da seção antes.");

pub const PROJECT_ARCHIVED: Code = Code::new(
    "PROJECT_ARCHIVED",
    409,
    "O projeto está arquivado e não muda.",
)
.with_next_step("Aplique `project.restore` antes.");

pub const PROJECT_LIMIT: Code = Code::new(
    "PROJECT_LIMIT",
    409,
    "O projeto chegou a um de seus limites.",
)
.with_next_step("Remova o que não é mais preciso, ou use outro projeto.");
