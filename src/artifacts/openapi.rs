//! Generates the OpenAPI 3.1 document from the registry.

use gateway::{
    Access, Code, EXACTLY_ONE, ErrorForm, InputForm, OutputForm, Registered, Registry, Spec,
    remove_nul_rule,
};
use serde_json::{Map, Value, json};

use super::{
    examples::Example,
    openapi_errors::{
        empty_error_response, error_reference, error_responses, error_schema, text_error_response,
    },
    release::API_VERSION,
    source::Source,
};

const DESCRIPTION: &str = "\
API da Pauta, a agenda editorial de uma redação: planejar, escrever, enviar, aprovar e publicar.

Comece por `GET /api/me` e aja só com as permissões que vierem. Releia antes de cada mudança e \
envie a revisão lida; um 409 `STALE_REVISION` diz qual é a atual. Com `Idempotency-Key`, repetir \
o mesmo pedido é seguro: a mesma resposta, sem segundo efeito. Clientes decidem por `code`, nunca \
pelo texto de `error`.";

/// Builds the complete OpenAPI document.
pub(super) fn build_openapi(source: &Source<'_>) -> Value {
    let (registry, public_url) = (source.registry, source.url);
    let mut paths = Map::new();
    for operation in &registry.operations {
        let item = path_item(&mut paths, operation.spec.path);
        let method = operation.spec.verb.as_str().to_lowercase();
        let example = source.examples.find_example(operation.spec.name);
        item.insert(method, operation_object(operation, registry, example));
    }
    for page in &registry.pages {
        let item = path_item(&mut paths, page.spec.path);
        item.insert(page.spec.verb.as_str().to_lowercase(), page_object(page));
    }
    let areas = registry.areas.iter();
    let tags: Vec<Value> = areas
        .map(|area| json!({ "name": area.name, "description": area.description }))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Pauta",
            "version": API_VERSION,
            "description": DESCRIPTION,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            "contact": { "name": "Pauta", "url": public_url },
        },
        "servers": [{ "url": public_url, "description": "Esta instalação." }],
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": {
                "personalToken": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Token pessoal `svc_live_…`, criado em uma sessão.",
                },
                "session": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "JWT",
                    "description": match source.issuer {
                        None => "Sessão interativa, obtida com e-mail e senha.".to_owned(),
                        Some(issuer) => format!("Sessão interativa: token de acesso de {issuer}."),
                    },
                },
                "guestLink": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Link de convidado: `svc_guest_` e o segredo do link; depois de um ponto, a `prova` do código, quando o link pede um.",
                },
                "timelineToken": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "x-jornada-token",
                    "description": "Segredo de quem envia eventos da jornada.",
                },
                "leadToken": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "x-jornada-token",
                    "description": "Segredo de quem só lê o contexto de um lead.",
                },
            },
            "schemas": { "Error": error_schema() },
            "responses": error_responses(registry),
        },
    })
}

fn path_item<'a>(paths: &'a mut Map<String, Value>, path: &str) -> &'a mut Map<String, Value> {
    let item = paths
        .entry(path)
        .or_insert_with(|| Value::Object(Map::new()));
    item.as_object_mut()
        .expect("every path item is created as an object")
}

