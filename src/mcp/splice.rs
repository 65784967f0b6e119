//! The gateway's answer, put into the response as the text it already is.
//!
//! The protocol library holds structured content as a tree. Parsing a page of events into one,
//! only to write it again, costs more than the rest of the protocol; so the library is given a
//! mark in both places, and the text takes their place in what it wrote.

use std::sync::{Arc, OnceLock};

use axum::{
    body::{Body, Bytes},
    http::header,
    response::Response,
};
use http_body_util::BodyExt;
use rmcp::model::{CallToolResult, ContentBlock};

/// Stands for the answer. A string of the caller's (the id, which is echoed) cannot look like
/// the fields below: its quotes are escaped.
const MARK: &str = "pauta:answer";
const TEXT: &[u8] = br#""text":"pauta:answer""#;
const STRUCTURED: &[u8] = br#""structuredContent":"pauta:answer""#;

/// The answer of one call, on its way around the library.
#[derive(Clone, Default)]
pub(super) struct Answered(Arc<OnceLock<String>>);

impl Answered {
    /// A result that stands for this answer until [`Self::put_into`].
    pub(super) fn result(&self, answer: String) -> CallToolResult {
        let mut result = CallToolResult::success(vec![ContentBlock::text(MARK)]);
        result.structured_content = Some(MARK.into());
        // A request carries one call, which is answered once.
        let _ = self.0.set(answer);
        result
    }

    /// The response with the answer in its place.
    pub(super) async fn put_into(&self, response: Response) -> Response {
        let Some(answer) = self.0.get() else {
            return response;
        };
        let (mut parts, body) = response.into_parts();
        let written = match body.collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) => {
                tracing::error!(%error, "the protocol library failed");
                Bytes::new()
            }
        };
        parts.headers.remove(header::CONTENT_LENGTH);
        Response::from_parts(parts, Body::from(spliced(&written, answer)))
    }
}

fn spliced(written: &[u8], answer: &str) -> Vec<u8> {
    // Quotes are escaped in the copy as text: about an eighth more.
    let mut out = Vec::with_capacity(written.len() + answer.len() * 9 / 4);
    let mut rest = written;
    if let Some(at) = find(rest, TEXT) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(br#""text":"#);
        serde_json::to_writer(&mut out, answer).expect("text is written to memory");
        rest = &rest[at + TEXT.len()..];
    }
    if let Some(at) = find(rest, STRUCTURED) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(br#""structuredContent":"#);
        out.extend_from_slice(answer.as_bytes());
        rest = &rest[at + STRUCTURED.len()..];
    }
    out.extend_from_slice(rest);
    out
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_takes_the_place_of_both_marks() {
        let written = br#"{"id":"\"text\":\"pauta:answer\"","result":{"content":[{"type":"text","text":"pauta:answer"}],"structuredContent":"pauta:answer","isError":false}}"#;
        let out = spliced(written, r#"{"a":"b"}"#);
        let expected = r#"{"id":"\"text\":\"pauta:answer\"","result":{"content":[{"type":"text","text":"{\"a\":\"b\"}"}],"structuredContent":{"a":"b"},"isError":false}}"#;
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
