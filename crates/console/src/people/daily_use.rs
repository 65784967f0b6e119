//! The usage of a token or agent today, and the form that sets its daily limits.

use maud::{Markup, html};
use serde::Deserialize;

use crate::{forms::operation_form, text::format_count, view::View};

/// The usage today and the daily limits, in the answers that list tokens and agents.
#[derive(Deserialize)]
pub(super) struct DailyUse {
    chamadas: i64,
    chamadas_por_dia: Option<i64>,
    imagens: i64,
    imagens_por_dia: Option<i64>,
}

impl DailyUse {
    /// Draws the usage today as a `dt`/`dd` pair for the list of facts on the card of a token or agent.
    pub(super) fn draw(&self) -> Markup {
        let of = |used: i64, most: Option<i64>| match most {
            Some(most) => format!("{} de {}", format_count(used), format_count(most)),
            None => format_count(used),
        };
        let calls = of(self.chamadas, self.chamadas_por_dia);
        let pictures = of(self.imagens, self.imagens_por_dia);
        let is_over = |used: i64, most: Option<i64>| most.is_some_and(|most| used >= most);
        let is_at_limit = is_over(self.chamadas, self.chamadas_por_dia)
            || is_over(self.imagens, self.imagens_por_dia);
        html! {
            dt { "Uso hoje" }
            dd {
                "chamadas: " (calls) br; "imagens e vídeos: " (pictures)
                @if is_at_limit { br; strong { "No limite até a meia-noite." } }
            }
        }
    }

    /// Draws the form that sets the daily limits. `named` has the hidden fields that identify the token
    /// or agent.
    pub(super) fn draw_form(
        &self,
        view: &View<'_>,
        operation: &'static str,
        back: &str,
        named: &[(&str, &str)],
    ) -> Markup {
        let field = |name: &str, label: &str, limit: Option<i64>, most: &str| {
            html! {
                label class="field" {
                    span { (label) }
                    input type="number" name=(name) value=[limit] min="0" max=(most) inputmode="numeric";
                }
            }
        };
        html! {
            details {
                summary { "Limites por dia" }
                (operation_form(view, operation, back, &html! {
                    @for (name, value) in named { input type="hidden" name=(name) value=(value); }
                    (field("chamadas_por_dia", "Chamadas por dia", self.chamadas_por_dia, "10000000"))
                    (field("imagens_por_dia", "Imagens e vídeos por dia", self.imagens_por_dia, "100000"))
                    p class="soft" { "Vazio não limita. O dia é o de Brasília." }
                    button type="submit" class="quiet" { "Salvar limites" }
                }))
            }
        }
    }
}
