//! The written documents: templates, and the lists in them that come from the table.

use std::fmt::Write;

use domain::{Capability, EventStatus};
use gateway::{Area, Code, Registered, Registry};
use serde_json::{Value, json};
use tools::AREAS;

use super::{
    chatgpt,
    examples::Example,
    release::{API_VERSION, RELEASE_DATE},
    source::Source,
};

/// A template with its places filled.
pub(super) fn fill(template: &str, source: &Source<'_>) -> String {
    let mut text = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some((before, from)) = rest.split_once("{{") {
        let (place, after) = from.split_once("}}").expect("a place ends");
        text.push_str(before);
        text.push_str(&list(place, source));
        rest = after;
    }
    text.push_str(rest);
    text
}

fn list(place: &str, source: &Source<'_>) -> String {
    let registry = source.registry;
    match place {
        "url" => source.url.to_owned(),
        "mcp_url" => format!("{}/api/mcp", source.url),
        "version" => API_VERSION.to_owned(),
        "date" => RELEASE_DATE.to_owned(),
        "capabilities" => capabilities(registry),
        "errors" => errors(),
        "statuses" => statuses(),
        "operations" => operations(registry),
        "tools" => tools(registry),
        "toolsets" => toolsets(registry),
        "reference" => reference(source),
        "gpt_operations" => chatgpt::OPERATIONS.to_string(),
        "gpt_left_out" => gpt_left_out(registry),
        _ => panic!("a template has the unknown place {place}"),
    }
}

/// What each capability opens, and from which level on.
fn capabilities(registry: &Registry) -> String {
    let mut table = String::from("| permissão | a partir de | o que permite |\n|---|---|---|\n");
    for capability in Capability::ALL {
        let opened = registry.operations.iter().filter(|operation| {
            let needed = operation.spec.access.capabilities();
            needed.contains(capability)
        });
        let opened: Vec<&str> = opened.map(|operation| operation.spec.title).collect();
        if opened.is_empty() {
            continue;
        }
        let level = capability.min_level().map_or("financeiro", |l| l.as_str());
        let _ = writeln!(
            table,
            "| `{capability}` | {level} | {} |",
            opened.join("; ")
        );
    }
    table.trim_end().to_owned()
}

fn errors() -> String {
    let mut table =
        String::from("| status | código | o que houve | o que fazer |\n|---|---|---|---|\n");
    let mut codes: Vec<&Code> = Code::ALL.iter().collect();
    codes.sort_by_key(|code| code.status());
    for code in codes {
        let (status, name) = (code.status(), code.as_str());
        let next = code.next().unwrap_or("Leia `error` e `details`.");
        let _ = writeln!(
            table,
            "| {status} | `{name}` | {} | {next} |",
            code.message()
        );
    }
    table.trim_end().to_owned()
}

