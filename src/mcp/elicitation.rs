//! URL-mode elicitation: when a call fails because a social network is not connected, asks the user
//! to connect it.
//!
//! Nothing is stored between the failed call and its repetition, which looks the connection up
//! again. Only clients of revision 2026-07-28 are asked, because only they declare in each request
//! that they can open URLs.
//!
//! An error with the detail `conectar_em` becomes an `input_required` result with a URL that the
//! user opens.

use std::collections::BTreeMap;

use domain::Capability;
use gateway::Error;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, InputRequest, InputRequiredResult, InputResponses,
};
use serde_json::Value;
use tools::publishing::CONNECT_AT;

use super::{caller::Caller, results::server_meta};

/// The key of the elicitation request, and of its response.
const QUESTION: &str = "conexao";

/// Returns an elicitation request if the error has a URL and the member may connect networks.
/// `None` if the user has just declined.
pub(super) fn connection_request(
    caller: &Caller<'_>,
    error: &Error,
    responses: Option<&InputResponses>,
) -> Option<InputRequiredResult> {
    let body = error.body();
    let url = body.details.as_ref()?.get(CONNECT_AT)?.as_str()?;
    let connects = caller.principal.member.session_capabilities();
    if !caller.can_open_urls() || !connects.contains(Capability::Connections) {
        return None;
    }
    let answer = responses.and_then(|given| given.get(QUESTION)?.get("action"));
    if answer.is_some_and(|action| action != "accept") {
        return None;
    }
    let why = body.details.as_ref()?.get("next").and_then(Value::as_str);
    let params = ElicitRequestParams::UrlElicitationParams {
        meta: None,
        message: why.unwrap_or(&body.error).to_owned(),
        url: url.to_owned(),
        elicitation_id: String::new(),
    };
    Some(question_result(QUESTION, params))
}

/// Returns the tool result that makes the client ask the user one question.
pub(super) fn question_result(name: &str, params: ElicitRequestParams) -> InputRequiredResult {
    let question = InputRequest::Elicitation(ElicitRequest::new(params));
    let questions = BTreeMap::from([(name.to_owned(), question)]);
    InputRequiredResult::from_input_requests(questions).with_meta(server_meta())
}