fn operation_object(
    operation: &Registered,
    registry: &Registry,
    example: Option<&Example>,
) -> Value {
    let spec = &operation.spec;
    let placeholders: Vec<&str> = spec.placeholders().collect();
    let in_query = |name: &str| !spec.has_body() || spec.query.contains(&name);
    let required = operation
        .input_schema()
        .get("required")
        .and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|r| r.iter().any(|n| n == name));

    let mut parameters = vec![];
    let mut body = Map::new();
    let given = |name: &str| example.and_then(|example| example.input.get(name));
    for (name, schema) in schema_fields(operation.input_schema()) {
        if placeholders.contains(&name.as_str()) {
            parameters.push(with_example(
                parameter_object("path", name, true, schema),
                given(name),
            ));
        } else if in_query(name) {
            parameters.push(with_example(
                parameter_object("query", name, is_required(name), schema),
                given(name),
            ));
        } else {
            body.insert(name.clone(), schema.clone());
        }
    }
    if spec.keyed {
        parameters.push(json!({
            "name": "Idempotency-Key",
            "in": "header",
            "description": "O mesmo que `idempotency_key`: torna a repetição segura por 24 horas.",
            "schema": { "type": "string", "pattern": domain::IDEMPOTENCY_KEY_PATTERN },
        }));
    }
    let mut object = json!({
        "operationId": spec.operation_id(),
        "summary": spec.title,
        "description": operation.description(),
        "tags": [operation.area.name],
        "security": security_requirements(spec),
        "parameters": parameters,
        "responses": operation_responses(operation, registry, example),
    });
    let map = object.as_object_mut().expect("the value is an object");
    if spec.has_body() {
        map.insert(
            "requestBody".into(),
            request_body(operation, body, required, example),
        );
    }
    map.extend(capability_extension(spec));
    if spec.tool {
        map.insert("x-mcp-tool".into(), spec.name.into());
    }
    if spec.ends_session {
        map.insert("x-ends-session".into(), true.into());
    }
    if spec.locks_out {
        map.insert("x-locks-out".into(), true.into());
    }
    if spec.extension {
        map.insert("x-extension".into(), true.into());
    }
    if let Some(code) = spec.without_provider {
        map.insert(
            "x-without-provider".into(),
            unconfigured_provider_response(code),
        );
    }
    object
}

/// Returns the extension field with the capabilities that allow the operation; the caller needs one of
/// them.
fn capability_extension(spec: &Spec) -> Map<String, Value> {
    let mut needed = Map::new();
    let all = spec.access.capabilities();
    if let [first, rest @ ..] = all {
        needed.insert("x-capability".into(), json!(first));
        if !rest.is_empty() {
            needed.insert("x-capability-any-of".into(), json!(all));
        }
    }
    needed
}

/// Returns the error response for a provider that is not configured.
fn unconfigured_provider_response(code: Code) -> Value {
    json!({ "status": code.status(), "code": code.as_str() })
}

fn schema_fields(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}

fn parameter_object(place: &str, name: &str, required: bool, schema: &Value) -> Value {
    let mut schema = schema.clone();
    let description = schema.as_object_mut().and_then(|s| s.remove("description"));
    json!({
        "name": name,
        "in": place,
        "required": required,
        "description": description,
        "schema": schema,
    })
}

fn with_example(mut object: Value, example: Option<&Value>) -> Value {
    if let Some(example) = example {
        object["example"] = example.clone();
    }
    object
}

fn request_body(
    operation: &Registered,
    body: Map<String, Value>,
    required: Option<&Vec<Value>>,
    example: Option<&Example>,
) -> Value {
    let required: Vec<&Value> = required
        .into_iter()
        .flatten()
        .filter(|name| name.as_str().is_some_and(|name| body.contains_key(name)))
        .collect();
    let alternatives = operation.input_schema().get(EXACTLY_ONE);
    let must = !required.is_empty() || alternatives.is_some();
    let mut schema = json!({
        "type": "object",
        "properties": body,
        "required": required,
        "additionalProperties": false,
    });
    let kept = ["dependentRequired", "allOf", "oneOf", "not"];
    for (keyword, rule) in operation.input_schema() {
        if kept.contains(&keyword.as_str()) {
            schema[keyword] = rule.clone();
        }
    }
    if let Some(Value::Array(names)) = alternatives {
        let one_of = names.iter().map(|name| json!({ "required": [name] }));
        schema["oneOf"] = one_of.collect();
    }
    let media_type = match operation.spec.file_field() {
        None => "application/json",
        Some(file) => {
            schema["properties"][file.name] = json!({
                "type": "string",
                "contentMediaType": "application/octet-stream",
                "description": "O arquivo.",
            });
            "multipart/form-data"
        }
    };
    let sent = example.and_then(|example| example.body_fields(operation));
    let content = with_example(json!({ "schema": schema }), sent.map(Value::from).as_ref());
    json!({ "required": must, "content": { media_type: content } })
}

