//! Tool results, limited to a size that clients can handle.
//!
//! An output that is too large is replaced by the operation's short output, or by the result of
//! `Operation::omit_separately_readable_parts`. If the replacement is still too large, a write returns
//! an error that says that the write took effect. A list is read again with as many rows as fit
//! (`lists.rs`), so that the operation itself computes the cursor.

use gateway::{Answer, Code, Error, Registered, Registry};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value, json};

use super::excerpts;
use crate::artifacts::API_VERSION;

/// The successful result of a call.
pub(super) struct Called {
    /// The output, as the JSON text that REST would return.
    pub(super) body: String,
    /// Further content blocks: a hint, links and images.
    pub(super) shown: Vec<ContentBlock>,
}

/// Maximum bytes of a result. Clients truncate longer ones.
pub(super) const LONGEST_RESULT: usize = 100_000;

/// Returns the first of these forms of the output that fits into the limit: the complete output,
/// the output without values that the request contains or another tool can read, and a page with
/// excerpts of its long texts.
pub(super) fn fit_output(
    answer: Answer,
    operation: &Registered,
    registry: &Registry,
) -> Result<String, Error> {
    let fits = |body: &String| body.len() <= LONGEST_RESULT;
    let body = answer.body.into_json_text()?;
    if fits(&body) {
        return Ok(body);
    }
    let short = answer.short.filter(fits);
    let short = short.or_else(|| operation.shorten_answer(&body).filter(fits));
    let short = short.or_else(|| {
        let output = operation.output_schema();
        let fields = output.get("properties");
        let pages = fields.is_some_and(|fields| fields.get("next_cursor").is_some());
        pages.then(|| excerpts::shorten_to_fit(&output, &body, LONGEST_RESULT))?
    });
    short.ok_or_else(|| too_large_error(operation, registry))
}

/// Returns the error for an output that is too large. After a write it says that the write took effect,
/// so that the agent does not repeat the call.
fn too_large_error(operation: &Registered, registry: &Registry) -> Error {
    let refused = Error::new(Code::RESULT_TOO_LARGE);
    if !operation.spec.is_write() {
        return refused;
    }
    let kind = |operation: &Registered| operation.spec.resource.map(|(resource, _)| resource.kind);
    let reads = registry.operations.iter().find(|other| {
        let reads = other.spec.tool && !other.spec.is_write();
        reads && kind(other).is_some() && kind(other) == kind(operation)
    });
    let next = match reads {
        Some(reads) => format!(
            "Não repita a chamada: leia com `{}` como ficou.",
            reads.spec.name
        ),
        None => "Não repita a chamada: leia como ficou.".into(),
    };
    refused
        .because("A chamada teve efeito, mas o resultado é grande demais para uma ferramenta.")
        .with_detail("next", next.into())
}

/// Converts a result to the protocol library's type.
pub(super) fn to_call_result(called: Called) -> serde_json::Result<CallToolResult> {
    let structured = serde_json::from_str(&called.body)?;
    let mut result = CallToolResult::success(vec![ContentBlock::text(called.body)]);
    result.content.extend(called.shown);
    result.structured_content = Some(structured);
    Ok(result)
}

/// Returns the `_meta` that names this server in every result for a modern client.
pub(super) fn server_meta() -> MetaObject {
    let mut meta = MetaObject::new();
    meta.insert(
        "io.modelcontextprotocol/serverInfo".into(),
        json!({ "name": "pauta", "title": "Pauta", "version": API_VERSION }),
    );
    meta
}

/// Converts an error to a tool result: `CODE: mensagem`, the details, the next step, and the id of
/// the request, with which the operator finds the request in the log.
///
/// The result has no structured content, because clients would validate that against the output
/// schema.
pub(super) fn to_error_result(error: &Error, request_id: &str) -> CallToolResult {
    let body = error.body();
    let mut details = body.details.unwrap_or_default();
    details.remove("fields");
    // REST returns the seconds in the header `Retry-After`.
    if let Some(seconds) = error.retry_after_seconds() {
        details.insert("retry_after".into(), seconds.into());
    }
    let text = error_text(body.code, &body.error, details, request_id);
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Returns the text of an error: its code and message, its details, and the next step in them.
pub(super) fn error_text(
    code: &str,
    message: &str,
    mut details: Map<String, Value>,
    request_id: &str,
) -> String {
    let mut text = format!("{code}: {message}");
    let next = details.remove("next");
    if !details.is_empty() {
        text.push_str(&format!("\nDetalhes: {}", Value::Object(details)));
    }
    if let Some(Value::String(next)) = next {
        text.push_str(&format!("\nPróximo passo: {next}"));
    }
    text.push_str(&format!("\nPedido: {request_id}"));
    text
}
