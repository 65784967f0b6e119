//! Distinguishes the two protocol eras before the protocol library sees a message.

use axum::{
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use gateway::Input;
use rmcp::model::{ErrorCode, ProtocolVersion};
use serde_json::json;

/// The field of `_meta` that names the revision of a request.
pub(super) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The answer to this `initialize` when it is of the stateless era, which has no such method: 404 and -32601.
///
/// The header or the `_meta` tells the era. The version in the parameters does not: a client of
/// the earlier era may offer any, and is told one that it can speak.
pub(super) fn refuse_initialize(headers: &HeaderMap, envelope: &Input) -> Option<Response> {
    let header = headers.get("mcp-protocol-version");
    let id = envelope.get("id").filter(|id| !id.is_null())?;
    let meta = envelope
        .get("params")
        .and_then(|params| params.get("_meta"));
    let declared = meta.and_then(|meta| meta.get(VERSION)?.as_str());
    let versions = [header.and_then(|value| value.to_str().ok()), declared];
    if !versions.into_iter().flatten().any(is_stateless) {
        return None;
    }
    let error = json!({
        "jsonrpc": "2.0",
        "id": id,
        "error": { "code": ErrorCode::METHOD_NOT_FOUND.0, "message": "Método desconhecido." },
    });
    let media_type = [(header::CONTENT_TYPE, "application/json")];
    Some((StatusCode::NOT_FOUND, media_type, error.to_string()).into_response())
}

/// Versions are dates, which compare as text.
pub(super) fn is_stateless(version: &str) -> bool {
    version >= ProtocolVersion::V_2026_07_28.as_str()
}
