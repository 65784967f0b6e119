//! The views of MCP Apps (extension `io.modelcontextprotocol/ui`): HTML documents that a host shows
//! with the results of some tools, and the HTML fragments that those documents load.
//!
//! The operation `draw_view` draws the fragments. A view reads them as resources, or calls the
//! operation as a tool, which hosts hide from the model.

use console::{APP_VIEWS, AppView};
use gateway::{Code, Input, Spec};
use rmcp::{
    ErrorData,
    model::{
        JsonObject, MetaObject, ReadResourceResult, Resource, ResourceContents, ServerCapabilities,
        Tool,
    },
};
use serde::Deserialize;
use serde_json::json;

use super::{caller::Caller, url_origin::url_origin};

const EXTENSION: &str = "io.modelcontextprotocol/ui";
pub(super) const SCHEME: &str = "ui://";
const DOCUMENT: &str = "text/html;profile=mcp-app";
/// The operation that draws fragments.
const DRAW: &str = "draw_view";

/// Adds to a tool the URI of the view that shows its results, and hides a tool of the views from
/// the model.
pub(super) fn link_view(mut tool: Tool, spec: &Spec) -> Tool {
    let ui = if spec.app_only {
        json!({ "visibility": ["app"] })
    } else if let Some(view) = APP_VIEWS
        .iter()
        .find(|view| view.tools.contains(&spec.name))
    {
        json!({ "resourceUri": view.uri })
    } else {
        return tool;
    };
    tool.meta.get_or_insert_default().insert("ui".into(), ui);
    tool
}

/// Adds the extension to the server's capabilities.
pub(super) fn declare_extension(capabilities: &mut ServerCapabilities) {
    let mut settings = JsonObject::new();
    settings.insert("mimeTypes".into(), json!([DOCUMENT]));
    let extensions = capabilities.extensions.get_or_insert_default();
    extensions.insert(EXTENSION.into(), settings);
}

/// Lists the views that the caller may use.
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

/// Whether the caller may call a tool of the view and the operations of its fragments.
fn is_usable(caller: &Caller<'_>, view: &AppView) -> bool {
    let registry = &caller.app.gateway.registry;
    let can_see = |name: &&str| {
        let found = registry.find(name);
        found.is_some_and(|found| caller.can_see(found))
    };
    view.tools.iter().any(can_see) && view.reads.iter().all(can_see)
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
    if !rest.starts_with('/') {
        return Ok(None);
    }
    let drawn = read_fragment(caller, uri).await?;
    Ok(drawn.map(|text| {
        let contents = ResourceContents::text(text, uri).with_mime_type("text/html");
        ReadResourceResult::new(vec![contents])
    }))
}

/// Returns the content security policy of the documents: images from this service only.
fn content_security_policy(public_url: &str) -> MetaObject {
    let mut meta = MetaObject::new();
    let csp = json!({ "resourceDomains": [url_origin(public_url)], "connectDomains": [] });
    let ui = json!({ "csp": csp, "prefersBorder": true });
    meta.insert("ui".into(), ui);
    meta
}

/// Calls `draw_view` for the fragment at this URI; `None` if it does not exist.
async fn read_fragment(caller: &Caller<'_>, uri: &str) -> Result<Option<String>, ErrorData> {
    let gateway = &caller.app.gateway;
    let Some(operation) = gateway.registry.find(DRAW) else {
        return Ok(None);
    };
    let mut input = Input::new();
    input.insert("uri".into(), uri.into());
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
    let drawn: Drawn = serde_json::from_str(&body).map_err(|error| failed(error.into()))?;
    Ok(Some(drawn.html))
}

/// The answer of `draw_view`.
#[derive(Deserialize)]
struct Drawn {
    html: String,
}
