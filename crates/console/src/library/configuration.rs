//! The list of configuration keys.

use std::collections::BTreeMap;

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{area::page_spec, links::percent_encode, shell, text, view::View};

/// The page with the list of keys.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Configuration {
    /// De onde a lista continua.
    cursor: Option<String>,
}

const ROUTE: Spec =
    page_spec("console_configuration", "Configuração", "/configuracao").fails(&[403]);

pub(crate) const CONFIGURATION: Entry =
    Entry::for_page::<Configuration>(ROUTE, "As chaves de configuração da equipe e seus valores.");

/// The part of the answer of `get_config` that the page reads.
#[derive(Deserialize)]
pub(super) struct Config {
    pub config: BTreeMap<String, Setting>,
    pub next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Setting {
    pub value: Value,
    pub version: i64,
    pub updated_at: Option<String>,
}

impl Page for Configuration {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let answer: Config = view
            .read("get_config", json!({ "cursor": self.cursor }))
            .await?;
        let body = html! {
            div class="spread" {
                h1 { "Configuração" }
                @if view.may_call("publish_config_version") {
                    div class="row" {
                        a class="button quiet" href=(view.href_to("/configuracao/marca")) { "Marca" }
                        a class="button" href=(view.href_to("/configuracao/editar")) { "Nova chave" }
                    }
                }
            }
            p class="soft" { "Valores que a equipe e os agentes consultam. Cada mudança é uma versão, e nenhuma se perde." }
            @if answer.config.is_empty() { p class="empty" { "Nenhuma chave ainda." } }
            ul class="plain-list" data-list {
                @for (key, setting) in &answer.config {
                    li class="card" {
                        h2 {
                            a href=(view.href_to(&format!("/configuracao/valor?chave={}", percent_encode(key)))) data-item dir="auto" { (key) }
                        }
                        (draw_value(&setting.value))
                        p class="soft" {
                            "Versão " (setting.version)
                            @if let Some(at) = &setting.updated_at { ", " (text::time_tag(at)) }
                        }
                    }
                }
            }
            (shell::next_page_link(&view, "/configuracao?", answer.next_cursor.as_deref()))
        };
        Ok(shell::reading_page(&view, "Configuração", &body))
    }
}

/// Formats a value for editing: a text stays unchanged, other values become indented JSON.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

/// Draws a value for reading: colours as samples, lists of words as a list.
pub(super) fn draw_value(value: &Value) -> Markup {
    match value {
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_string) => html! {
            ul class="row words" {
                @for item in items.iter().filter_map(Value::as_str) { li class="chip" dir="auto" { (color_swatch(item)) (item) } }
            }
        },
        Value::Object(fields) if fields.values().all(fits_one_line) => html! {
            dl class="facts" {
                @for (name, field) in fields {
                    dt dir="auto" { (name) }
                    dd dir="auto" { (draw_plain_value(field)) }
                }
            }
        },
        Value::String(text) => html! { p class="passage" dir="auto" { (text) } },
        other => html! { pre class="document" dir="auto" tabindex="0" { (value_text(other)) } },
    }
}

/// Returns true if a value fits on one line.
fn fits_one_line(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(Value::is_string),
        Value::Object(_) => false,
        _ => true,
    }
}

fn draw_plain_value(value: &Value) -> Markup {
    match value {
        Value::Array(items) => html! {
            ul class="row words" {
                @for item in items.iter().filter_map(Value::as_str) { li class="chip" { (color_swatch(item)) (item) } }
            }
        },
        Value::String(text) => html! { (color_swatch(text)) (text) },
        Value::Null => html! { span class="soft" { "sem valor" } },
        Value::Bool(true) => html! { "sim" },
        Value::Bool(false) => html! { "não" },
        other => html! { (other) },
    }
}

/// Draws a sample of the colour `#RRGGBB`.
fn color_swatch(text: &str) -> Markup {
    let digits = text.strip_prefix('#').unwrap_or_default();
    let is_color = digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    html! {
        @if is_color {
            svg class="swatch" width="16" height="16" aria-hidden="true" {
                rect width="16" height="16" rx="3" fill=(text) {}
            }
        }
    }
}
