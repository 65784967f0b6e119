//! Generates `postman.json`, a Postman collection v2.1.
//!
//! <https://schema.getpostman.com/json/collection/v2.1.0/collection.json>. The requests run in
//! order against a demo. If a later request needs a value from a response, a script stores it in a
//! collection variable.

use gateway::{Access, Area, Code, Operation, OutputForm, Registered, Spec};
use identity::{authorization, operations::IssueSession};
use serde_json::{Map, Value, json};
use tools::{mail, media::ListMedia};

use super::{
    examples::{Example, mcp_message},
    release::API_VERSION,
    source::Source,
};

const SCHEMA: &str = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
const ID: &str = "0f6c1d3e-5a7b-4c8d-9e0f-1a2b3c4d5e6f";
/// The variable for the session that the sign-in example opens. Requests that end a session use
/// this variable.
const MEMBER_SESSION: &str = "member_session";
/// The variables for the secret of a guest link without a code, and of one that requires a code.
const GUEST: &str = "guest_link";
const GUEST_WITH_CODE: &str = "guest_link_with_code";

pub(super) fn build_collection(source: &Source<'_>) -> Value {
    let areas = source.registry.areas.iter();
    let folders: Vec<Value> = areas.filter_map(|area| area_folder(area, source)).collect();
    let variable = |key: &str, value: &str| json!({ "key": key, "value": value, "type": "string" });
    json!({
        "info": {
            "_postman_id": ID,
            "name": "Pauta",
            "description": "Preencha `access_token` com um token pessoal e `session_token` com uma \
                sessão. Cada pedido traz um exemplo e um teste do status.",
            "version": API_VERSION,
            "schema": SCHEMA,
        },
        "auth": bearer_auth("access_token"),
        "variable": [
            variable("base_url", source.url),
            variable("access_token", ""),
            variable("session_token", ""),
            variable("lead_token", ""),
            variable(GUEST, ""),
            variable(GUEST_WITH_CODE, ""),
            variable(MEMBER_SESSION, ""),
            variable("media_url", &format!("{}/media/exemplo", source.url)),
        ],
        "item": folders,
    })
}

fn area_folder(area: &Area, source: &Source<'_>) -> Option<Value> {
    let operations = source.registry.operations.iter();
    let mut operations: Vec<_> = operations.filter(|o| o.area.name == area.name).collect();
    // Requests that need the session come before the request that ends it.
    operations.sort_by_key(|o| o.spec.ends_session && !returns_session_token(o));
    let mut items: Vec<Value> = operations
        .into_iter()
        .filter_map(|o| {
            Some(operation_item(
                o,
                source.examples.find_example(o.spec.name)?,
            ))
        })
        .collect();
    let pages = source.registry.pages.iter();
    items.extend(
        pages
            .filter(|page| page.area.name == area.name)
            .map(page_item),
    );
    (!items.is_empty())
        .then(|| json!({ "name": area.name, "description": area.description, "item": items }))
}

/// Whether the output contains a session token.
fn returns_session_token(operation: &Registered) -> bool {
    let answered = operation.output_schema();
    answered
        .get("properties")
        .is_some_and(|fields| fields.get("access_token").is_some())
}

fn bearer_auth(variable: &str) -> Value {
    let token = format!("{{{{{variable}}}}}");
    json!({ "type": "bearer", "bearer": [{ "key": "token", "value": token, "type": "string" }] })
}

fn operation_item(operation: &Registered, example: &Example) -> Value {
    let spec = &operation.spec;
    let mut request = json!({
        "method": spec.verb,
        "description": operation.description(),
        "header": [],
        "url": request_url(&example.request_path(operation)),
    });
    if spec.ends_session {
        request["auth"] = bearer_auth(MEMBER_SESSION);
    } else if let Some(auth) = request_auth(spec.access) {
        request["auth"] = auth;
    }
    match (spec.file_field(), example.body_fields(operation)) {
        (Some(file), Some(fields)) => request["body"] = form_data(file.name, &fields),
        (None, Some(fields)) => {
            let raw = serde_json::to_string_pretty(&fields).expect("a map is serialisable");
            request["header"] = json!([{ "key": "Content-Type", "value": "application/json" }]);
            request["body"] = json!({
                "mode": "raw", "raw": raw, "options": { "raw": { "language": "json" } },
            });
        }
        (_, None) => {}
    }
    let mut statuses = vec![spec.success];
    statuses.extend(spec.partial_successes());
    let renews = spec.ends_session && returns_session_token(operation);
    let keep = if renews || spec.name == IssueSession::SPEC.name {
        "pm.collectionVariables.set(\"member_session\", pm.response.json().access_token);"
    } else if spec.name == ListMedia::SPEC.name {
        "pm.collectionVariables.set(\"media_url\", pm.response.json().media[0].url);"
    } else {
        ""
    };
    request_item(spec, request, &statuses, keep)
}

