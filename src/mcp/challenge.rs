//! The `WWW-Authenticate` challenge for a missing or insufficient credential, from which a client
//! starts an OAuth authorization (RFC 9728, section 5.1; RFC 6750, section 3).
//!
//! A tool that was not granted to the agent is hidden. A call to a hidden tool is rejected with 403
//! `insufficient_scope` if the agent's member could grant the tool, and otherwise like a call to an
//! unknown tool.

use axum::{
    http::{HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use domain::Capability;
use gateway::{Access, Code, Error, Input, Principal, Registry, Services};
use identity::authorization::{ALIAS, ALIAS_METADATA, RESOURCE_METADATA, challenged_scopes};
use rmcp::model::ErrorCode;
use serde_json::{Map, Value};

use super::{narrowing::Narrowing, protocol_errors::error_response};
use crate::http::ErrorAnswer;

/// Adds `WWW-Authenticate` to the error response for a missing or invalid credential.
pub(super) fn with_challenge(
    error: Error,
    services: &Services,
    path: &str,
    presented: bool,
) -> Response {
    let is_challenge = error.status() == 401;
    let public_url = &services.public_url;
    let mut response = ErrorAnswer(error).into_response();
    if is_challenge {
        let invalid = if presented {
            "error=\"invalid_token\", "
        } else {
            ""
        };
        let scope = challenged_scopes();
        set_challenge(
            &mut response,
            &format!(
                "Bearer {invalid}{}, scope=\"{scope}\"",
                resource_metadata_param(public_url, path)
            ),
        );
    }
    response
}

/// Returns the 403 response to a call for which the agent lacks a capability that its member can grant;
/// `None` in all other cases.
pub(super) fn insufficient_scope(
    principal: &Principal,
    registry: &Registry,
    narrowing: &Narrowing,
    envelope: &Input,
    (parts, public_url): (&Parts, &str),
) -> Option<Response> {
    let is_call = envelope.get("method").and_then(Value::as_str) == Some("tools/call");
    let name = envelope
        .get("params")?
        .get("name")?
        .as_str()
        .filter(|_| is_call)?;
    let operation = registry.find(name)?;
    let needed = principal
        .grantable_capability(operation.spec.access)
        .filter(|_| narrowing.admits_tool(operation))?;
    let id = envelope.get("id").cloned().unwrap_or_default();
    let refused = principal.missing_capability_error(needed);
    Some(step_up_challenge(
        principal,
        needed,
        &refused,
        (parts, &id, public_url),
    ))
}

/// Returns the 403 response if only the input of the call requires the missing capability; `None` in
/// all other cases.
pub(super) fn insufficient_scope_for_input(
    principal: &Principal,
    refused: &Error,
    request: (&Parts, &Value, &str),
) -> Option<Response> {
    if refused.code != Code::CAPABILITY_REQUIRED {
        return None;
    }
    let details = refused.body().details?;
    let needed = details.get("capability")?.as_str()?.parse().ok()?;
    let needed = principal.grantable_capability(Access::Member(needed))?;
    Some(step_up_challenge(principal, needed, refused, request))
}

/// Challenges for the agent's capabilities plus `needed`. The body is a JSON-RPC error, whose message
/// hosts show, with the code and details of `refused` in `data`.
fn step_up_challenge(
    principal: &Principal,
    needed: Capability,
    refused: &Error,
    (parts, id, public_url): (&Parts, &Value, &str),
) -> Response {
    let held = principal.capabilities.iter().chain([needed]);
    let scope: Vec<&str> = held.map(Capability::as_str).collect();
    let body = refused.body();
    let mut data = Map::new();
    data.insert("code".into(), body.code.into());
    data.extend(
        body.details
            .map(|details| ("details".to_owned(), details.into())),
    );
    let answer = (
        StatusCode::FORBIDDEN,
        ErrorCode::INVALID_REQUEST,
        &*body.error,
    );
    let mut response = error_response(parts, id, answer, data);
    let challenge = format!(
        "Bearer error=\"insufficient_scope\", scope=\"{}\", {}",
        scope.join(" "),
        resource_metadata_param(public_url, parts.uri.path())
    );
    set_challenge(&mut response, &challenge);
    response
}

/// Returns the challenge parameter with the metadata URL, for the endpoint path that the client used.
fn resource_metadata_param(public_url: &str, path: &str) -> String {
    let metadata = if path.trim_end_matches('/') == ALIAS {
        ALIAS_METADATA
    } else {
        RESOURCE_METADATA
    };
    format!("resource_metadata=\"{public_url}{metadata}\"")
}

fn set_challenge(response: &mut Response, challenge: &str) {
    if let Ok(value) = HeaderValue::from_str(challenge) {
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, value);
    }
}
