//! JSON-RPC errors. Each contains the id of its request in `data.request_id`, with which the
//! operator finds the request in the log. The header `x-request-id` has the same id, but hosts show
//! an agent only the message.
//!
//! In every protocol version, a server may add fields to `data`. The fields that an error code
//! defines, such as `supported`, are kept.

use axum::{
    body::{Body, to_bytes},
    http::{HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use gateway::Error;
use rmcp::model::ErrorCode;
use serde::Deserialize;
use serde_json::{Map, Value, json, value::RawValue};

use crate::http::RequestId;

/// The field of `data` with the id of the request.
const REQUEST_ID: &str = "request_id";

/// Returns the id of a request, as written to the log.
pub(super) fn request_id(parts: &Parts) -> &str {
    let id = parts.extensions.get::<RequestId>();
    id.map(|id| &*id.0).unwrap_or_default()
}

/// Returns the response with a JSON-RPC error. `id` is the JSON-RPC id of the message.
pub(super) fn error_response(
    parts: &Parts,
    id: &Value,
    (status, code, message): (StatusCode, ErrorCode, &str),
    mut data: Map<String, Value>,
) -> Response {
    data.insert(REQUEST_ID.into(), request_id(parts).into());
    let error = json!({ "code": code.0, "message": message, "data": data });
    let message = json!({ "jsonrpc": "2.0", "id": id, "error": error });
    let media_type = [(header::CONTENT_TYPE, "application/json")];
    (status, media_type, message.to_string()).into_response()
}

/// Adds the id of the request to the response if it is a JSON-RPC error.
pub(super) async fn with_request_id(
    response: Response,
    request_id: &str,
) -> Result<Response, Error> {
    let media_type = response.headers().get(header::CONTENT_TYPE);
    if media_type != Some(&HeaderValue::from_static("application/json")) {
        return Ok(response);
    }
    let (mut parts, body) = response.into_parts();
    let text = to_bytes(body, usize::MAX).await.map_err(Error::internal)?;
    let Some(named) = add_request_id(&text, request_id) else {
        return Ok(Response::from_parts(parts, Body::from(text)));
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    Ok(Response::from_parts(parts, Body::from(named)))
}

/// Returns the message with the id of the request; `None` if it is not an error.
fn add_request_id(text: &[u8], request_id: &str) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    struct Outline<'m> {
        #[serde(borrow)]
        error: Option<&'m RawValue>,
    }
    let outline: Outline<'_> = serde_json::from_slice(text).ok()?;
    outline.error?;
    let mut message: Value = serde_json::from_slice(text).ok()?;
    let data = &mut message["error"]["data"];
    match data {
        Value::Object(fields) => drop(fields.insert(REQUEST_ID.into(), request_id.into())),
        Value::Null => *data = json!({ REQUEST_ID: request_id }),
        // Only an object can receive a field.
        _ => return None,
    }
    Some(message.to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_data(error: &Value, data: Option<&Value>) {
        let message = json!({ "jsonrpc": "2.0", "id": 7, "error": error });
        let named = add_request_id(message.to_string().as_bytes(), "r1");
        let named: Option<Value> =
            named.map(|text| serde_json::from_slice(&text).expect("a message"));
        assert_eq!(named.as_ref().map(|named| &named["error"]["data"]), data);
        if let Some(named) = named {
            assert_eq!(
                (&named["id"], &named["error"]["code"]),
                (&json!(7), &error["code"])
            );
        }
    }

    #[test]
    fn the_request_id_is_added_to_the_data_of_an_error() {
        let id = json!({ "request_id": "r1" });
        assert_data(&json!({ "code": -32602, "message": "x" }), Some(&id));
        assert_data(
            &json!({ "code": -1, "message": "x", "data": null }),
            Some(&id),
        );
        let given = json!({ "code": -32022, "message": "x", "data": { "supported": ["a"] } });
        let both = json!({ "supported": ["a"], "request_id": "r1" });
        assert_data(&given, Some(&both));
        assert_data(
            &json!({ "code": -1, "message": "x", "data": "texto" }),
            None,
        );
        assert!(add_request_id(br#"{"jsonrpc":"2.0","id":1,"result":{"error":1}}"#, "r").is_none());
    }
}
