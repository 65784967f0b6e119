use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::route::Route;
use crate::{AREAS, OPERATIONS, pages, table::is_served};
use domain::Capability;
use gateway::{Access, Context, Operation, OutputForm, Result, Spec, Verb};

/// Lista todas as rotas do serviço com a permissão, o nível e a ferramenta MCP de cada uma.
///
/// As rotas além do contrato têm `contrato: false`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetRouteCatalog {}

/// Catálogo de rotas.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RouteCatalog {
    /// Quantas rotas há.
    total: usize,
    /// Quantas delas são também ferramenta MCP.
    com_ferramenta: usize,
    /// Endereço do servidor MCP.
    mcp_url: String,
    rotas: Vec<&'static Route>,
}

/// The table does not change while the service runs, and its input schemas are costly.
static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| {
    let mut routes: Vec<Route> = OPERATIONS.iter().chain(pages()).map(Route::of).collect();
    routes.sort_by_key(|route| AREAS.iter().position(|area| *area == route.area));
    routes
});

impl Operation for GetRouteCatalog {
    const SPEC: Spec = Spec::new(
        "get_route_catalog",
        "Ver catálogo de rotas",
        Verb::Get,
        "/api/access/catalog",
    )
    .area(super::AREA)
    .access(Access::Session(Capability::TeamAdmin));
    type Output = RouteCatalog;

    async fn run(self, ctx: &Context<'_>) -> Result<RouteCatalog> {
        let mut specs = pages().map(|page| &page.spec);
        let mcp = specs.find(|spec| spec.output == OutputForm::JsonRpc);
        let mcp_path = mcp.map_or("", |spec| spec.path);
        let hosted = ctx.services.identity.issuer().is_some();
        let served = ROUTES
            .iter()
            .filter(|route| is_served(route.area.name, hosted));
        let rotas: Vec<_> = served.collect();
        let with_tool = rotas.iter().filter(|r| r.ferramenta_mcp.is_some());
        Ok(RouteCatalog {
            total: rotas.len(),
            com_ferramenta: with_tool.count(),
            mcp_url: format!("{}{mcp_path}", ctx.services.public_url),
            rotas,
        })
    }
}
