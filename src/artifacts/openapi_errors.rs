//! The error responses in the OpenAPI document.

use domain::{Capability, Lack};
use gateway::{Code, Error, ErrorForm, Registry, Spec};
use serde_json::{Value, json};

/// Returns an error response as plain text.
pub(super) fn text_error_response() -> Value {
    json!({
        "description": "Recusado, com o motivo em uma linha.",
        "content": { "text/plain": { "schema": { "type": "string" } } },
    })
}

/// Returns an error response without a body.
pub(super) fn empty_error_response() -> Value {
    json!({ "description": "Recusado, sem corpo." })
}

pub(super) fn error_schema() -> Value {
    json!({
        "type": "object",
        "description": "Objeto de erro.",
        "properties": {
            "error": { "type": "string", "description": "Mensagem de diagnóstico para pessoas." },
            "code": {
                "type": "string",
                "description": "Código estável para programas.",
                "enum": tools::error_codes().map(Code::as_str).collect::<Vec<_>>(),
            },
            "details": {
                "type": "object",
                "description": "Diagnóstico acionável: `fields`, `current`, `capability`, `next`…",
            },
        },
        "required": ["error"],
    })
}

/// Returns an example error object for this status.
fn example_error(status: u16) -> Value {
    let error = match status {
        400 => Error::invalid_field("expected_revision", "required", "é obrigatório"),
        403 => Error::capability_required(Capability::Approve, Lack::Role),
        404 => Error::not_found("evento"),
        409 => Error::stale_revision(7),
        413 => Error::body_too_large(gateway::BODY_LIMIT),
        _ => {
            let mut codes = tools::error_codes().filter(|code| code.status() == status);
            Error::new(
                codes
                    .next()
                    .expect("every documented status belongs to a code"),
            )
        }
    };
    serde_json::to_value(error.body()).expect("an error is serialisable")
}

pub(super) fn error_reference(status: u16) -> Value {
    json!({ "$ref": format!("#/components/responses/Error{status}") })
}

/// Builds one shared error response per status, with a list of its error codes.
pub(super) fn error_responses(registry: &Registry) -> Value {
    let objects = |spec: &Spec| {
        let mut statuses = spec.error_statuses();
        let has_object =
            |status: &u16| !matches!(spec.error_form(*status), ErrorForm::Text | ErrorForm::Empty);
        statuses.retain(has_object);
        statuses
    };
    let mut statuses: Vec<u16> = registry
        .all_entries()
        .flat_map(|r| objects(&r.spec))
        .collect();
    statuses.sort_unstable();
    statuses.dedup();
    let response = |status: u16| {
        let codes: Vec<String> = tools::error_codes()
            .filter(|code| code.status() == status)
            .map(|code| format!("`{}`", code.as_str()))
            .collect();
        let mut response = json!({
            "description": format!("Recusado: {}.", codes.join(", ")),
            "content": { "application/json": {
                "schema": { "$ref": "#/components/schemas/Error" },
                "example": example_error(status),
            } },
        });
        if status == 429 {
            response["headers"] = json!({
                "Retry-After": {
                    "description": "Segundos até uma nova tentativa.",
                    "schema": { "type": "integer" },
                },
            });
        }
        (format!("Error{status}"), response)
    };
    Value::Object(statuses.into_iter().map(response).collect())
}
