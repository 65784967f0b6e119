//! The tools, as rmcp serves them.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
        CompleteRequestParams, CompleteResult, ContentBlock, CustomRequest, CustomResult,
        ErrorCode, Implementation, ListPromptsRequestMethod, ListPromptsResult,
        ListResourceTemplatesRequestMethod, ListResourceTemplatesResult,
        ListResourcesRequestMethod, ListResourcesResult, ListToolsResult, MetaObject,
        PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
        ToolAnnotations,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use tools::registry::{Code, Door, Effect, Error, Principal, Registered, without_nul_rule};

use super::{contract::MessageSize, narrowing::Narrowing, previews, splice::Answered};
use crate::{app::App, artifacts::API_VERSION, rest};

/// A longer result is not sent: clients cut what they cannot hold.
const LONGEST_RESULT: usize = 100_000;
/// How long a client may keep a list of tools; a change of level shows after it.
const LIST_TTL_MS: u64 = 60_000;

const INSTRUCTIONS: &str = "\
Pauta: a agenda editorial da equipe. Comece por `get_me` para saber o que esta credencial pode \
fazer. Antes de mudar um evento, leia-o com `get_event` e envie o `api_revision` lido em \
`expected_revision`; se vier `STALE_REVISION`, releia, reavalie e tente de novo. Em escritas, \
envie `idempotency_key` para poder repetir sem risco. O caminho de um evento: `create_demand`, \
`save_draft`, `submit_for_approval`, `decide_approval`. Datas em dia, mês, ano e hora são do \
horário de Brasília.";

/// One per service; requests share it.
#[derive(Clone)]
pub(super) struct Handler {
    app: App,
    tools: Arc<[(usize, Tool)]>,
}

impl Handler {
    pub(super) fn new(app: &App) -> Self {
        let operations = app.gateway.registry.operations.iter().enumerate();
        let tools = operations
            .filter(|(_, operation)| operation.spec.tool)
            .map(|(index, operation)| (index, tool(operation)))
            .collect();
        Self {
            app: app.clone(),
            tools,
        }
    }

    fn caller<'c>(
        &self,
        context: &'c RequestContext<RoleServer>,
    ) -> Result<(&'c Principal, &'c Narrowing, &'c axum::http::request::Parts), ErrorData> {
        let parts = context.extensions.get::<axum::http::request::Parts>();
        let caller =
            parts.and_then(|parts| Some((parts.extensions.get()?, parts.extensions.get()?, parts)));
        caller.ok_or_else(|| ErrorData::internal_error("the request lost its caller", None))
    }
}

fn tool(operation: &Registered) -> Tool {
    let spec = &operation.spec;
    let hints = ToolAnnotations::with_title(spec.title)
        .read_only(!spec.is_write())
        .destructive(spec.effect == Effect::Destroy)
        .idempotent(spec.idempotent || !spec.is_write())
        .open_world(spec.kind == tools::registry::Kind::Outside);
    let mut input = operation.input_schema.clone();
    // Agents' clients read no alternatives at the root; the door judges them all the same.
    input.remove("oneOf");
    input.values_mut().for_each(without_nul_rule);
    let output = Arc::new(operation.output_schema.clone());
    Tool::new(spec.name, operation.description.clone(), Arc::new(input))
        .with_title(spec.title)
        .with_raw_output_schema(output)
        .with_annotations(hints)
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|v| v.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new("pauta", API_VERSION).with_title("Pauta");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(about)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (caller, narrowing, _) = self.caller(&context)?;
        let operations = &self.app.gateway.registry.operations;
        let shown = self
            .tools
            .iter()
            .filter(|(index, _)| narrowing.shows(&operations[*index].spec, caller));
        let list = ListToolsResult::with_all_items(shown.map(|(_, tool)| tool.clone()).collect());
        Ok(if is_modern(&context) {
            list.with_ttl_ms(LIST_TTL_MS)
                .with_cache_scope(CacheScope::Private)
        } else {
            list
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (caller, narrowing, parts) = self.caller(&context)?;
        let registry = &self.app.gateway.registry;
        // A withheld tool and an unknown one get the same answer.
        let operation = registry
            .find(&request.name)
            .filter(|operation| narrowing.shows(&operation.spec, caller))
            .ok_or_else(|| {
                let name: String = request.name.chars().take(64).collect();
                let message = format!("Ferramenta desconhecida: {name}. Consulte tools/list.");
                ErrorData::invalid_params(message, None)
            })?;
        let mut origin = rest::origin(&self.app, parts, Door::Mcp);
        if let Some(client) = context.client_info() {
            let name = format!("{} {}", client.name, client.version);
            origin.client = Some(name.chars().filter(|c| !c.is_control()).take(120).collect());
        }
        let arguments = request.arguments.unwrap_or_default();
        let size = *parts
            .extensions
            .get::<MessageSize>()
            .ok_or_else(|| ErrorData::internal_error("the request lost its size", None))?;
        let limit = operation.spec.body_limit;
        let input = async { size.require(limit).map(|()| arguments) };
        let outcome = self
            .app
            .gateway
            .invoke(operation, Some(caller), &origin, input)
            .await;
        let answered = parts
            .extensions
            .get::<Answered>()
            .cloned()
            .unwrap_or_default();
        let mut result = match outcome {
            Ok(answer) if answer.body.len() > LONGEST_RESULT => {
                failure(&Error::new(Code::ResultTooLarge))
            }
            Ok(answer) => {
                let shown = if operation.spec.pictures {
                    previews::of(&self.app, &answer.body).await
                } else {
                    vec![]
                };
                let mut result = answered.result(answer.body);
                result.content.extend(shown);
                result
            }
            Err(error) => failure(&error),
        };
        if is_modern(&context) {
            let mut meta = MetaObject::new();
            meta.insert(
                "io.modelcontextprotocol/serverInfo".into(),
                json!({ "name": "pauta", "title": "Pauta", "version": API_VERSION }),
            );
            result.meta = Some(meta);
        }
        Ok(result.into())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<
            ListResourceTemplatesRequestMethod,
        >())
    }

    /// A known method whose params do not read as its own ends up here.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        const KNOWN: [&str; 4] = ["tools/call", "tools/list", "initialize", "server/discover"];
        if KNOWN.contains(&request.method.as_str()) {
            let message = format!("Parâmetros inválidos para {}.", request.method);
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            "Método desconhecido.",
            None,
        ))
    }
}

/// A refusal that an agent can act on: `CODE: mensagem`, the facts, and the next step.
///
/// Without structured content: clients validate that against the output schema.
fn failure(error: &Error) -> CallToolResult {
    let body = error.body();
    let mut text = format!("{}: {}", body.code, body.error);
    if let Some(mut details) = body.details {
        let next = details.remove("next");
        details.remove("fields");
        // What REST says in a header.
        if let Some(seconds) = error.wait() {
            details.insert("retry_after".into(), seconds.into());
        }
        if !details.is_empty() {
            text.push_str(&format!("\nDetalhes: {}", Value::Object(details)));
        }
        if let Some(Value::String(next)) = next {
            text.push_str(&format!("\nPróximo passo: {next}"));
        }
    }
    CallToolResult::error(vec![ContentBlock::text(text)])
}