fn statuses() -> String {
    let lines = EventStatus::ALL.iter().map(|status| {
        let editable = if status.is_editable() {
            "editável"
        } else {
            "não editável"
        };
        format!("- `{status}` ({editable}): {}", status.meaning())
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The operations of an area, when there are any.
fn by_area(registry: &Registry) -> impl Iterator<Item = (Area, Vec<&Registered>)> {
    AREAS.iter().filter_map(|area| {
        let operations = registry.operations.iter();
        let operations: Vec<_> = operations.filter(|o| o.spec.area == *area).collect();
        (!operations.is_empty()).then_some((*area, operations))
    })
}

fn operations(registry: &Registry) -> String {
    let mut text = String::new();
    for (area, operations) in by_area(registry) {
        let _ = writeln!(text, "### {area}\n\n{}\n", area.description);
        for operation in operations {
            let spec = &operation.spec;
            let tool = if spec.tool {
                format!(", ferramenta `{}`", spec.name)
            } else {
                String::new()
            };
            let _ = writeln!(
                text,
                "- `{} {}`: {} ({}{tool})",
                spec.verb,
                spec.path,
                spec.title,
                permission(operation)
            );
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// Who may call, in a few words.
fn permission(operation: &Registered) -> String {
    let access = operation.spec.access;
    let needed = access.capabilities().iter().map(|c| format!("`{c}`"));
    let needed = needed.collect::<Vec<_>>().join(" ou ");
    match (access.is_public(), access.session_only(), needed.is_empty()) {
        (true, ..) => "pública".into(),
        (_, true, true) => "só sessão".into(),
        (_, true, false) => format!("só sessão, {needed}"),
        (_, false, true) => "qualquer credencial".into(),
        (_, false, false) => needed,
    }
}

fn tools(registry: &Registry) -> String {
    let tools = registry.operations.iter().filter(|o| o.spec.tool);
    let lines = tools.map(|tool| {
        let spec = &tool.spec;
        format!("- `{}`: {} ({})", spec.name, spec.title, permission(tool))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn toolsets(registry: &Registry) -> String {
    let sets = by_area(registry).filter_map(|(area, operations)| {
        let count = operations.iter().filter(|o| o.spec.tool).count();
        (count > 0).then(|| format!("`{area}` ({count})"))
    });
    sets.collect::<Vec<_>>().join(", ")
}

/// What does not fit the actions of a GPT, as the subject of a sentence.
fn gpt_left_out(registry: &Registry) -> String {
    let names: Vec<String> = chatgpt::left_out(registry)
        .iter()
        .map(|id| format!("`{id}`"))
        .collect();
    match names.as_slice() {
        [] => "nenhuma ferramenta fica de fora".into(),
        [name] => format!("{name} fica de fora"),
        [names @ .., last] => format!("{} e {last} ficam de fora", names.join(", ")),
    }
}

/// Every operation with its fields and an example for each door.
fn reference(source: &Source<'_>) -> String {
    let mut text = String::new();
    for (area, operations) in by_area(source.registry) {
        let _ = writeln!(text, "## {area}: {}\n", area.description);
        for operation in operations {
            describe(&mut text, operation, source);
        }
    }
    text.trim_end().to_owned()
}

fn describe(text: &mut String, operation: &Registered, source: &Source<'_>) {
    let spec = &operation.spec;
    let _ = writeln!(text, "### {}: `{} {}`\n", spec.title, spec.verb, spec.path);
    let _ = writeln!(text, "{}\n", operation.description);
    let statuses: Vec<String> = spec.refusals().iter().map(ToString::to_string).collect();
    let _ = writeln!(
        text,
        "Permissão: {}. Sucesso: {}. Recusas: {}.",
        permission(operation),
        spec.success,
        statuses.join(", ")
    );
    if spec.extension {
        text.push_str("Além do contrato.\n");
    }
    text.push('\n');
    fields(text, operation);
    let Some(example) = source.examples.of(spec.name) else {
        return;
    };
    let _ = writeln!(text, "```sh\n{}\n```\n", curl(operation, example));
    let answer = example.answer.to_string();
    const SHOWN: usize = 1_200;
    if answer.len() <= SHOWN {
        let _ = writeln!(text, "Resposta:\n\n```json\n{answer}\n```\n");
    }
    if spec.tool {
        let call = json!({ "name": spec.name, "arguments": example.input });
        let _ = writeln!(
            text,
            "MCP, `params` de `tools/call`:\n\n```json\n{call}\n```\n"
        );
    }
}

/// The fields of the input, and those of the objects in them.
fn fields(text: &mut String, operation: &Registered) {
    let schema = Value::Object(operation.input_schema.clone());
    let mut lines = String::new();
    rows(&mut lines, "", &schema);
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        if operation.spec.file != Some(name.as_str()) {
            rows(&mut lines, &format!("{name}."), field);
            rows(&mut lines, &format!("{name}[]."), &field["items"]);
        }
    }
    if lines.is_empty() {
        return;
    }
    text.push_str("| campo | tipo | obrigatório | descrição |\n|---|---|---|---|\n");
    text.push_str(&lines);
    text.push('\n');
}

/// A row for each field of an object.
fn rows(text: &mut String, path: &str, object: &Value) {
    let required = object["required"].as_array();
    for (name, field) in object["properties"].as_object().into_iter().flatten() {
        let must = required.is_some_and(|r| r.iter().any(|n| n == name));
        let must = if must { "sim" } else { "" };
        let description = field["description"].as_str().unwrap_or_default();
        let description = description.replace('|', "\\|").replace('\n', " ");
        let kind = kind(field);
        let _ = writeln!(text, "| `{path}{name}` | {kind} | {must} | {description} |");
    }
}

/// A field's type and bounds, in a few words.
fn kind(field: &Value) -> String {
    if let Some(values) = field["enum"].as_array() {
        let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
        return values.join(" ");
    }
    let mut kind = match &field["type"] {
        Value::String(name) => match name.as_str() {
            "string" => "texto",
            "integer" => "inteiro",
            "number" => "número",
            "boolean" => "sim ou não",
            "array" => "lista",
            _ => "objeto",
        },
        Value::Array(types) if types.contains(&"null".into()) => "texto ou nulo",
        _ => "qualquer valor",
    }
    .to_owned();
    for (rule, words) in [
        ("minimum", "desde"),
        ("maximum", "até"),
        ("minLength", "ao menos"),
        ("maxLength", "até"),
        ("minItems", "ao menos"),
        ("maxItems", "até"),
    ] {
        if let Some(bound) = field.get(rule) {
            let unit = if rule.ends_with("Length") {
                " caracteres"
            } else {
                ""
            };
            let _ = write!(kind, ", {words} {bound}{unit}");
        }
    }
    if let Some(value) = field.get("default") {
        let _ = write!(kind, ", padrão `{value}`");
    }
    kind
}

/// The example as a line for the shell, over `PAUTA_URL`, `PAUTA_TOKEN` and `PAUTA_SESSION`.
fn curl(operation: &Registered, example: &Example) -> String {
    let spec = &operation.spec;
    let mut line = format!(
        "curl -sS --fail-with-body -X {} \"$PAUTA_URL{}\"",
        spec.verb,
        example.path(operation)
    );
    if !spec.access.is_public() {
        let variable = if spec.access.session_only() {
            "PAUTA_SESSION"
        } else {
            "PAUTA_TOKEN"
        };
        let _ = write!(line, " \\\n  -H \"Authorization: Bearer ${variable}\"");
    }
    match (spec.file, example.body(operation)) {
        (Some(file), Some(fields)) => {
            for (name, value) in &fields {
                let value = value.as_str().unwrap_or_default();
                let at = if name == file { "@" } else { "" };
                let _ = write!(line, " \\\n  -F {}", quoted(&format!("{name}={at}{value}")));
            }
        }
        (None, Some(fields)) => {
            let body = Value::Object(fields).to_string();
            let _ = write!(
                line,
                " \\\n  -H \"Content-Type: application/json\" \\\n  -d {}",
                quoted(&body)
            );
        }
        (_, None) => {}
    }
    line
}

/// For the shell, as one word.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