fn operation_responses(
    operation: &Registered,
    registry: &Registry,
    example: Option<&Example>,
) -> Value {
    let spec = &operation.spec;
    let schema = Value::Object(operation.output_schema());
    let description = schema["description"].as_str().map(str::to_owned);
    let content = with_example(
        json!({ "schema": schema }),
        example.map(|example| &example.answer),
    );
    let mut success = json!({
        "description": "Feito.",
        "content": { "application/json": content },
    });
    if let Some(description) = description {
        success["description"] = description.into();
    }
    if spec.keyed {
        success["headers"] = json!({
            "Idempotency-Replayed": {
                "description": "`true` quando a resposta já tinha sido dada à mesma chave.",
                "schema": { "type": "string", "enum": ["true"] },
            },
        });
    }
    let mut responses = Map::new();
    for status in spec.partial_successes() {
        responses.insert(status.to_string(), success.clone());
    }
    let links: Map<String, Value> = spec
        .links
        .iter()
        .filter_map(|link| {
            Some((
                link.operation.to_owned(),
                link_object(spec, registry, link)?,
            ))
        })
        .collect();
    if !links.is_empty() {
        success["links"] = Value::Object(links);
    }
    responses.insert(spec.success.to_string(), success);
    for status in spec.error_statuses() {
        let refusal = match spec.error_form(status) {
            ErrorForm::Text | ErrorForm::Console => text_error_response(),
            ErrorForm::Empty => empty_error_response(),
            ErrorForm::Object | ErrorForm::JsonRpc | ErrorForm::OAuth => error_reference(status),
        };
        responses.insert(status.to_string(), refusal);
    }
    Value::Object(responses)
}

/// Returns the OpenAPI link to another operation; `None` if that operation is not registered.
fn link_object(from: &Spec, registry: &Registry, link: &gateway::Link) -> Option<Value> {
    let target = registry.find(link.operation)?.spec;
    let placeholders: Vec<&str> = target.placeholders().collect();
    let (mut parameters, mut body) = (Map::new(), Map::new());
    for (field, pointer) in link.inputs {
        let expression = Value::from(format!("$response.body#{pointer}"));
        if placeholders.contains(field) {
            parameters.insert(format!("path.{field}"), expression);
        } else if target.has_body() {
            body.insert((*field).into(), expression);
        } else {
            parameters.insert(format!("query.{field}"), expression);
        }
    }
    let mut object = json!({
        "operationId": target.operation_id(),
        "description": format!("Depois de {}: {}.", from.name, target.title),
    });
    if !parameters.is_empty() {
        object["parameters"] = parameters.into();
    }
    if !body.is_empty() {
        object["requestBody"] = body.into();
    }
    Some(object)
}

fn page_object(page: &Registered) -> Value {
    let spec = &page.spec;
    let field = |place: &str, name: &str, required: bool| {
        let mut schema = page.input_schema()["properties"][name].clone();
        remove_nul_rule(&mut schema);
        let examples = schema.as_object_mut().and_then(|s| s.remove("examples"));
        let parameter = parameter_object(place, name, required, &schema);
        with_example(parameter, examples.as_ref().map(|list| &list[0]))
    };
    let mut parameters: Vec<Value> = spec
        .placeholders()
        .map(|name| field("path", name, true))
        .collect();
    let required = page
        .input_schema()
        .get("required")
        .and_then(Value::as_array);
    parameters.extend(spec.query_fields(page.input_schema()).iter().map(|name| {
        let required = required.is_some_and(|names| names.iter().any(|n| n == name));
        field("query", name, required)
    }));
    let mut object = json!({
        "operationId": spec.operation_id(),
        "summary": spec.title,
        "description": page.description(),
        "tags": [page.area.name],
        "security": security_requirements(spec),
        "parameters": parameters,
        "responses": page_responses(spec),
    });
    for (name, value) in capability_extension(spec) {
        object[name] = value;
    }
    if spec.extension {
        object["x-extension"] = true.into();
    }
    if let Some(code) = spec.without_provider {
        object["x-without-provider"] = unconfigured_provider_response(code);
    }
    if spec.has_body() && spec.output != OutputForm::JsonRpc {
        object["requestBody"] = page_body(page);
    }
    if spec.output == OutputForm::JsonRpc {
        object["requestBody"] = json!({
            "required": true,
            "content": { "application/json": { "schema": {
                "type": "object",
                "description": "Uma mensagem JSON-RPC 2.0.",
                "properties": {
                    "jsonrpc": { "const": "2.0" },
                    "method": { "type": "string" },
                },
                "required": ["jsonrpc", "method"],
            } } },
        });
    }
    object
}

