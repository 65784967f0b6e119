//! Why an operation on a project is refused.

use crate::{Code, Error};

/// Why an operation does not apply. The project is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    NotFound(&'static str),
    SectionNotEmpty(usize),
    Archived,
    /// What there would be too many of, and the limit.
    TooMany(&'static str, usize),
    /// The list names the same member twice.
    Repeated,
    /// It would end before it starts.
    EndsBeforeStart,
}

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
