use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Served, route::Route};
use domain::Capability;
use gateway::{Access, Area, Context, Operation, Result, Spec, Verb};

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
    rotas: Vec<Route>,
}

impl Operation for GetRouteCatalog {
    const SPEC: Spec = Spec::new(
        "get_route_catalog",
        "Ver catálogo de rotas",
        Verb::Get,
        "/api/access/catalog",
    )
    .access(Access::Session(Capability::TeamAdmin));
    type Output = RouteCatalog;

    async fn run(self, ctx: &Context<'_>) -> Result<RouteCatalog> {
        let registry = ctx.services.parts.get::<Served>();
        let of_area = |area: &&'static Area| {
            let name = area.name;
            let routes = registry.operations.iter().chain(&registry.pages);
            routes
                .filter(move |route| route.area.name == name)
                .map(Route::from_registered)
        };
        let rotas: Vec<Route> = registry.areas.iter().flat_map(of_area).collect();
        let with_tool = rotas.iter().filter(|r| r.ferramenta_mcp.is_some());
        Ok(RouteCatalog {
            total: rotas.len(),
            com_ferramenta: with_tool.count(),
            mcp_url: format!("{}{}", ctx.services.public_url, registry.mcp_path()),
            rotas,
        })
    }
}