/// Returns the schema of a page's form. Unknown fields are ignored.
fn page_body(page: &Registered) -> Value {
    let mut properties = page.input_schema().get("properties").cloned();
    let properties = properties.as_mut().map(Value::take);
    let mut schema = json!({ "type": "object", "properties": properties });
    remove_nul_rule(&mut schema);
    let media_type = match page.spec.input {
        InputForm::UrlEncoded | InputForm::Ignored => "application/x-www-form-urlencoded",
        _ => "application/json",
    };
    json!({ "required": true, "content": { media_type: { "schema": schema } } })
}

fn page_responses(spec: &Spec) -> Value {
    let media_type = spec.output.media_type();
    let structured = ["application/json", "application/yaml"].contains(&media_type);
    let body = json!({ "type": if structured { "object" } else { "string" } });
    let content = json!({ media_type: { "schema": body } });
    let mut responses = Map::new();
    responses.insert(
        "200".into(),
        json!({ "description": "Feito.", "content": content }),
    );
    for status in spec.partial_successes() {
        let answer = match status {
            201 => json!({ "description": "Feito.", "content": content }),
            302 | 303 => json!({ "description": "A pessoa é levada a outro endereço." }),
            202 => json!({ "description": "Notificação aceita." }),
            206 => json!({ "description": "A parte pedida em Range.", "content": content }),
            _ => json!({ "description": "O que o cliente já tem ainda vale." }),
        };
        responses.insert(status.to_string(), answer);
    }
    for status in spec.fails {
        let answer = match (spec.error_form(*status), status) {
            (ErrorForm::JsonRpc, 400 | 404) => json!({
                "description": "Mensagem que não pode ser roteada: o objeto de erro, ou um erro JSON-RPC.",
                "content": { "application/json": { "schema": { "type": "object" } } },
            }),
            (ErrorForm::Empty, _) => empty_error_response(),
            (ErrorForm::Text, _) if spec.output == OutputForm::Html => {
                let mut error = text_error_response();
                error["content"]["text/html"] = error["content"]["text/plain"].clone();
                error
            }
            (ErrorForm::Text, _) => text_error_response(),
            _ => error_reference(*status),
        };
        responses.insert(status.to_string(), answer);
    }
    Value::Object(responses)
}

fn security_requirements(spec: &Spec) -> Value {
    let access = spec.access;
    if matches!(spec.input, InputForm::Signed(_)) {
        // The signature of the message is the credential, so no bearer token is required (`{}`).
        // A bearer token additionally allows old deliveries.
        json!([{}, { "personalToken": [] }, { "session": [] }])
    } else if let Access::SharedSecret(secret) = access {
        let name = if secret.or.is_some() {
            "timelineToken"
        } else {
            "leadToken"
        };
        let mut ways = vec![json!({ name: [] })];
        if secret.or.is_some() {
            ways.extend([json!({ "personalToken": [] }), json!({ "session": [] })]);
        }
        ways.into()
    } else if access.is_public() {
        json!([])
    } else if matches!(access, Access::Guest(_)) {
        json!([{ "guestLink": [] }])
    } else if access.requires_session() {
        json!([{ "session": [] }])
    } else {
        json!([{ "personalToken": [] }, { "session": [] }])
    }
}
