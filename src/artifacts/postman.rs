//! `postman.json`: a Postman collection, v2.1.
//!
//! <https://schema.getpostman.com/json/collection/v2.1.0/collection.json>. Requests run in order
//! against a demo: what one answers and a later one needs becomes a variable of the collection.

use serde_json::{Map, Value, json};
use tools::registry::{Access, Area, RawKind, RawRoute, Registered};

use super::{API_VERSION, Example, Source};

const SCHEMA: &str = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
const ID: &str = "0f6c1d3e-5a7b-4c8d-9e0f-1a2b3c4d5e6f";
/// The session that the sign-in example opens; what ends a session ends that one.
const MEMBER_SESSION: &str = "member_session";

pub(super) fn document(source: &Source<'_>) -> Value {
    let folders: Vec<Value> = Area::ALL
        .iter()
        .filter_map(|area| folder(*area, source))
        .collect();
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
        "auth": bearer("access_token"),
        "variable": [
            variable("base_url", source.url),
            variable("access_token", ""),
            variable("session_token", ""),
            variable(MEMBER_SESSION, ""),
            variable("media_url", &format!("{}/media/exemplo", source.url)),
        ],
        "item": folders,
    })
}

fn folder(area: Area, source: &Source<'_>) -> Option<Value> {
    let operations = source.registry.operations.iter();
    let mut operations: Vec<_> = operations.filter(|o| o.spec.area == area).collect();
    // It ends the session that the others of its folder use.
    operations.sort_by_key(|operation| operation.spec.name == "sign_out");
    let mut items: Vec<Value> = operations
        .into_iter()
        .filter_map(|o| Some(of_operation(o, source.examples.of(o.spec.name)?)))
        .collect();
    let raw = source.registry.raw.iter();
    items.extend(raw.filter(|route| route.area == area).map(of_raw));
    (!items.is_empty())
        .then(|| json!({ "name": area, "description": area.description(), "item": items }))
}

fn bearer(variable: &str) -> Value {
    let token = format!("{{{{{variable}}}}}");
    json!({ "type": "bearer", "bearer": [{ "key": "token", "value": token, "type": "string" }] })
}

fn of_operation(operation: &Registered, example: &Example) -> Value {
    let spec = &operation.spec;
    let mut request = json!({
        "method": spec.verb,
        "description": operation.description,
        "header": [],
        "url": url(&example.path(operation)),
    });
    if let Some(auth) = auth(spec.access, spec.name) {
        request["auth"] = auth;
    }
    match (spec.file, example.body(operation)) {
        (Some(file), Some(fields)) => request["body"] = form(file, &fields),
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
    let keep = match spec.name {
        "issue_session" | "change_my_password" => {
            "pm.collectionVariables.set(\"member_session\", pm.response.json().access_token);"
        }
        "list_media" => {
            "pm.collectionVariables.set(\"media_url\", pm.response.json().media[0].url);"
        }
        _ => "",
    };
    item(spec.title, request, &statuses, keep)
}

fn of_raw(route: &RawRoute) -> Value {
    let mut request = json!({
        "method": route.verb,
        "description": route.description,
        "header": [],
        "url": url(route.path),
    });
    match route.kind {
        // A signed link is taken whole.
        RawKind::Media => {
            request["url"] = json!({ "raw": "{{media_url}}", "host": ["{{media_url}}"] });
        }
        RawKind::Mcp => {
            let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
            request["header"] = json!([
                { "key": "Content-Type", "value": "application/json" },
                { "key": "MCP-Protocol-Version", "value": "2025-11-25" },
            ]);
            request["body"] = json!({
                "mode": "raw", "raw": message.to_string(),
                "options": { "raw": { "language": "json" } },
            });
        }
        RawKind::Artifact => {}
    }
    if let Some(auth) = auth(route.access, "") {
        request["auth"] = auth;
    }
    item(route.title, request, &[200], "")
}

/// `None` takes the collection's own.
fn auth(access: Access, operation: &str) -> Option<Value> {
    if access.is_public() {
        return Some(json!({ "type": "noauth" }));
    }
    match operation {
        "sign_out" | "change_my_password" => Some(bearer(MEMBER_SESSION)),
        _ => access.session_only().then(|| bearer("session_token")),
    }
}

fn url(path: &str) -> Value {
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

fn form(file: &str, fields: &Map<String, Value>) -> Value {
    let fields = fields.iter().map(|(name, value)| {
        if name == file {
            json!({ "key": name, "type": "file", "src": value })
        } else {
            json!({ "key": name, "type": "text", "value": value })
        }
    });
    json!({ "mode": "formdata", "formdata": fields.collect::<Vec<_>>() })
}

fn item(name: &str, request: Value, statuses: &[u16], keep: &str) -> Value {
    let test = format!(
        "pm.expect(pm.response.code).to.be.oneOf({});",
        json!(statuses)
    );
    let mut script = vec![format!(
        "pm.test(\"status\", () => {test_body});",
        test_body = test.trim_end_matches(';')
    )];
    if !keep.is_empty() {
        script.push(keep.to_owned());
    }
    json!({
        "name": name,
        "request": request,
        "event": [{
            "listen": "test",
            "script": { "type": "text/javascript", "exec": script },
        }],
        "response": [],
    })
}
