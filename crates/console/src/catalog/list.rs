//! The list of operations in the catalog.

use std::collections::BTreeSet;

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{paths::operation_path, prose::normalize_for_search};
use crate::{
    area::{Table, page_spec},
    shell,
    view::View,
};

/// The page of the catalog.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct List {
    /// Palavras do nome, do título ou do endereço.
    q: Option<String>,
    area: Option<String>,
    nivel: Option<String>,
    tipo: Option<String>,
}

const ROUTE: Spec = page_spec("console_catalog", "Catálogo", "/catalogo").fails(&[403]);

pub(crate) const LIST: Entry = Entry::for_page::<List>(
    ROUTE,
    "Todas as operações, com permissão, nível, ferramenta e endereço de cada uma.",
);

/// The kinds of routes that the filter offers: key and label.
const KINDS: [(&str, &str); 5] = [
    ("ferramenta", "ferramenta MCP"),
    ("sessao", "só sessão"),
    ("webhook", "webhook"),
    ("aberta", "sem permissão própria"),
    ("extensao", "além do contrato"),
];

#[derive(Deserialize)]
struct Catalog {
    mcp_url: String,
    rotas: Vec<Route>,
}

#[derive(Deserialize)]
struct Route {
    area: String,
    method: String,
    path: String,
    operation_id: String,
    summary: String,
    permissao: Option<String>,
    #[serde(default)]
    permissoes: Vec<String>,
    nivel_minimo: Option<String>,
    somente_sessao: bool,
    webhook: bool,
    ferramenta_mcp: Option<String>,
    contrato: bool,
}

impl Page for List {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let catalog: Catalog = view.read("get_route_catalog", json!({})).await?;
        let shown: Vec<&Route> = catalog
            .rotas
            .iter()
            .filter(|r| self.matches_route(r))
            .collect();
        let body = html! {
            h1 { "Catálogo" }
            p class="soft" {
                "O que esta Pauta faz, igual por aqui, por HTTP e por MCP (" code { (catalog.mcp_url) } "). "
                "Cada operação tem uma página com a entrada, exemplos e um formulário para experimentar."
            }
            (self.draw_filters(&view, &catalog.rotas))
            p role="status" class="soft" {
                (shown.len()) " de " (catalog.rotas.len())
                @if shown.len() == 1 { " rota" } @else { " rotas" }
            }
            @if shown.is_empty() {
                p class="empty" { "Nada com estes filtros. " a href=(view.href_to("/catalogo")) { "Ver todas" } }
            } @else {
                (self::draw_routes(&view, &shown))
            }
        };
        Ok(shell::console_page(&view, "Catálogo", &body))
    }
}

impl List {
    fn matches_route(&self, route: &Route) -> bool {
        let is = |wanted: &Option<String>, value: &str| match wanted.as_deref() {
            None | Some("") => true,
            Some(wanted) => wanted == value,
        };
        let kind = match self.tipo.as_deref().unwrap_or_default() {
            "ferramenta" => route.ferramenta_mcp.is_some(),
            "sessao" => route.somente_sessao,
            "webhook" => route.webhook,
            "aberta" => route.permissao.is_none(),
            "extensao" => !route.contrato,
            _ => true,
        };
        let text = normalize_for_search(&format!(
            "{} {} {} {} {}",
            route.summary,
            route.path,
            route.operation_id,
            route.ferramenta_mcp.as_deref().unwrap_or_default(),
            route.permissao.as_deref().unwrap_or_default(),
        ));
        let words = normalize_for_search(self.q.as_deref().unwrap_or_default());
        kind && is(&self.area, &route.area)
            && is(
                &self.nivel,
                route.nivel_minimo.as_deref().unwrap_or("nenhum"),
            )
            && words.split_whitespace().all(|word| text.contains(word))
    }

    fn draw_filters(&self, view: &View<'_>, routes: &[Route]) -> Markup {
        let areas: BTreeSet<&str> = routes.iter().map(|route| &*route.area).collect();
        let levels = [
            "nenhum",
            "leitor",
            "criador",
            "lider",
            "admin",
            "financeiro",
        ];
        let levels = levels.map(|level| {
            (
                level,
                if level == "nenhum" {
                    "nenhum nível"
                } else {
                    level
                },
            )
        });
        let areas: Vec<(&str, &str)> = areas.iter().map(|area| (*area, *area)).collect();
        html! {
            form method="get" action=(view.href_to("/catalogo")) class="catalog-filters" role="search" {
                label class="field" {
                    span { "Buscar" }
                    input type="search" name="q" value=(self.q.as_deref().unwrap_or_default())
                        data-key="/" placeholder="nome, título ou endereço";
                }
                (draw_choice("area", "Área", &areas, self.area.as_deref()))
                (draw_choice("nivel", "Menor nível", &levels, self.nivel.as_deref()))
                (draw_choice("tipo", "Tipo", &KINDS, self.tipo.as_deref()))
                button type="submit" class="quiet" { "Filtrar" }
            }
        }
    }
}

fn draw_choice(name: &str, label: &str, values: &[(&str, &str)], chosen: Option<&str>) -> Markup {
    html! {
        label class="field" {
            span { (label) }
            select name=(name) {
                option value="" { "Todos" }
                @for (value, words) in values {
                    option value=(value) selected[chosen == Some(value)] { (words) }
                }
            }
        }
    }
}

fn draw_routes(view: &View<'_>, routes: &[&Route]) -> Markup {
    let registry = &view.ctx.services.parts.get::<Table>().registry;
    let name = |route: &Route| {
        let mut entries = registry.operations.iter().chain(&registry.pages);
        let entry = entries.find(|entry| entry.spec.operation_id() == route.operation_id);
        entry.map_or("", |entry| entry.spec.name)
    };
    html! {
        table class="catalog stacked" {
            thead { tr { th { "Operação" } th { "Quem pode" } th { "Como" } th { "Endereço" } } }
            tbody data-list {
                @for route in routes {
                    @let name = name(route);
                    tr {
                        td {
                            a href=(view.href_to(&operation_path(name))) data-item { (route.summary) }
                            br;
                            code { (name) }
                        }
                        td { (required_capability(route)) }
                        td { div class="row" {
                            span class="badge" { (route.area) }
                            @if route.ferramenta_mcp.is_some() { span class="badge info" { "ferramenta" } }
                            @if route.somente_sessao { span class="badge wait" { "só sessão" } }
                            @if route.webhook { span class="badge wait" { "webhook" } }
                        } }
                        td { code { (route.method) " " (route.path) } }
                    }
                }
            }
        }
    }
}

/// Draws the capability that a route needs, and the lowest level that includes the capability.
fn required_capability(route: &Route) -> Markup {
    let several = route.permissoes.join(" ou ");
    let named = if several.is_empty() {
        route.permissao.as_deref()
    } else {
        Some(several.as_str())
    };
    html! {
        @match named {
            Some(named) => {
                code { (named) }
                @if let Some(level) = &route.nivel_minimo { br; span class="soft" { "desde " (level) } }
            }
            None if route.webhook => span class="soft" { "outro serviço" },
            None => span class="soft" { "sem permissão própria" },
        }
    }
}
