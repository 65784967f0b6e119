//! The page of one configuration key: value, versions, and the difference between two versions.

use domain::Brand;
use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    configuration::{Config, draw_value, value_text},
    setting_editor,
    settings::{ROUND, ROUNDS, Version, read_versions},
};
use crate::{area::page_spec, diff, links::percent_encode, shell, text, view::View};

/// The page of a key.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SettingPage {
    chave: String,
    /// A versão mostrada; ausente, a atual.
    versao: Option<i64>,
    /// A versão com que ela é comparada.
    de: Option<i64>,
    /// A versão mais antiga do histórico que aparece.
    ate: Option<i64>,
}

const ROUTE: Spec = page_spec(
    "console_setting",
    "Chave de configuração",
    "/configuracao/valor",
)
.fails(&[400, 403, 404]);

pub(crate) const SETTING: Entry = Entry::for_page::<SettingPage>(
    ROUTE,
    "Uma chave de configuração, suas versões e o que mudou entre elas.",
);

impl Page for SettingPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        if !view.may_call("list_config_history") {
            return self.show_without_history(&view).await;
        }
        let asked = [self.ate, self.versao, self.de];
        let oldest = asked.into_iter().flatten().min().unwrap_or(i64::MAX);
        let (all, is_cut) = read_versions(&view, &self.chave, oldest).await?;
        let current = all.first().ok_or_else(absent_key_error)?;
        let find = |version: i64| {
            let stored = all.iter().find(|other| other.version == version);
            stored.ok_or_else(|| Error::not_found("versão da chave"))
        };
        let shown = self.versao.map_or(Ok(current), find)?;
        let base = self.de.map(find).transpose()?;
        let body = html! {
            p class="crumbs" { a href=(view.href_to("/configuracao")) { "Configuração" } }
            div class="spread" {
                h1 dir="auto" { (self.chave) }
                @if view.may_call("publish_config_version") {
                    @if self.chave == Brand::KEY {
                        a class="button" href=(view.href_to("/configuracao/marca")) { "Editar a marca" }
                    } @else {
                        a class="button" href=(view.href_to(&self.setting_address("editar", ""))) { "Editar" }
                    }
                }
            }
            p class="soft" {
                "Versão " (shown.version) @if shown.version == current.version { " (a atual)" }
                ", " (text::time_tag(&shown.updated_at))
                @if let Some(name) = &shown.updated_by_name { ", por " (name) }
            }
            @match base {
                Some(base) => {
                    h2 { "Da versão " (base.version) " para a " (shown.version) }
                    (diff::draw_hunks(&value_text(&base.value), &value_text(&shown.value)))
                },
                None => (draw_value(&shown.value)),
            }
            @if shown.version != current.version {
                div class="row" {
                    @if base.is_none() {
                        a class="button quiet" href=(view.href_to(&self.setting_address("valor", &format!("&de={}&versao={}", shown.version, current.version)))) {
                            "O que mudou até a atual"
                        }
                    }
                    @if view.may_call("publish_config_version") {
                        (setting_editor::restore_form(&view, &self.chave, shown, current.version))
                    }
                }
            }
            (self.draw_history(&view, &all, is_cut))
        };
        Ok(shell::reading_page(&view, &self.chave, &body))
    }
}

impl SettingPage {
    fn setting_address(&self, page: &str, more: &str) -> String {
        format!(
            "/configuracao/{page}?chave={}{more}",
            percent_encode(&self.chave)
        )
    }

    /// Replies with the current value only, for a member who may not read versions.
    async fn show_without_history(&self, view: &View<'_>) -> Result<Reply> {
        let mut cursor = None;
        for _ in 0..ROUNDS {
            let input = json!({ "limit": 200, "cursor": cursor });
            let mut answer: Config = view.read("get_config", input).await?;
            if let Some(setting) = answer.config.remove(&self.chave) {
                let body = html! {
                    p class="crumbs" { a href=(view.href_to("/configuracao")) { "Configuração" } }
                    h1 dir="auto" { (self.chave) }
                    p class="soft" {
                        "Versão " (setting.version) @if let Some(at) = &setting.updated_at { ", " (text::time_tag(at)) }
                    }
                    (draw_value(&setting.value))
                    p class="soft" { "Quem muda a configuração e vê as versões é um admin da equipe." }
                };
                return Ok(shell::reading_page(view, &self.chave, &body));
            }
            cursor = answer.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        Err(absent_key_error())
    }

    fn draw_history(&self, view: &View<'_>, all: &[Version], is_cut: bool) -> Markup {
        let oldest = all.last().map_or(1, |last| last.version);
        html! {
            section aria-labelledby="versoes" {
                h2 id="versoes" { "Versões" }
                @if all.len() > 1 {
                    form method="get" action=(view.href_to("/configuracao/valor")) class="row compare" {
                        input type="hidden" name="chave" value=(self.chave);
                        label class="field" {
                            span { "Comparar" }
                            select name="de" {
                                @for (at, version) in all.iter().enumerate() {
                                    option value=(version.version) selected[at == 1] { "versão " (version.version) }
                                }
                            }
                        }
                        label class="field" {
                            span { "com" }
                            select name="versao" {
                                @for version in all {
                                    option value=(version.version) { "versão " (version.version) }
                                }
                            }
                        }
                        button type="submit" class="quiet" { "Ver o que mudou" }
                    }
                }
                div class="scroll" tabindex="0" role="group" aria-labelledby="versoes" {
                    table {
                        thead { tr { th { "Versão" } th { "Quando" } th { "Quem" } } }
                        tbody {
                            @for (at, version) in all.iter().enumerate() {
                                tr {
                                    td {
                                        a href=(view.href_to(&self.setting_address("valor", &format!("&versao={}", version.version)))) {
                                            "Versão " (version.version)
                                        }
                                        @if at == 0 { " " span class="badge good" { "atual" } }
                                    }
                                    td { (text::time_tag(&version.updated_at)) }
                                    td { (version.updated_by_name.as_deref().unwrap_or("—")) }
                                }
                            }
                        }
                    }
                }
                @if is_cut {
                    p {
                        a class="button quiet" href=(view.href_to(&self.setting_address("valor", &format!("&ate={}", oldest - ROUND)))) {
                            "Mostrar mais"
                        }
                    }
                }
            }
        }
    }
}

fn absent_key_error() -> Error {
    Error::not_found("chave de configuração")
}
