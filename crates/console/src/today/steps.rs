//! The first steps of a team. Each step disappears when a member has taken it.

use maud::{Markup, html};

use super::model::Step;
use crate::view::View;

/// Returns the path, the link text and the explanation of a step.
fn step_text(step: Step) -> (&'static str, &'static str, &'static str) {
    match step {
        Step::Convidar => (
            "/equipe",
            "Convide a equipe",
            "Cada pessoa recebe um link e escolhe a própria senha.",
        ),
        Step::CriarDemanda => (
            "/demandas/nova",
            "Crie a primeira demanda",
            "Diga o que publicar, onde e quando. Ela aparece na agenda.",
        ),
        Step::ConectarRede => (
            "/conexoes",
            "Conecte uma rede",
            "Assim a equipe publica daqui, depois de aprovar.",
        ),
        Step::ConectarAgente => (
            "/agentes",
            "Conecte um agente",
            "Ele escreve rascunhos e organiza a agenda em seu nome. Quem aprova continua sendo uma pessoa.",
        ),
    }
}

pub(super) fn steps_section(view: &View<'_>, steps: &[Step]) -> Markup {
    html! {
        @if !steps.is_empty() {
            section class="card first-steps" aria-labelledby="passos" {
                h2 id="passos" { "Primeiros passos" }
                ol {
                    @for step in steps {
                        @let (path, name, why) = step_text(*step);
                        li { a href=(view.href_to(path)) { (name) } p class="soft" { (why) } }
                    }
                }
            }
        }
    }
}
