//! Checks the protocol version of a message before the protocol library receives it.

use axum::{
    http::{StatusCode, request::Parts},
    response::Response,
};
use gateway::{Input, to_printable};
use rmcp::model::{ErrorCode, ProtocolVersion};
use serde_json::{Map, Value, json};

use super::protocol_errors::error_response;

/// The field of `_meta` with the protocol version of a request.
pub(super) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const HEADER: &str = "mcp-protocol-version";

/// Rejects an unsupported protocol version (400 and -32022) and lists the supported versions.
///
/// If header and `_meta` contradict each other, the library reports that fault instead.
pub(super) fn refuse_version(parts: &Parts, envelope: &Input) -> Option<Response> {
    let header = String::from_utf8_lossy(parts.headers.get(HEADER)?.as_bytes());
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
    let data = Map::from_iter([
        ("requested".to_owned(), json!(to_printable(&header))),
        ("supported".to_owned(), json!(supported)),
    ]);
    let code = ErrorCode::UNSUPPORTED_PROTOCOL_VERSION;
    let refusal = (StatusCode::BAD_REQUEST, code, message.as_str());
    Some(error_response(parts, id, refusal, data))
}

/// Rejects `initialize` for stateless protocol versions (2026-07-28 and later), which do not have
/// this method (404 and -32601).
///
/// The protocol version is read from the header or from `_meta`. The version in the parameters of
/// `initialize` is only a proposal: a client of an older version may propose any version, and the
/// server answers with one that it supports.
pub(super) fn refuse_initialize(parts: &Parts, envelope: &Input) -> Option<Response> {
    let header = parts.headers.get(HEADER);
    let id = envelope.get("id").filter(|id| !id.is_null())?;
    let header = header.and_then(|value| value.to_str().ok());
    let versions = [header, declared_version(envelope)];
    if !versions.into_iter().flatten().any(is_stateless) {
        return None;
    }
    let code = ErrorCode::METHOD_NOT_FOUND;
    let refusal = (StatusCode::NOT_FOUND, code, "Método desconhecido.");
    Some(error_response(parts, id, refusal, Map::new()))
}

/// Returns the protocol version in the `_meta` of a message.
fn declared_version(envelope: &Input) -> Option<&str> {
    let meta = envelope.get("params")?.get("_meta")?;
    meta.get(VERSION)?.as_str()
}

/// Whether this protocol version is stateless, that is, 2026-07-28 or later. Versions are dates and
/// compare as text.
pub(super) fn is_stateless(version: &str) -> bool {
    version >= ProtocolVersion::V_2026_07_28.as_str()
}
