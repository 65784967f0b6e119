//! The data that templates receive: facts from the registry, and examples.

use std::{borrow::Cow, fmt::Write};

use domain::{Capability, EventStatus};
use gateway::{Code, Registered, Registry, sign_in_hint};
use identity::authorization::{WORKDAYS, Workday};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    chatgpt, cli,
    curl::curl_command,
    examples::Example,
    release::{API_VERSION, RELEASE_DATE},
    source::Source,
};

/// Maximum bytes of an example output that the documents show.
const LONGEST_ANSWER: usize = 1_200;

#[derive(Serialize)]
pub(super) struct Facts<'a> {
    url: &'a str,
    issuer: Option<&'a str>,
    mcp_url: String,
    privacy_url: String,
    install: InstallFacts,
    directory: DirectoryFacts,
    version: &'static str,
    date: &'static str,
    capabilities: Vec<CapabilityFacts>,
    errors: Vec<ErrorFacts>,
    statuses: Vec<StatusFacts>,
    areas: Vec<AreaFacts>,
    pages: Vec<PageFacts>,
    gpt: GptFacts,
    workdays: [Workday; 9],
    /// The registry in the form that `cli.mjs` embeds.
    cli: String,
}

#[derive(Serialize)]
struct CapabilityFacts {
    name: &'static str,
    /// The lowest level that includes the capability.
    level: &'static str,
    /// The titles of the operations that require the capability.
    opens: Vec<&'static str>,
}

#[derive(Serialize)]
struct ErrorFacts {
    status: u16,
    code: &'static str,
    message: &'static str,
    next: Option<Cow<'static, str>>,
}

#[derive(Serialize)]
struct StatusFacts {
    name: &'static str,
    editable: bool,
    meaning: &'static str,
}

/// An area with at least one operation.
#[derive(Serialize)]
struct AreaFacts {
    name: &'static str,
    description: &'static str,
    /// The number of operations of the area that are tools.
    tools: usize,
    operations: Vec<OperationFacts>,
}

/// A route that returns a page or a document.
#[derive(Serialize)]
struct PageFacts {
    title: &'static str,
    verb: &'static str,
    path: &'static str,
    public: bool,
}

#[derive(Serialize)]
struct OperationFacts {
    name: &'static str,
    former_names: &'static [&'static str],
    title: &'static str,
    verb: &'static str,
    path: &'static str,
    description: String,
    public: bool,
    session_only: bool,
    /// The capabilities that allow the operation; the caller needs one of them.
    capabilities: Vec<&'static str>,
    tool: bool,
    extension: bool,
    success: u16,
    refusals: Vec<u16>,
    fields: Vec<FieldFacts>,
    example: Option<ExampleFacts>,
}

#[derive(Serialize)]
struct FieldFacts {
    /// The field name, with the path of the objects that contain it.
    name: String,
    kind: String,
    required: bool,
    description: String,
}

#[derive(Serialize)]
struct ExampleFacts {
    curl: String,
    /// The recorded output, if it is short enough.
    answer: Option<String>,
    /// The JSON parameters of `tools/call`.
    call: String,
}

/// How clients install the server with a click or a command.
#[derive(Serialize)]
struct InstallFacts {
    cursor: String,
    vscode: String,
    vscode_web: String,
    /// The name of the marketplace for Claude Code.
    marketplace: String,
    /// Whether Claude Code accepts the plugin's address, which must be https.
    has_https: bool,
}

/// The profile for app directories.
#[derive(Serialize)]
struct DirectoryFacts {
    url: String,
    /// The tools that the profile leaves out.
    left_out: Vec<&'static str>,
}

/// The operation limit of custom GPT actions, and the tools beyond it.
#[derive(Serialize)]
struct GptFacts {
    operations: usize,
    left_out: Vec<String>,
}

impl<'a> Facts<'a> {
    pub(super) fn from_source(source: &'a Source<'a>) -> Self {
        let registry = source.registry;
        let capabilities = Capability::ALL
            .iter()
            .map(|c| CapabilityFacts::from_capability(*c, registry));
        let mut errors: Vec<_> = tools::error_codes()
            .map(|code| ErrorFacts::from_code(code, source.issuer))
            .collect();
        errors.sort_by_key(|error| error.status);
        Self {
            url: source.url,
            issuer: source.issuer,
            workdays: WORKDAYS,
            mcp_url: source.mcp_url(),
            privacy_url: source.privacy_url(),
            install: InstallFacts::from_source(source),
            directory: DirectoryFacts::from_source(source),
            version: API_VERSION,
            date: RELEASE_DATE,
            capabilities: capabilities.filter(|c| !c.opens.is_empty()).collect(),
            errors,
            statuses: EventStatus::ALL
                .iter()
                .map(StatusFacts::from_status)
                .collect(),
            areas: area_facts(source),
            pages: registry.pages.iter().map(PageFacts::from_page).collect(),
            gpt: GptFacts {
                operations: chatgpt::OPERATIONS,
                left_out: chatgpt::operations_over_limit(registry),
            },
            cli: cli::render_registry(source),
        }
    }
}

