//! What a tool answers, within what a client can hold.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;
use tools::registry::{Answer, Code, Error};

/// A longer result is not sent: clients cut what they cannot hold.
const LONGEST_RESULT: usize = 100_000;

/// What of the answer a client can hold: all of it, or what the request did not bring itself.
pub(super) fn fitting(answer: Answer) -> Result<String, Error> {
    let fits = |body: &String| body.len() <= LONGEST_RESULT;
    Some(answer.body)
        .filter(fits)
        .or_else(|| answer.short.filter(fits))
        .ok_or_else(|| Error::new(Code::ResultTooLarge))
}

/// A refusal that an agent can act on: `CODE: mensagem`, the facts, and the next step.
///
/// Without structured content: clients validate that against the output schema.
pub(super) fn failure(error: &Error) -> CallToolResult {
    let body = error.body();
    let mut text = format!("{}: {}", body.code, body.error);
    if let Some(mut details) = body.details {
        let next = details.remove("next");
        details.remove("fields");
        // What REST says in a header.
        if let Some(seconds) = error.wait() {
            details.insert("retry_after".into(), seconds.into());
        }
        if !details.is_empty() {
            text.push_str(&format!("\nDetalhes: {}", Value::Object(details)));
        }
        if let Some(Value::String(next)) = next {
            text.push_str(&format!("\nPróximo passo: {next}"));
        }
    }
    CallToolResult::error(vec![ContentBlock::text(text)])
}
