//! Narrowing: a client can remove tools from its list, but cannot add any.

use axum::http::request::Parts;
use gateway::{Error, Principal, Registered, Result, to_printable};
use tools::AREAS;

use crate::artifacts::DIRECTORY_PROFILE;

/// The tools that the client requests: `?toolsets=` or `X-MCP-Toolsets`, `?readonly=` or
/// `X-MCP-Readonly`, and `?perfil=`.
#[derive(Debug, Clone, Default)]
pub struct Narrowing {
    /// The requested toolsets of each parameter and header. A tool must be in all of them.
    toolsets: Vec<Vec<&'static str>>,
    read_only: bool,
    /// Whether the list is for an app directory, which refuses servers that generate media.
    for_directory: bool,
}

impl Narrowing {
    /// Reads the narrowing from query and headers.
    ///
    /// Fails (400) if a toolset or profile does not exist or `readonly` is neither true nor false.
    pub fn from_parts(parts: &Parts) -> Result<Self> {
        let mut narrowing = Self::default();
        let query = parts.uri.query().unwrap_or_default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "toolsets" => narrowing.toolsets.push(parse_toolsets("toolsets", &value)?),
                "readonly" => narrowing.read_only |= parse_flag("readonly", &value)?,
                "perfil" if value == DIRECTORY_PROFILE => narrowing.for_directory = true,
                "perfil" => {
                    let message = format!("deve ser `{DIRECTORY_PROFILE}`");
                    return Err(Error::invalid_field("perfil", "enum", &message));
                }
                _ => {
                    let message = "não é um parâmetro deste endereço; há `toolsets`, `readonly` e \
                                   `perfil`";
                    return Err(Error::invalid_field(
                        &to_printable(&name),
                        "additionalProperties",
                        message,
                    ));
                }
            }
        }
        for value in parts.headers.get_all("x-mcp-toolsets") {
            let text = String::from_utf8_lossy(value.as_bytes());
            narrowing
                .toolsets
                .push(parse_toolsets("X-MCP-Toolsets", &text)?);
        }
        for value in parts.headers.get_all("x-mcp-readonly") {
            let text = String::from_utf8_lossy(value.as_bytes());
            narrowing.read_only |= parse_flag("X-MCP-Readonly", &text)?;
        }
        Ok(narrowing)
    }

    /// Whether the caller may call this operation and the client has not hidden its tool.
    pub fn shows_tool(&self, operation: &Registered, caller: &Principal) -> bool {
        caller.authorize(operation.spec.access).is_ok() && self.admits_tool(operation)
    }

    /// Whether the operation is a tool that the client has not hidden.
    pub(super) fn admits_tool(&self, operation: &Registered) -> bool {
        let Registered { spec, area, .. } = operation;
        let in_view = self.toolsets.iter().all(|names| names.contains(&area.name));
        spec.tool
            && (!self.read_only || !spec.is_recorded())
            && (!self.for_directory || !spec.generates_media)
            && (in_view || spec.always_listed)
    }
}

fn parse_toolsets(field: &str, text: &str) -> Result<Vec<&'static str>> {
    let names = text
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    names
        .map(|name| {
            let known = AREAS.iter().find(|area| area.name == name);
            known.map(|area| area.name).ok_or_else(|| {
                let known: Vec<&str> = AREAS.iter().map(|area| area.name).collect();
                Error::invalid_field(
                    field,
                    "enum",
                    &format!("deve listar áreas: {}", known.join(", ")),
                )
            })
        })
        .collect()
}

fn parse_flag(field: &str, text: &str) -> Result<bool> {
    match text.trim() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(Error::invalid_field(
            field,
            "enum",
            "deve ser `true` ou `false`",
        )),
    }
}
