//! A route as shown in the catalog.

use schemars::JsonSchema;
use serde::Serialize;

use domain::Capability;
use gateway::{Access, Registered, Verb};

/// Uma rota.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Route {
    /// O nome da área: uma das etiquetas (`tags`) do OpenAPI.
    area: &'static str,
    method: Verb,
    path: &'static str,
    operation_id: String,
    summary: &'static str,
    /// Permissão que a rota pede; nula quando basta a credencial, ou nem ela.
    permissao: Option<Capability>,
    /// As permissões que, sozinhas, abrem a rota, quando há mais de uma.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    permissoes: Vec<Capability>,
    /// Menor nível que tem a permissão; `financeiro` onde vale a marca da pessoa.
    nivel_minimo: Option<&'static str>,
    /// Se só aceita a sessão interativa.
    somente_sessao: bool,
    /// Se a chamada vem de outro serviço, com credencial própria.
    webhook: bool,
    path_params: Vec<&'static str>,
    query_params: Vec<String>,
    pub(super) ferramenta_mcp: Option<&'static str>,
    /// Se gera imagem, vídeo ou áudio. O perfil `diretorio` da MCP deixa de fora essas ferramentas.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    gera_midia: bool,
    /// Falso nas rotas além do contrato.
    contrato: bool,
}

impl Route {
    pub(super) fn from_registered(route: &Registered) -> Self {
        let spec = &route.spec;
        let capabilities = spec.access.capabilities();
        let levels = capabilities.iter().map(|c| c.min_level());
        Self {
            area: route.area.name,
            method: spec.verb,
            path: spec.path,
            operation_id: spec.operation_id(),
            summary: spec.title,
            permissao: capabilities.first().copied(),
            permissoes: match capabilities {
                [_, _, ..] => capabilities.to_vec(),
                _ => vec![],
            },
            nivel_minimo: levels
                .min()
                .map(|least| least.map_or("financeiro", |level| level.as_str())),
            somente_sessao: spec.access.requires_session(),
            webhook: matches!(spec.access, Access::Webhook | Access::SharedSecret(_)),
            path_params: spec.placeholders().collect(),
            query_params: spec.query_fields(route.input_schema()),
            ferramenta_mcp: spec.tool.then_some(spec.name),
            gera_midia: spec.generates_media,
            contrato: !spec.extension,
        }
    }
}
