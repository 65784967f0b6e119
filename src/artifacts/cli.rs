//! The registry in the form that `cli.mjs` embeds.

use std::fmt::Write;

use domain::{Capabilities, Level};
use gateway::{Access, Effect, Execution, Input, OutputForm, Registered, remove_nul_rule};
use identity::authorization;
use serde_json::{Value, json};

use super::{curl::shell_quote, examples::mcp_message, release::API_VERSION, source::Source};

/// Renders the version, the URL and all operations, as a JavaScript object literal.
pub(super) fn render_registry(source: &Source<'_>) -> String {
    let operations = source.registry.operations.iter();
    let operations = operations.map(|operation| operation_entry(operation, source));
    let pages = source.registry.pages.iter();
    // Pages of the authorization server are left out: only OAuth clients and browsers use them.
    let pages = pages.filter(|page| page.area.name != authorization::AREA.name);
    let pages = pages.map(page_entry);
    let operations: Vec<Value> = operations.chain(pages).collect();
    // One operation per line keeps the file and its diffs readable.
    let lines: Vec<String> = operations.iter().map(ToString::to_string).collect();
    format!(
        "{{\n  \"version\": {},\n  \"url\": {},\n  \"issuer\": {},\n  \"levels\": {},\n  \"operations\": [\n    {}\n  ]\n}}",
        json!(API_VERSION),
        json!(source.url),
        json!(source.issuer),
        json!(level_entries()),
        lines.join(",\n    ")
    )
}

/// Returns the levels of personal tokens, with the capabilities of each.
fn level_entries() -> Vec<Value> {
    let levels = Level::ALL.iter().filter(|level| **level > Level::Nenhum);
    let of = |level: &Level| {
        let capabilities: Vec<_> = Capabilities::of_level(*level, false).iter().collect();
        json!({ "name": level, "capabilities": capabilities })
    };
    levels.map(of).collect()
}

/// Returns the `cli.mjs` command for a call. Secrets and objects are piped to its standard input as
/// JSON.
pub(super) fn cli_command(operation: &Registered, input: &Input) -> String {
    let mut line = format!("node cli.mjs {}", to_kebab_case(operation.spec.name));
    let mut rest = Input::new();
    for (name, value) in input {
        let values: Vec<&Value> = match value {
            Value::Array(values) => values.iter().collect(),
            value => vec![value],
        };
        let nested = values
            .iter()
            .any(|value| value.is_object() || value.is_array());
        if nested || is_secret(name) {
            rest.insert(name.clone(), value.clone());
            continue;
        }
        for value in values {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let _ = write!(
                line,
                " --{} {}",
                to_kebab_case(name),
                quote_if_needed(&text)
            );
        }
    }
    if rest.is_empty() {
        return line;
    }
    format!(
        "echo {} | {line} --json -",
        shell_quote(&Value::Object(rest).to_string())
    )
}

/// Returns the option name of a field: `expected_revision` becomes `expected-revision`, and `eventId`
/// becomes `event-id`.
fn to_kebab_case(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    for letter in name.chars() {
        match letter {
            '_' => text.push('-'),
            'A'..='Z' => text.extend(['-', letter.to_ascii_lowercase()]),
            _ => text.push(letter),
        }
    }
    text
}

/// Quotes a shell argument if necessary.
fn quote_if_needed(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:@=-".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        shell_quote(text)
    }
}

/// Whether the field is a secret, which the command line accepts on standard input only.
fn is_secret(name: &str) -> bool {
    matches!(name, "senha" | "password" | "token")
        || name.ends_with("_password")
        || name.ends_with("_token")
}

fn operation_entry(operation: &Registered, source: &Source<'_>) -> Value {
    let spec = &operation.spec;
    let query = spec.query_fields(operation.input_schema());
    let place = |name: &str| {
        if spec.placeholders().any(|placeholder| placeholder == name) {
            "path"
        } else if spec.file_field().is_some_and(|file| file.name == name) {
            "file"
        } else if query.iter().any(|field| field == name) {
            "query"
        } else {
            "body"
        }
    };
    let required = operation.input_schema().get("required");
    let required = required.and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|r| r.iter().any(|n| n == name));
    let properties = operation.input_schema().get("properties");
    let parameters = properties
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter(|(name, _)| *name != "idempotency_key")
        .map(|(name, schema)| {
            let place = place(name);
            let schema = match place {
                "file" => json!({ "type": "string", "description": "O arquivo." }),
                _ => without_nul_pattern(schema),
            };
            json!({ "name": name, "in": place, "required": is_required(name), "schema": schema })
        });
    let mut entry = json!({
        "name": spec.name,
        "area": operation.area.name,
        "summary": spec.title,
        "description": operation.description(),
        "method": spec.verb,
        "path": spec.path,
        "access": access_name(spec.access),
        "capabilities": spec.access.capabilities(),
        "effect": effect_name(spec.effect),
        "keyed": spec.keyed,
        "slow": spec.execution == Execution::Outside || spec.file_field().is_some(),
        "document": false,
        "parameters": parameters.collect::<Vec<_>>(),
    });
    if let Access::SharedSecret(secret) = spec.access {
        entry["secret"] = json!({ "header": secret.header, "env": secret.setting });
    }
    if let Some(example) = source.examples.find_example(spec.name) {
        entry["example"] = Value::Object(example.input.clone());
    }
    entry
}

fn page_entry(page: &Registered) -> Value {
    let spec = &page.spec;
    let is_mcp = spec.output == OutputForm::JsonRpc;
    let path = spec.placeholders().map(|name| {
        let schema = without_nul_pattern(&page.input_schema()["properties"][name]);
        json!({ "name": name, "in": "path", "required": true, "schema": schema })
    });
    let required = page
        .input_schema()
        .get("required")
        .and_then(Value::as_array);
    let query = spec.query_fields(page.input_schema());
    let query = query.iter().map(|name| {
        let required = required.is_some_and(|names| names.iter().any(|n| n == name));
        let schema = &page.input_schema()["properties"][name];
        json!({ "name": name, "in": "query", "required": required, "schema": schema })
    });
    let mut entry = json!({
        "name": spec.name,
        "area": page.area.name,
        "summary": spec.title,
        "description": page.description(),
        "method": spec.verb,
        "path": spec.path,
        "access": access_name(spec.access),
        "capabilities": spec.access.capabilities(),
        "effect": effect_name(spec.effect),
        "keyed": false,
        "slow": false,
        "document": !is_mcp,
        "parameters": path.chain(query).collect::<Vec<_>>(),
    });
    if is_mcp {
        entry["open"] = true.into();
        entry["example"] = mcp_message();
    }
    entry
}

/// Removes the pattern that only excludes NUL, because readers of the help do not need it.
fn without_nul_pattern(schema: &Value) -> Value {
    let mut schema = schema.clone();
    remove_nul_rule(&mut schema);
    schema
}

fn access_name(access: Access) -> &'static str {
    match access {
        Access::Public => "public",
        Access::AnyMember | Access::Member(_) | Access::MemberAny(_) => "member",
        Access::AnySession | Access::Session(_) | Access::Browser => "session",
        Access::Webhook | Access::SharedSecret(_) => "webhook",
        Access::UploadLink(_) => "link",
        Access::Guest(_) => "guest",
    }
}

fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "read",
        Effect::Write => "write",
        Effect::Destroy => "destroy",
    }
}
