//! Checks the protocol version of a message before the protocol library receives it.

use axum::{
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use gateway::{Input, to_printable};
use rmcp::model::{ErrorCode, ProtocolVersion};
use serde_json::{Value, json};

/// The field of `_meta` with the protocol version of a request.
pub(super) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const HEADER: &str = "mcp-protocol-version";

/// Rejects an unsupported protocol version (400 and -32022) and lists the supported versions.
///
/// If header and `_meta` contradict each other, the library reports that fault instead.
pub(super) fn refuse_version(headers: &HeaderMap, envelope: &Input) -> Option<Response> {
    let header = String::from_utf8_lossy(headers.get(HEADER)?.as_bytes());
    let supported = ProtocolVersion::KNOWN_VERSIONS;
    let is_known = supported.iter().any(|version| version.as_str() == header);
    if is_known || declared_version(envelope).is_some_and(|declared| declared != header) {
        return None;
    }
    let supported: Vec<&str> = supported.iter().map(ProtocolVersion::as_str).collect();
    let message = format!(
        "Este serviço não fala essa versão do protocolo. As que fala: {}.",
        supported.join(", ")
    );
    let id = envelope.get("id").unwrap_or(&Value::Null);
    let data = json!({ "requested": to_printable(&header), "supported": supported });
    let code = ErrorCode::UNSUPPORTED_PROTOCOL_VERSION;
    let error = json!({ "code": code.0, "message": message, "data": data });
    Some(error_response(StatusCode::BAD_REQUEST, id, &error))
}

/// Rejects `initialize` in the stateless era, which has no such method (404 and -32601).
///
/// The era follows from the header or from `_meta`, not from the version in the parameters: a
/// client of the earlier era may propose any version there, and the response offers a supported
/// one.
pub(super) fn refuse_initialize(headers: &HeaderMap, envelope: &Input) -> Option<Response> {
    let header = headers.get(HEADER);
    let id = envelope.get("id").filter(|id| !id.is_null())?;
    let header = header.and_then(|value| value.to_str().ok());
    let versions = [header, declared_version(envelope)];
    if !versions.into_iter().flatten().any(is_stateless) {
        return None;
    }
    let code = ErrorCode::METHOD_NOT_FOUND;
    let error = json!({ "code": code.0, "message": "Método desconhecido." });
    Some(error_response(StatusCode::NOT_FOUND, id, &error))
}

/// The protocol version in the `_meta` of a message.
fn declared_version(envelope: &Input) -> Option<&str> {
    let meta = envelope.get("params")?.get("_meta")?;
    meta.get(VERSION)?.as_str()
}

fn error_response(status: StatusCode, id: &Value, error: &Value) -> Response {
    let message = json!({ "jsonrpc": "2.0", "id": id, "error": error });
    let media_type = [(header::CONTENT_TYPE, "application/json")];
    (status, media_type, message.to_string()).into_response()
}

/// Whether the version belongs to the stateless era. Versions are dates and compare as text.
pub(super) fn is_stateless(version: &str) -> bool {
    version >= ProtocolVersion::V_2026_07_28.as_str()
}
