//! The stages of a piece in approval.

use domain::MemberId;
use maud::{Markup, html};
use serde::Deserialize;

use crate::text;

/// The name in the answer for a guest whose real name is unknown.
const GUEST: &str = "convidado";

/// The approval of a piece in stages, from the answer of `get_event`.
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
    Person { id: String, name: String },
    Role(String),
}

#[derive(Debug, Deserialize)]
struct Approver {
    /// `None` for a guest. The `name` of a guest is [`GUEST`] if the real name is unknown.
    #[serde(default)]
    id: Option<String>,
    name: String,
    numero: usize,
    /// True if the caption or the media changed after this approval.
    #[serde(default)]
    mudou_depois: bool,
}

#[derive(Debug, Deserialize)]
struct Stage {
    nome: String,
    quem: Vec<Awaited>,
}

impl Awaited {
    fn name(&self) -> &str {
        match self {
            Self::Person { name, .. } => name,
            Self::Role(role) => match role.as_str() {
                "lider" => "líderes",
                "admin" => "admins",
                _ => "convidados",
            },
        }
    }
}

impl Approver {
    /// Returns the name. Adds the word for guests to the name of a guest.
    fn text(&self) -> String {
        match self.id.is_none() && self.name != GUEST {
            true => text::guest_name(&self.name),
            false => self.name.clone(),
        }
    }

    fn draw(&self) -> Markup {
        html! {
            abbr title={ (self.text()) ", aprovou" } { "✓ " (text::initials(&self.name)) }
        }
    }
}

fn draw_person(name: &str, has_approved: bool) -> Markup {
    html! {
        abbr title={ (name) @if has_approved { ", aprovou" } } {
            @if has_approved { "✓ " }
            (text::initials(name))
        }
    }
}

impl Approval {
    /// Draws the stages in order, with their approvers, and marks the current stage.
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
                @if let Some(names) = self.outdated_approvers() {
                    p class="notice" { "A legenda mudou depois da aprovação de " span dir="auto" { (names) } "." }
                }
            }
        }
    }

    /// Names the approvers after whose approval the caption changed: `Ana, convidado`.
    fn outdated_approvers(&self) -> Option<String> {
        let outdated = self.decidiram.iter().filter(|one| one.mudou_depois);
        let names: Vec<String> = outdated.map(Approver::text).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    fn draw_stage(&self, number: usize, stage: &Stage) -> Markup {
        let is_done = number < self.numero;
        html! {
            li class=[is_done.then_some("done")] aria-current=[(number == self.numero).then_some("step")] {
                span class="stage-name" dir="auto" {
                    @if is_done { span class="sr" { "Aprovada: " } }
                    (stage.nome)
                }
                span class="owners" {
                    @if is_done {
                        @for one in self.decidiram.iter().filter(|one| one.numero == number) {
                            (one.draw())
                        }
                    } @else {
                        @for one in &stage.quem {
                            @match one {
                                Awaited::Person { id, name } => (draw_person(name, self.has_approved(number, id))),
                                Awaited::Role(_) => span class="badge" { (one.name()) },
                            }
                        }
                        @for one in self.decidiram.iter().filter(|one| one.numero == number && one.id.is_none()) {
                            (one.draw())
                        }
                    }
                }
            }
        }
    }

    fn has_approved(&self, number: usize, id: &str) -> bool {
        let mut approvers = self.decidiram.iter();
        approvers.any(|one| one.numero == number && one.id.as_deref() == Some(id))
    }

    /// Returns the reason why this viewer, who may refuse the piece, may not approve it.
    pub fn why_not_approve(&self, viewer: &MemberId) -> &'static str {
        match self.has_approved(self.numero, viewer.as_str()) {
            true => "Você já aprovou esta etapa. Pode ainda recusar ou pedir ajustes.",
            false => "A peça é sua, e ninguém aprova a própria. Pode recusar ou pedir ajustes.",
        }
    }

    /// Draws the sentence that names the approvers for whom the piece waits.
    pub fn waiting_sentence(&self) -> Markup {
        let names: Vec<&str> = self.espera_por.iter().map(Awaited::name).collect();
        html! {
            "Etapa " (self.numero) " de " (self.de) ", “" span dir="auto" { (self.etapa) } "”: espera por "
            strong dir="auto" { (join_names(&names)) } "."
        }
    }
}

/// Joins names for a sentence: `Ana, Bia e admins`.
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
