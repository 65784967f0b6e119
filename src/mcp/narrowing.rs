//! Narrowing by the client: it can hide tools, and never gain any.

use axum::http::request::Parts;
use gateway::{Error, Principal, Registered, Result, printable};
use tools::AREAS;

/// The narrowing that the client requests: `?toolsets=` / `X-MCP-Toolsets`, `?readonly=` /
/// `X-MCP-Readonly`.
#[derive(Debug, Clone, Default)]
pub struct Narrowing {
    /// The requested toolsets. An operation must be in every list.
    toolsets: Vec<Vec<&'static str>>,
    read_only: bool,
}

impl Narrowing {
    /// Reads query and headers.
    ///
    /// Refused (400) when a toolset does not exist or `readonly` is neither true nor false.
    pub fn of(parts: &Parts) -> Result<Self> {
        let mut narrowing = Self::default();
        let query = parts.uri.query().unwrap_or_default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "toolsets" => narrowing.toolsets.push(areas("toolsets", &value)?),
                "readonly" => narrowing.read_only |= flag("readonly", &value)?,
                _ => {
                    let message = "não é um parâmetro deste endereço; há `toolsets` e `readonly`";
                    return Err(Error::invalid(
                        &printable(&name),
                        "additionalProperties",
                        message,
                    ));
                }
            }
        }
        for value in parts.headers.get_all("x-mcp-toolsets") {
            let text = String::from_utf8_lossy(value.as_bytes());
            narrowing.toolsets.push(areas("X-MCP-Toolsets", &text)?);
        }
        for value in parts.headers.get_all("x-mcp-readonly") {
            let text = String::from_utf8_lossy(value.as_bytes());
            narrowing.read_only |= flag("X-MCP-Readonly", &text)?;
        }
        Ok(narrowing)
    }

    /// Whether this caller sees and may call this operation as a tool now.
    pub fn shows(&self, operation: &Registered, caller: &Principal) -> bool {
        caller.authorize(operation.spec.access).is_ok() && self.admits(operation)
    }

    /// Whether the operation is a tool that the client has not hidden.
    pub(super) fn admits(&self, operation: &Registered) -> bool {
        let Registered { spec, area, .. } = operation;
        let in_view = self.toolsets.iter().all(|names| names.contains(&area.name));
        spec.tool && (!self.read_only || !spec.is_recorded()) && (in_view || spec.always_listed)
    }
}

fn areas(field: &str, text: &str) -> Result<Vec<&'static str>> {
    let names = text
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    names
        .map(|name| {
            let known = AREAS.iter().find(|area| area.name == name);
            known.map(|area| area.name).ok_or_else(|| {
                let known: Vec<&str> = AREAS.iter().map(|area| area.name).collect();
                Error::invalid(
                    field,
                    "enum",
                    &format!("deve listar áreas: {}", known.join(", ")),
                )
            })
        })
        .collect()
}

fn flag(field: &str, text: &str) -> Result<bool> {
    match text.trim() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(Error::invalid(field, "enum", "deve ser `true` ou `false`")),
    }
}
