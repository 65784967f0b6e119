//! The stages of a piece in approval.

use maud::{Markup, html};
use serde::Deserialize;

use crate::text;

/// Where a piece waits, as `get_event` says.
#[derive(Debug, Deserialize)]
pub(crate) struct Approval {
    etapa: String,
    numero: usize,
    de: usize,
    espera_por: Vec<Awaited>,
    desde: String,
    prazo: Option<String>,
    atrasada: bool,
    decidiram: Vec<Approver>,
    pub pode_aprovar: bool,
    pub pode_recusar: bool,
    #[serde(default)]
    etapas: Vec<Stage>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Awaited {
    Person { name: String },
    Role(String),
}

#[derive(Debug, Deserialize)]
struct Approver {
    name: String,
    numero: usize,
}

#[derive(Debug, Deserialize)]
struct Stage {
    nome: String,
    quem: Vec<Awaited>,
}

impl Awaited {
    fn name(&self) -> &str {
        match self {
            Self::Person { name } => name,
            Self::Role(role) => match role.as_str() {
                "lider" => "líderes",
                "admin" => "admins",
                _ => "convidados",
            },
        }
    }

    fn draw(&self) -> Markup {
        match self {
            Self::Person { name } => draw_initials(name),
            Self::Role(_) => html! { span class="badge" { (self.name()) } },
        }
    }
}

fn draw_initials(name: &str) -> Markup {
    html! { abbr title=(name) { (text::initials(name)) } }
}

impl Approval {
    /// Draws the stages in their order, with their people and the current one marked.
    pub fn draw_stages(&self) -> Markup {
        html! {
            section class="approval" aria-label="Etapas da aprovação" {
                ol class="stages" {
                    @for (number, stage) in (1..).zip(&self.etapas) {
                        (self.draw_stage(number, stage))
                    }
                }
                p {
                    (self.waiting_sentence())
                    " Desde " (text::format_iso_moment(&self.desde))
                    @if let Some(due) = &self.prazo {
                        @if self.atrasada {
                            ", " strong class="late" { "atrasada: o prazo era " (text::format_iso_moment(due)) }
                        } @else {
                            ", prazo " (text::format_iso_moment(due))
                        }
                    }
                    "."
                }
            }
        }
    }

    fn draw_stage(&self, number: usize, stage: &Stage) -> Markup {
        let approvers = self.decidiram.iter().filter(|one| one.numero == number);
        let is_done = number < self.numero;
        html! {
            li class=[is_done.then_some("done")] aria-current=[(number == self.numero).then_some("step")] {
                span class="stage-name" dir="auto" {
                    @if is_done { span aria-hidden="true" { "✓ " } span class="sr" { "Aprovada: " } }
                    (stage.nome)
                }
                span class="owners" {
                    @if is_done {
                        @for one in approvers { (draw_initials(&one.name)) }
                    } @else {
                        @for one in &stage.quem { (one.draw()) }
                        @let count = approvers.count();
                        @if count > 0 { small { (count) " já " @if count == 1 { "aprovou" } @else { "aprovaram" } } }
                    }
                }
            }
        }
    }

    /// The sentence that says for whom the piece waits.
    pub fn waiting_sentence(&self) -> Markup {
        let names: Vec<&str> = self.espera_por.iter().map(Awaited::name).collect();
        html! {
            "Etapa " (self.numero) " de " (self.de) ", “" span dir="auto" { (self.etapa) } "”: espera por "
            strong dir="auto" { (join_names(&names)) } "."
        }
    }
}

/// Joins names as in a sentence: `Ana, Bia e admins`.
fn join_names(names: &[&str]) -> String {
    match names {
        [] => "quem aprova".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} e {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::join_names;

    #[test]
    fn names_are_joined_as_in_a_sentence() {
        assert_eq!(join_names(&[]), "quem aprova");
        assert_eq!(join_names(&["Ana"]), "Ana");
        assert_eq!(join_names(&["Ana", "Bia", "admins"]), "Ana, Bia e admins");
    }
}