impl CapabilityFacts {
    fn from_capability(capability: Capability, registry: &Registry) -> Self {
        let opened = registry.operations.iter().filter(|operation| {
            let needed = operation.spec.access.capabilities();
            needed.contains(&capability)
        });
        Self {
            name: capability.as_str(),
            level: capability
                .min_level()
                .map_or("financeiro", |level| level.as_str()),
            opens: opened.map(|operation| operation.spec.title).collect(),
        }
    }
}

impl ErrorFacts {
    fn from_code(code: Code, issuer: Option<&str>) -> Self {
        let next = match issuer {
            Some(issuer) if code == Code::SESSION_REQUIRED => Some(sign_in_hint(issuer).into()),
            _ => code.next_step().map(Into::into),
        };
        Self {
            status: code.status(),
            code: code.as_str(),
            message: code.message(),
            next,
        }
    }
}

impl InstallFacts {
    fn from_source(source: &Source<'_>) -> Self {
        let url = source.mcp_url();
        Self {
            cursor: console::cursor_link(&url),
            vscode: console::vscode_link(&url),
            vscode_web: console::vscode_web_link(&url),
            marketplace: source.marketplace_name(),
            has_https: source.url.starts_with("https://"),
        }
    }
}

impl DirectoryFacts {
    fn from_source(source: &Source<'_>) -> Self {
        let specs = source.registry.operations.iter().map(|o| &o.spec);
        let left_out = specs.filter(|spec| spec.tool && spec.generates_media);
        Self {
            url: source.directory_url(),
            left_out: left_out.map(|spec| spec.name).collect(),
        }
    }
}

impl StatusFacts {
    fn from_status(status: &EventStatus) -> Self {
        Self {
            name: status.as_str(),
            editable: status.is_editable(),
            meaning: status.description(),
        }
    }
}

fn area_facts<'a>(source: &'a Source<'a>) -> Vec<AreaFacts> {
    let areas = source.registry.areas.iter().map(|area| {
        let operations = source.registry.operations.iter();
        let operations = operations.filter(|operation| operation.area.name == area.name);
        let operations: Vec<_> = operations
            .map(|o| OperationFacts::from_operation(o, source))
            .collect();
        AreaFacts {
            name: area.name,
            description: area.description,
            tools: operations.iter().filter(|operation| operation.tool).count(),
            operations,
        }
    });
    areas.filter(|area| !area.operations.is_empty()).collect()
}

impl PageFacts {
    fn from_page(page: &Registered) -> Self {
        let spec = &page.spec;
        Self {
            title: spec.title,
            verb: spec.verb.as_str(),
            path: spec.path,
            public: spec.access.is_public(),
        }
    }
}

impl OperationFacts {
    fn from_operation(operation: &Registered, source: &Source<'_>) -> Self {
        let spec = &operation.spec;
        let capabilities = spec.access.capabilities().iter();
        let example = source.examples.find_example(spec.name);
        Self {
            name: spec.name,
            former_names: spec.formerly,
            title: spec.title,
            verb: spec.verb.as_str(),
            path: spec.path,
            description: operation.description(),
            public: spec.access.is_public(),
            session_only: spec.access.requires_session(),
            capabilities: capabilities.map(|capability| capability.as_str()).collect(),
            tool: spec.is_model_tool(),
            extension: spec.extension,
            success: spec.success,
            refusals: spec.error_statuses(),
            fields: field_facts(operation),
            example: example.map(|example| ExampleFacts::from_example(example, operation)),
        }
    }
}

impl ExampleFacts {
    fn from_example(example: &Example, operation: &Registered) -> Self {
        let answer = example.answer.to_string();
        Self {
            curl: curl_command(operation, example),
            answer: (answer.len() <= LONGEST_ANSWER).then_some(answer),
            call: json!({ "name": operation.spec.name, "arguments": example.input }).to_string(),
        }
    }
}

/// Returns the input fields, including those of nested objects.
fn field_facts(operation: &Registered) -> Vec<FieldFacts> {
    let schema = Value::Object(operation.input_schema().clone());
    let mut found = object_fields("", &schema);
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        if operation
            .spec
            .file_field()
            .is_none_or(|file| file.name != name)
        {
            found.extend(object_fields(&format!("{name}."), field));
            found.extend(object_fields(&format!("{name}[]."), &field["items"]));
        }
    }
    found
}

/// Returns the fields of one object.
fn object_fields(path: &str, object: &Value) -> Vec<FieldFacts> {
    let required = object["required"].as_array();
    let properties = object["properties"].as_object().into_iter().flatten();
    let field = |(name, field): (&String, &Value)| FieldFacts {
        name: format!("{path}{name}"),
        kind: describe_type(field),
        required: required.is_some_and(|required| required.iter().any(|n| n == name)),
        description: escape_cell(field["description"].as_str().unwrap_or_default()),
    };
    properties.map(field).collect()
}

/// Escapes a text for a cell of a Markdown table.
fn escape_cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Describes the type and limits of a field in a few words.
fn describe_type(field: &Value) -> String {
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
