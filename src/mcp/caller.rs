//! The authenticated caller of an MCP request.

use axum::http::request::Parts;
use gateway::{Door, Origin, Principal, Progress, Registered, TraceParent};
use rmcp::{
    ErrorData, RoleServer,
    model::{CacheScope, ElicitationCapability, RequestMetaObject},
    service::RequestContext,
};

use serde_json::Value;

use super::{era::is_stateless, narrowing::Narrowing, protocol_errors::request_id};
use crate::{app::App, http};

/// How long a client may cache a list. After a member's access level changes, the client shows the old
/// list for at most this time.
const LIST_TTL_MS: u64 = 60_000;

/// An authenticated MCP request: the caller, the `_meta` of the request, and the restrictions that the
/// client puts on its list of tools.
pub(super) struct Caller<'c> {
    pub app: &'c App,
    pub principal: &'c Principal,
    pub parts: &'c Parts,
    pub narrowing: &'c Narrowing,
    /// The `_meta` of the request, with the client's name and capabilities.
    pub meta: &'c RequestMetaObject,
    /// Whether the client uses a protocol revision without sessions.
    pub is_modern: bool,
    /// The channel to which the call reports its steps.
    pub progress: Progress,
}

impl<'c> Caller<'c> {
    /// Builds the caller of a request that the protocol library dispatches.
    pub(super) fn from_context(
        app: &'c App,
        context: &'c RequestContext<RoleServer>,
    ) -> Result<Self, ErrorData> {
        let version = context.protocol_version();
        let caller = context.extensions.get::<Parts>().and_then(|parts| {
            Some(Self {
                app,
                principal: parts.extensions.get()?,
                narrowing: parts.extensions.get()?,
                parts,
                // The `_meta` of this request. For a client that uses `initialize`, the context
                // contains the library's own name instead.
                meta: &context.meta,
                is_modern: version.is_some_and(|v| is_stateless(v.as_str())),
                progress: Progress::default(),
            })
        });
        caller.ok_or_else(|| ErrorData::internal_error("the request lost its caller", None))
    }

    /// Whether the tool is visible to the caller: the caller may call it, and the narrowing
    /// includes it.
    pub(super) fn can_see(&self, operation: &Registered) -> bool {
        self.narrowing.shows_tool(operation, self.principal)
    }

    /// Returns the origin of the call, with the client name and the trace from `_meta`.
    pub(super) fn origin(&self) -> Origin {
        let mut origin = http::call_origin(self.parts, Door::Mcp);
        if let Some(client) = self.meta.client_info() {
            let name = format!("{} {}", client.name, client.version);
            origin.client = Some(domain::visible_line(&name).chars().take(120).collect());
        }
        let trace = self.meta.get("traceparent").and_then(Value::as_str);
        if let Some(trace) = trace.and_then(TraceParent::parse) {
            origin.trace = Some(trace);
        }
        origin.progress = self.progress.clone();
        origin
    }

    /// Returns the id of the request, as written to the log.
    pub(super) fn request_id(&self) -> &str {
        request_id(self.parts)
    }

    /// Returns the idempotency key in `_meta`.
    pub(super) fn idempotency_key(&self) -> Option<&'c Value> {
        self.meta.get("idempotency-key")
    }

    /// Whether the client can ask the user to open a URL. Clients of earlier protocol versions
    /// declare this once, when they open a session. This endpoint has no sessions, so the result
    /// for these clients is false.
    pub(super) fn can_open_urls(&self) -> bool {
        self.elicitation()
            .is_some_and(|elicitation| elicitation.url.is_some())
    }

    /// Whether the client can show the user a form. A client that declares elicitation without a
    /// mode shows forms.
    pub(super) fn can_show_forms(&self) -> bool {
        self.elicitation()
            .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
    }

    fn elicitation(&self) -> Option<ElicitationCapability> {
        let capabilities = self.meta.client_capabilities()?;
        capabilities.elicitation.filter(|_| self.is_modern)
    }

    /// Whether the client declares in this request that it polls tasks.
    pub(super) fn supports_tasks(&self) -> bool {
        let capabilities = self.meta.client_capabilities().unwrap_or_default();
        self.is_modern && capabilities.supports_tasks()
    }

    /// Sets the cache lifetime and scope of a result for modern clients.
    pub(super) fn set_cache(&self, ttl_ms: &mut Option<u64>, scope: &mut Option<CacheScope>) {
        if self.is_modern {
            *ttl_ms = Some(LIST_TTL_MS);
            *scope = Some(CacheScope::Private);
        }
    }
}
