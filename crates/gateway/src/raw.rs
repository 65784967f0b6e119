//! Routes that only HTTP can serve. They stand in the same table as the operations.

use super::Access;
use super::{
    Area,
    spec::{Verb, placeholders},
};

/// Which handler serves a raw route; the match over it is exhaustive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawKind {
    /// A public document, named by the last part of the path.
    Artifact,
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
    pub required: bool,
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
    /// Query parameters.
    pub query: &'static [RawParameter],
    pub error_form: ErrorForm,
}

impl RawRoute {
    /// A public document under `/api/ai/`.
    #[must_use]
    pub const fn artifact(
        area: Area,
        operation_id: &'static str,
        path: &'static str,
        content_type: &'static str,
        title: &'static str,
        description: &'static str,
    ) -> Self {
        Self {
            kind: RawKind::Artifact,
            operation_id,
            title,
            description,
            verb: Verb::Get,
            path,
            area,
            access: Access::Public,
            content_type,
            successes: &[304],
            errors: &[500, 503],
            query: &[],
            error_form: ErrorForm::Object,
        }
    }

    /// With these query parameters, which may be wrong.
    #[must_use]
    pub const fn query(self, query: &'static [RawParameter]) -> Self {
        Self {
            query,
            errors: &[400, 500, 503],
            ..self
        }
    }

    /// The last part of the path.
    #[must_use]
    pub fn file_name(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The names between braces in the path.
    pub fn placeholders(&self) -> impl Iterator<Item = &'static str> {
        placeholders(self.path)
    }
}
