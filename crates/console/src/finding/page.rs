//! The page of the search.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use search::typed::Typed;
use serde::Deserialize;

use super::found::{Found, Group, Item, KINDS, Part, search};
use crate::{
    area::page_spec,
    catalog::{Offer, list_offers},
    links::percent_encode,
    shell,
    view::View,
};

/// The maximum number of results per kind: in a search over all kinds, and in a search for one
/// kind.
const SHOWN: u8 = 8;
const SHOWN_ALONE: u8 = 50;
/// The maximum number of places, actions or operations.
const MOST_OFFERS: usize = 6;

/// The page of the search.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Search {
    /// O que procurar; vazio mostra só o formulário.
    q: Option<String>,
    /// Só este tipo.
    tipo: Option<String>,
}

const ROUTE: Spec = page_spec("console_search", "Busca", "/busca").fails(&[400, 403]);

pub(super) const SEARCH: Entry =
    Entry::for_page::<Search>(ROUTE, "Busca em tudo o que quem pede pode ver.");

impl Page for Search {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let typed = self.q.as_deref().unwrap_or_default();
        let kind = self.tipo.as_deref();
        let kind = KINDS.iter().find(|(name, _)| Some(*name) == kind);
        let limit = kind.map_or(SHOWN, |_| SHOWN_ALONE);
        let found = search(&view, typed, kind.map(|(name, _)| *name), limit).await?;
        let offers = match kind {
            None => matching_offers(&view, typed),
            Some(_) => vec![],
        };
        let body = html! {
            h1 { "Busca" }
            form class="whole-search" method="get" action=(view.href_to("/busca")) role="search" {
                input type="search" name="q" value=(typed) maxlength="200" aria-label="Procurar em tudo"
                    placeholder="Peça, projeto, e-mail, pessoa, página…" autofocus[typed.is_empty()];
                button type="submit" { "Procurar" }
            }
            @if let Some((_, name)) = kind {
                p { "Só em " strong { (name) } ". " a href=(view.href_to(&search_address(typed, None))) { "Procurar em tudo" } }
            }
            @if typed.trim().is_empty() {
                p class="soft" {
                    "Acha pelo começo da última palavra, sem acento, no singular ou no plural. "
                    span class="with-script" { "Em qualquer página, " kbd { "Ctrl K" } " procura enquanto você digita." }
                }
            } @else {
                (draw_results(&view, typed, &found, &offers, kind.is_some()))
            }
        };
        Ok(shell::reading_page(&view, "Busca", &body))
    }
}

fn search_address(typed: &str, kind: Option<&str>) -> String {
    let kind = kind.map(|kind| format!("&tipo={kind}")).unwrap_or_default();
    format!("/busca?q={}{kind}", percent_encode(typed))
}

/// Returns the places, actions and operations whose names contain all words, grouped by kind.
fn matching_offers<'a>(view: &View<'a>, typed: &str) -> Vec<(&'static str, Vec<Offer<'a>>)> {
    let typed = Typed::parse_name(typed);
    let mut groups: Vec<(&str, Vec<Offer<'_>>)> = vec![];
    for offer in list_offers(view) {
        if typed
            .find_place(&format!("{} {}", offer.nome, offer.tambem))
            .is_none()
        {
            continue;
        }
        let name = offer.kind_name();
        match groups.iter_mut().find(|(group, _)| *group == name) {
            Some((_, offers)) if offers.len() == MOST_OFFERS => {}
            Some((_, offers)) => offers.push(offer),
            None => groups.push((name, vec![offer])),
        }
    }
    groups
}

fn draw_results(
    view: &View<'_>,
    typed: &str,
    found: &Found,
    offers: &[(&'static str, Vec<Offer<'_>>)],
    is_alone: bool,
) -> Markup {
    let (operations, first): (Vec<_>, Vec<_>) = offers
        .iter()
        .partition(|(name, _)| *name == Offer::OPERATIONS);
    let listed = found.grupos.iter().map(|group| group.resultados.len());
    let count =
        listed.sum::<usize>() + offers.iter().map(|(_, offers)| offers.len()).sum::<usize>();
    html! {
        p role="status" class="soft" {
            @match count {
                0 => { "Nada com “" (typed.trim()) "”. Tente menos palavras, ou só o começo de uma." }
                1 => "1 resultado.",
                _ => { (count) " resultados" @if found.grupos.iter().any(|group| group.ha_mais) { ", e há mais" } "." }
            }
        }
        div data-list {
            @for (name, offers) in first { (draw_offers(name, offers)) }
            @for group in &found.grupos { (self::draw_group(view, typed, group, is_alone)) }
            @for (name, offers) in operations { (draw_offers(name, offers)) }
        }
    }
}

fn draw_offers(name: &str, offers: &[Offer<'_>]) -> Markup {
    html! {
        section class="results" {
            h2 { (name) }
            ul {
                @for offer in offers {
                    li { a href=(offer.endereco) data-item { (offer.nome) } }
                }
            }
        }
    }
}

fn draw_group(view: &View<'_>, typed: &str, group: &Group, is_alone: bool) -> Markup {
    html! {
        section class="results" {
            h2 { (group.kind_name()) }
            ul { @for item in &group.resultados { (self::draw_item(view, item)) } }
            @if group.ha_mais {
                p {
                    @if is_alone { span class="soft" { "Há mais: uma palavra a mais chega perto do que você procura." } }
                    @else { a href=(view.href_to(&search_address(typed, Some(&group.tipo)))) { "Mostrar mais em " (group.kind_name()) } }
                }
            }
        }
    }
}

fn draw_item(view: &View<'_>, item: &Item) -> Markup {
    let detail = item.detail_text();
    html! {
        li {
            a href=(item.result_address(view)) data-item dir="auto" {
                @if item.no_titulo { (mark_matches(&item.trecho)) }
                @else if item.titulo.is_empty() { "Sem título" }
                @else { (item.titulo) }
            }
            @if !item.no_titulo && !item.trecho.is_empty() { p dir="auto" { (mark_matches(&item.trecho)) } }
            p class="soft" {
                @if !detail.is_empty() { (detail) }
                @match item.date_text() {
                    Some(date) => {
                        @if !detail.is_empty() { " · " }
                        @if !item.is_piece() { "mudou em " } (date)
                    }
                    None => { @if item.is_piece() { " · sem data" } }
                }
            }
        }
    }
}

/// Draws the text with its matching words marked.
fn mark_matches(parts: &[Part]) -> Markup {
    html! {
        @for part in parts {
            @if part.achado { mark { (part.texto) } } @else { (part.texto) }
        }
    }
}
