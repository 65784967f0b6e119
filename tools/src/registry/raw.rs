//! Routes that only HTTP can serve. They stand in the same table as the operations.

use super::spec::{Access, Area, Verb, placeholders};

/// Which handler serves a raw route; the match over it is exhaustive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawKind {
    OpenapiJson,
    OpenapiYaml,
    Mcp,
    Media,
}

/// How a route words its refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorForm {
    /// The error object.
    Object,
    /// JSON-RPC errors beside the error object.
    JsonRpc,
    /// Plain text for 403, nothing for the others.
    Media,
}

/// A parameter of a raw route.
#[derive(Debug, Clone, Copy)]
pub struct RawParameter {
    pub name: &'static str,
    pub pattern: &'static str,
    /// Portuguese; published.
    pub description: &'static str,
}

/// A route without a JSON input and output.
#[derive(Debug, Clone, Copy)]
pub struct RawRoute {
    pub kind: RawKind,
    pub operation_id: &'static str,
    pub title: &'static str,
    /// Portuguese; published.
    pub description: &'static str,
    pub verb: Verb,
    pub path: &'static str,
    pub area: Area,
    pub access: Access,
    pub content_type: &'static str,
    /// Statuses of success beside 200.
    pub successes: &'static [u16],
    pub errors: &'static [u16],
    /// Required query parameters.
    pub query: &'static [RawParameter],
    pub error_form: ErrorForm,
}

impl RawRoute {
    /// The names between braces in the path.
    pub fn placeholders(&self) -> impl Iterator<Item = &'static str> {
        placeholders(self.path)
    }
}
