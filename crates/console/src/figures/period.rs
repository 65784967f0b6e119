//! The period of a dashboard, and the age of its data.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::amounts;
use crate::text;

/// The input of an operation for a period.
pub(super) fn input(from: Option<&str>, until: Option<&str>) -> Value {
    let mut input = json!({});
    for (name, day) in [("inicio", from), ("fim", until)] {
        if let Some(day) = day.filter(|day| !day.is_empty()) {
            input[name] = day.into();
        }
    }
    input
}

/// The form that changes the period.
pub(super) fn form(path: &str, from: &str, until: &str) -> Markup {
    html! {
        form method="get" action=(path) class="row period" {
            label { span { "De" } input type="date" name="inicio" value=(from); }
            label { span { "Até" } input type="date" name="fim" value=(until); }
            button type="submit" class="quiet" { "Mostrar" }
        }
    }
}

/// The period and the age of the data, in words.
pub(super) fn describe_period(from: &str, until: &str, updated_at: Option<&str>) -> Markup {
    html! {
        p class="soft" {
            (amounts::day(from)) " a " (amounts::day(until)) ", horário de Brasília. "
            @match updated_at {
                Some(at) => { "Dados até " (text::moment_of(at)) "." }
                None => { "Ainda não entrou nenhum dado." }
            }
        }
    }
}

/// Draws a row of key figures.
pub(super) fn numbers(figures: &[(&str, String)]) -> Markup {
    html! {
        dl class="numbers" {
            @for (name, figure) in figures {
                div { dt { (name) } dd { (figure) } }
            }
        }
    }
}
