use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::route::Route;
use crate::{AREAS, OPERATIONS, RAW_ROUTES};
use domain::Capability;
use gateway::{Access, Context, Operation, RawKind, Result, Spec, Verb};

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
    rotas: &'static [Route],
}

/// The table does not change while the service runs, and its input schemas are costly.
static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| {
    let operations = OPERATIONS.iter().map(Route::of_operation);
    let mut routes: Vec<Route> = operations
        .chain(RAW_ROUTES.iter().map(Route::of_raw))
        .collect();
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
        let with_tool = ROUTES.iter().filter(|r| r.ferramenta_mcp.is_some());
        Ok(RouteCatalog {
            total: ROUTES.len(),
            com_ferramenta: with_tool.count(),
            mcp_url: format!("{}{}", ctx.services.public_url, mcp_path()),
            rotas: &ROUTES,
        })
    }
}

fn mcp_path() -> &'static str {
    let mcp = RAW_ROUTES.iter().find(|raw| raw.kind == RawKind::Mcp);
    mcp.map_or("", |raw| raw.path)
}
