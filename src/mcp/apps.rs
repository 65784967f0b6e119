//! The views of MCP Apps (extension `io.modelcontextprotocol/ui`): HTML documents that a host shows
//! with the results of two tools, and the HTML fragments that those documents load.
//!
//! The data of a fragment come from an operation, which is called in the caller's name like a tool.

use console::{APP_VIEWS, AppView, Given};
use gateway::{Code, Input, coerce};
use rmcp::{
    ErrorData,
    model::{
        JsonObject, MetaObject, ReadResourceResult, Resource, ResourceContents, ServerCapabilities,
        Tool,
    },
};
use serde_json::{Value, json};

use super::{caller::Caller, url_origin::url_origin};

const EXTENSION: &str = "io.modelcontextprotocol/ui";
pub(super) const SCHEME: &str = "ui://";
const DOCUMENT: &str = "text/html;profile=mcp-app";

/// Adds to a tool the URI of the view that shows its results.
pub(super) fn link_view(mut tool: Tool) -> Tool {
    let Some(view) = APP_VIEWS.iter().find(|view| view.tool == tool.name) else {
        return tool;
    };
    let mut meta = MetaObject::new();
    meta.insert("ui".into(), json!({ "resourceUri": view.uri }));
    tool.meta = Some(meta);
    tool
}

/// Adds the extension to the server's capabilities.
pub(super) fn declare_extension(capabilities: &mut ServerCapabilities) {
    let mut settings = JsonObject::new();
    settings.insert("mimeTypes".into(), json!([DOCUMENT]));
    let extensions = capabilities.extensions.get_or_insert_default();
    extensions.insert(EXTENSION.into(), settings);
}

/// The views that the caller may use.
pub(super) fn list_views(caller: &Caller<'_>) -> Vec<Resource> {
    let shown = APP_VIEWS.iter().filter(|view| is_usable(caller, view));
    let listed = shown.map(|view| {
        Resource::new(view.uri, view.name)
            .with_title(view.title)
            .with_description(view.description)
            .with_mime_type(DOCUMENT)
    });
    listed.collect()
}

/// Whether the caller may call the view's tool and the operation of its fragments.
fn is_usable(caller: &Caller<'_>, view: &AppView) -> bool {
    let registry = &caller.app.gateway.registry;
    let mut needed = [view.tool, view.operation].into_iter();
    needed.all(|name| {
        registry
            .find(name)
            .is_some_and(|found| caller.can_see(found))
    })
}

/// Reads a document or one of its fragments; `None` if it does not exist or the caller may not use
/// it.
pub(super) async fn read_view(
    caller: &Caller<'_>,
    uri: &str,
) -> Result<Option<ReadResourceResult>, ErrorData> {
    let view = APP_VIEWS.iter().find(|view| uri.starts_with(view.uri));
    let Some(view) = view.filter(|view| is_usable(caller, view)) else {
        return Ok(None);
    };
    let rest = &uri[view.uri.len()..];
    if rest.is_empty() {
        let contents = ResourceContents::text(view.html_document(), uri)
            .with_mime_type(DOCUMENT)
            .with_meta(content_security_policy(
                &caller.app.gateway.services.public_url,
            ));
        return Ok(Some(ReadResourceResult::new(vec![contents])));
    }
    let Some(path) = rest.strip_prefix('/') else {
        return Ok(None);
    };
    let drawn = render_fragment(caller, view, path).await?;
    Ok(drawn.map(|text| {
        let contents = ResourceContents::text(text, uri).with_mime_type("text/html");
        ReadResourceResult::new(vec![contents])
    }))
}

/// The content security policy of the documents: images from this service only.
fn content_security_policy(public_url: &str) -> MetaObject {
    let mut meta = MetaObject::new();
    let csp = json!({ "resourceDomains": [url_origin(public_url)], "connectDomains": [] });
    let ui = json!({ "csp": csp, "prefersBorder": true });
    meta.insert("ui".into(), ui);
    meta
}

/// Calls the view's operation and renders the fragment from its output.
async fn render_fragment(
    caller: &Caller<'_>,
    view: &AppView,
    path: &str,
) -> Result<Option<String>, ErrorData> {
    let gateway = &caller.app.gateway;
    let Some(operation) = gateway.registry.find(view.operation) else {
        return Ok(None);
    };
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let schema = operation.input_schema();
    let mut input = Input::new();
    if let Some((_, Some(about))) = operation.spec.resource {
        input.insert(about.into(), path.into());
    }
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let value = coerce(schema, &name, value.into_owned());
        input.insert(name.into_owned(), value);
    }
    let origin = caller.origin();
    let called = gateway.invoke(operation, Some(caller.principal), &origin, async {
        Ok(input)
    });
    let answer = match called.await {
        Ok(answer) => answer,
        Err(error) if error.code == Code::NOT_FOUND => return Ok(None),
        Err(error) => return Err(ErrorData::invalid_params(error.to_string(), None)),
    };
    let failed = |error: gateway::Error| ErrorData::internal_error(error.to_string(), None);
    let body = answer.body.into_json_text().map_err(failed)?;
    let answer: Value = serde_json::from_str(&body).map_err(|error| failed(error.into()))?;
    let services = &gateway.services;
    let given = Given {
        base: &services.public_url,
        now: services.clock.now(),
    };
    view.draw_fragment(answer, &given).map(Some).map_err(failed)
}