fn page_item(page: &Registered) -> Value {
    let spec = &page.spec;
    let mut request = json!({
        "method": spec.verb,
        "description": page.description(),
        "header": [],
        "url": request_url(&example_path(page)),
    });
    match spec.output {
        // The URL is a variable that contains the signed link.
        OutputForm::Bytes => {
            let link = "{{media_url}}";
            request["url"] = json!({ "raw": link, "host": [link] });
        }
        OutputForm::JsonRpc => {
            request["header"] = json!([
                { "key": "Content-Type", "value": "application/json" },
                { "key": "MCP-Protocol-Version", "value": "2025-11-25" },
            ]);
            request["body"] = json!({
                "mode": "raw", "raw": mcp_message().to_string(),
                "options": { "raw": { "language": "json" } },
            });
        }
        _ => {}
    }
    if let Some(auth) = request_auth(spec.access) {
        request["auth"] = auth;
    }
    let mut statuses = vec![200];
    // Authorization codes, tokens, signed values and secret addresses are issued at run time, so an
    // example request is rejected, with one of these statuses.
    let issues = [authorization::AREA.name, mail::AREA.name];
    if issues.contains(&page.area.name) {
        statuses.extend(spec.fails.iter().filter(|status| **status < 500));
    }
    request_item(spec, request, &statuses, "")
}

/// Returns the path with the example value of each placeholder.
fn example_path(page: &Registered) -> String {
    page.spec
        .placeholders()
        .fold(page.spec.path.to_owned(), |path, name| {
            let example = page.input_schema()["properties"][name]["examples"][0].as_str();
            example.map_or(path.clone(), |example| {
                path.replace(&format!("{{{name}}}"), example)
            })
        })
}

/// Returns the `auth` of a request; with `None`, the request inherits the `auth` of the collection.
fn request_auth(access: Access) -> Option<Value> {
    if let Access::SharedSecret(secret) = access
        && secret.or.is_none()
    {
        let variable = "lead_token";
        return Some(json!({ "type": "apikey", "apikey": [
            { "key": "key", "value": secret.header, "type": "string" },
            { "key": "value", "value": format!("{{{{{variable}}}}}"), "type": "string" },
            { "key": "in", "value": "header", "type": "string" },
        ]}));
    }
    if access.is_public() {
        return Some(json!({ "type": "noauth" }));
    }
    match access {
        Access::Guest(Some(_)) => Some(bearer_auth(GUEST)),
        Access::Guest(None) => Some(bearer_auth(GUEST_WITH_CODE)),
        _ => access
            .requires_session()
            .then(|| bearer_auth("session_token")),
    }
}

fn request_url(path: &str) -> Value {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let raw = format!("{{{{base_url}}}}{path}");
    let mut url = json!({ "raw": raw, "host": ["{{base_url}}"], "path": parts });
    if !query.is_empty() {
        url["raw"] = format!("{raw}?{query}").into();
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let pairs = pairs.map(|(key, value)| json!({ "key": key, "value": value }));
        url["query"] = pairs.collect();
    }
    url
}

fn form_data(file: &str, fields: &Map<String, Value>) -> Value {
    let fields = fields.iter().map(|(name, value)| {
        if name == file {
            json!({ "key": name, "type": "file", "src": value })
        } else {
            json!({ "key": name, "type": "text", "value": value })
        }
    });
    json!({ "mode": "formdata", "formdata": fields.collect::<Vec<_>>() })
}

fn request_item(spec: &Spec, request: Value, statuses: &[u16], keep: &str) -> Value {
    let mut statuses = statuses.to_vec();
    statuses.extend(spec.without_provider.map(Code::status));
    let statuses = json!(statuses);
    let mut script = vec![format!(
        "pm.test(\"status\", () => pm.expect(pm.response.code).to.be.oneOf({statuses}));"
    )];
    if let Some(code) = spec.without_provider {
        let (status, code) = (code.status(), code.as_str());
        script.push(format!(
            "if (pm.response.code === {status} && pm.response.headers.get(\"content-type\") === \"application/json\") \
             pm.test(\"code\", () => pm.expect(pm.response.json().code).to.eql(\"{code}\"));"
        ));
    }
    if !keep.is_empty() {
        script.push(keep.to_owned());
    }
    json!({
        "name": spec.title,
        "request": request,
        "event": [{
            "listen": "test",
            "script": { "type": "text/javascript", "exec": script },
        }],
        "response": [],
    })
}
