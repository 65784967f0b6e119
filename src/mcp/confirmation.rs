//! Confirmation of calls that cannot be undone, by form elicitation.
//!
//! A client of protocol version 2026-07-28 can declare in a request that it shows forms. Before
//! such a call (`Spec::asks_first`), this client is asked to show a form, and it repeats the call
//! with the user's answer. The question comes after the guard and the validation, so the user is
//! not asked about a call that would be refused. It comes before the idempotency key is reserved,
//! so the key stays free. The audit trail records each question as a refused call.
//!
//! Other clients are not asked, because only a form shows whether a user or a model has answered.
//! For these clients the tools have `destructiveHint`, so their hosts can ask on their own, and the
//! same call has the same result over REST and MCP. A confirmation token that the model must repeat
//! would not prove that a user has confirmed, and the published examples would fail over MCP.
//!
//! Nothing is stored between the question and the answer, and the answer is not signed, so the
//! service trusts the host. The question protects a user from a mistake of an agent. It does not
//! protect the service from a host, which could make the call without declaring that it shows
//! forms.

use gateway::{Code, Error, Result};
use rmcp::model::{ElicitRequestParams, ElicitationSchema, InputRequiredResult, InputResponses};
use serde_json::Value;

use super::elicitation;

/// The key of the question, and of its answer.
const QUESTION: &str = "confirmacao";
/// The field of the form.
const FIELD: &str = "confirmo";

/// The maximum number of input fields that the question shows, one per line, and the maximum length
/// of each value in characters.
const LINES: usize = 12;
const LONGEST_LINE: usize = 200;

const REQUIRED: Code = Code::new(
    "CONFIRMATION_REQUIRED",
    409,
    "Uma pessoa precisa confirmar antes.",
);
const DECLINED: Code = Code::new(
    "NOT_CONFIRMED",
    409,
    "A pessoa não confirmou; nada foi feito.",
)
.with_next_step("Não repita a chamada sem que a pessoa peça de novo.");

/// Refuses a call that the user has not confirmed. The question shows `input` to the user.
pub(super) fn require_confirmation(
    question: &str,
    input: &Value,
    responses: Option<&InputResponses>,
) -> Result<()> {
    match responses.and_then(|given| read_answer(given.get(QUESTION)?)) {
        Some(true) => Ok(()),
        Some(false) => Err(Error::new(DECLINED)),
        None => Err(Error::new(REQUIRED).because(describe_call(question, input))),
    }
}

/// Returns the request for confirmation that replaces a refusal by [`require_confirmation`]; `None` for
/// other errors.
pub(super) fn confirmation_request(refused: &Error) -> Option<InputRequiredResult> {
    if refused.code != REQUIRED {
        return None;
    }
    let form = ElicitationSchema::builder()
        .required_bool_property(FIELD, |field| field.title("Confirmo").with_default(false))
        .build();
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: refused.body().error,
        requested_schema: form.expect("the form has its required field"),
    };
    Some(elicitation::question_result(QUESTION, params))
}

/// Whether the user confirmed; `None` if the response contains no answer, so that the user is asked
/// again.
fn read_answer(response: &Value) -> Option<bool> {
    match response.get("action")?.as_str()? {
        "accept" => response.get("content")?.get(FIELD)?.as_bool(),
        "decline" | "cancel" => Some(false),
        _ => None,
    }
}

/// Returns the question, followed by the fields of the input, one per line. The values come from an
/// agent, so line breaks in them are removed: otherwise a value could imitate another field.
fn describe_call(question: &str, input: &Value) -> String {
    let mut text = question.to_owned();
    let fields = input.as_object().into_iter().flatten();
    let shown = fields.filter(|(_, value)| !value.is_null());
    for (name, value) in shown.take(LINES) {
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let line = domain::visible_line(&value);
        let mut line: String = line.chars().take(LONGEST_LINE + 1).collect();
        if line.chars().count() > LONGEST_LINE {
            line.pop();
            line.push('…');
        }
        text.push_str(&format!("\n{name}: {line}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_question_shows_each_input_field_on_one_line() {
        let input = json!({
            "caption": "Uma\nlegenda\u{202e} longa ".repeat(40), "mediaIds": ["a", "b"], "nada": null,
        });
        let text = describe_call("Publicar?", &input);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert_eq!(lines[0], "Publicar?");
        assert!(
            lines[1].starts_with("caption: Uma") && lines[1].ends_with('…'),
            "{text}"
        );
        assert!(lines[1].chars().count() <= "caption: ".len() + LONGEST_LINE + 1);
        assert!(!text.contains('\u{202e}'), "{text:?}");
        assert_eq!(lines[2], r#"mediaIds: ["a","b"]"#);
    }

    #[test]
    fn a_malformed_response_is_not_an_answer() {
        let read = |response: Value| read_answer(&response);
        assert_eq!(
            read(json!({ "action": "accept", "content": { "confirmo": true } })),
            Some(true)
        );
        assert_eq!(
            read(json!({ "action": "accept", "content": { "confirmo": false } })),
            Some(false)
        );
        for action in ["decline", "cancel"] {
            let response = json!({ "action": action, "content": { "confirmo": true } });
            assert_eq!(read(response), Some(false));
        }
        for unclear in [
            json!({}),
            json!(7),
            json!({ "action": "accept" }),
            json!({ "action": "accept", "content": { "confirmo": "true" } }),
            json!({ "action": "accept", "content": null }),
            json!({ "action": "talvez" }),
            json!({ "action": true }),
        ] {
            assert_eq!(read(unclear.clone()), None, "{unclear}");
        }
    }
}
