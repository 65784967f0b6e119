//! The list of configuration keys.

use std::collections::BTreeMap;

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{area::page, links::encoded, shell, text, view::View};

/// The page with the list of keys.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Configuration {
    /// De onde a lista continua.
    cursor: Option<String>,
}

const ROUTE: Spec = page("console_configuration", "Configuração", "/configuracao").fails(&[403]);

pub(crate) const CONFIGURATION: Entry =
    Entry::page::<Configuration>(ROUTE, "As chaves de configuração da equipe e seus valores.");

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
        let view = View::of(ctx).await?;
        let answer: Config = view
            .read("get_config", json!({ "cursor": self.cursor }))
            .await?;
        let body = html! {
            div class="spread" {
                h1 { "Configuração" }
                @if view.may_call("publish_config_version") {
                    div class="row" {
                        a class="button quiet" href=(view.at("/configuracao/marca")) { "Marca" }
                        a class="button" href=(view.at("/configuracao/editar")) { "Nova chave" }
                    }
                }
            }
            p class="soft" { "Valores que a equipe e os agentes consultam. Cada mudança é uma versão, e nenhuma se perde." }
            @if answer.config.is_empty() { p class="empty" { "Nenhuma chave ainda." } }
            ul class="plain-list" data-list {
                @for (key, setting) in &answer.config {
                    li class="card" {
                        h2 {
                            a href=(view.at(&format!("/configuracao/valor?chave={}", encoded(key)))) data-item dir="auto" { (key) }
                        }
                        (value(&setting.value))
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

/// A value for editing: text as it is, other values as indented JSON.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

/// A value for reading: colours as samples, lists of words as a list.
pub(super) fn value(value: &Value) -> Markup {
    match value {
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_string) => html! {
            ul class="row words" {
                @for item in items.iter().filter_map(Value::as_str) { li class="chip" dir="auto" { (swatch(item)) (item) } }
            }
        },
        Value::Object(fields) if fields.values().all(is_plain) => html! {
            dl class="facts" {
                @for (name, field) in fields {
                    dt dir="auto" { (name) }
                    dd dir="auto" { (plain(field)) }
                }
            }
        },
        Value::String(text) => html! { p class="passage" dir="auto" { (text) } },
        other => html! { pre class="document" dir="auto" tabindex="0" { (value_text(other)) } },
    }
}

/// Whether a value fits on one line.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(Value::is_string),
        Value::Object(_) => false,
        _ => true,
    }
}

fn plain(value: &Value) -> Markup {
    match value {
        Value::Array(items) => html! {
            ul class="row words" {
                @for item in items.iter().filter_map(Value::as_str) { li class="chip" { (swatch(item)) (item) } }
            }
        },
        Value::String(text) => html! { (swatch(text)) (text) },
        Value::Null => html! { span class="soft" { "sem valor" } },
        Value::Bool(true) => html! { "sim" },
        Value::Bool(false) => html! { "não" },
        other => html! { (other) },
    }
}

/// A sample of the colour `#RRGGBB`.
fn swatch(text: &str) -> Markup {
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
