//! Runs one call of a tool. Both the endpoint and the protocol library dispatch calls here.

use std::sync::atomic::{AtomicUsize, Ordering};

use gateway::{Answer, Body, Confirm, Error, FittingPage, Input, Reader, Registered};
use rmcp::model::{ContentBlock, CreateTaskResult, InputRequiredResult, InputResponses};
use serde_json::Value;

use super::{
    absent,
    caller::Caller,
    confirmation, elicitation,
    extensions::MessageSize,
    lists,
    offered::OfferedTool,
    previews,
    results::{Called, LONGEST_RESULT, fit_output},
    rules, spelling, tasks,
};
use crate::intake::Given;

/// How a call ends.
pub(super) enum Outcome {
    Called(Called),
    /// The call has started work that continues after the response.
    Started(CreateTaskResult),
    /// The client must ask the user and then repeat the call with the answers.
    InputRequired(InputRequiredResult),
    Failed(Error),
}

/// Calls a tool that is visible to the caller, with unparsed arguments. `responses` are the user's
/// answers to the questions of an earlier [`Outcome::InputRequired`].
pub(super) async fn answer_call(
    caller: &Caller<'_>,
    tool: (&OfferedTool, &Registered),
    arguments: Option<Given>,
    size: MessageSize,
    responses: Option<&InputResponses>,
) -> Outcome {
    match call_tool(caller, tool, arguments, size, responses).await {
        Ok(called) => match tasks::find_started_task(caller, tool.1, &called).await {
            Some(task) => Outcome::Started(task),
            None => Outcome::Called(called),
        },
        Err(error) => {
            let confirmation = confirmation::confirmation_request(&error);
            let asked =
                confirmation.or_else(|| elicitation::connection_request(caller, &error, responses));
            match asked {
                Some(asked) => Outcome::InputRequired(asked),
                None => Outcome::Failed(error),
            }
        }
    }
}

async fn call_tool(
    caller: &Caller<'_>,
    (tool, operation): (&OfferedTool, &Registered),
    arguments: Option<Given>,
    size: MessageSize,
    responses: Option<&InputResponses>,
) -> Result<Called, Error> {
    let app = caller.app;
    let origin = caller.origin();
    let (mut held, mut renamed) = (None, vec![]);
    let shape = tool.shape(operation);
    let input = async {
        size.require_within_limit(&operation.spec)?;
        let mut input = match arguments {
            Some(given) => {
                app.intake
                    .parse_input(given, &operation.spec, &mut held)
                    .await?
            }
            None => Input::new(),
        };
        spelling::accept_published_names(&shape.renamed, &mut input)?;
        renamed = spelling::correct_names(operation.input_schema(), &mut input)?;
        absent::fill_nulls(&shape.nullable, &mut input);
        merge_key(caller, operation, &mut input)?;
        Ok(input)
    };
    let rows = shape.rows.as_deref();
    let fitted = AtomicUsize::new(0);
    let fitting_rows = |answer: &Answer| {
        let rows = rows_that_fit(rows?, answer)?;
        fitted.store(rows, Ordering::Relaxed);
        Some(rows)
    };
    let page: Option<FittingPage<'_>> = rows.is_some().then_some(&fitting_rows);
    let question = operation.spec.question.filter(|_| caller.can_show_forms());
    let require_confirmation = |input: &Value| match question {
        Some(question) => confirmation::require_confirmation(question, input, responses),
        None => Ok(()),
    };
    let confirm: Option<Confirm<'_>> = question.is_some().then_some(&require_confirmation);
    let reader = Reader { page, confirm };
    let gateway = &app.gateway;
    let answer =
        gateway.invoke_for_reader(operation, Some(caller.principal), &origin, input, reader);
    let answer = answer
        .await
        .map_err(|error| spelling::use_published_names(&shape.renamed, error))?;
    let body = fit_output(answer, operation, &gateway.registry)?;
    let mut shown: Vec<_> = spelling::renaming_hint(&renamed).into_iter().collect();
    if let rows @ 1.. = fitted.into_inner() {
        shown.push(ContentBlock::text(rules::after_fitted_page(rows)));
    }
    if operation.spec.pictures {
        shown.extend(previews::preview_blocks(app, &body).await);
    }
    Ok(Called { body, shown })
}

/// Takes the idempotency key from the metadata of the request if the arguments have none. Tools
/// without keys ignore it, as reads do over REST.
///
/// Fails with 400 if both are present and differ.
fn merge_key(caller: &Caller<'_>, operation: &Registered, input: &mut Input) -> Result<(), Error> {
    const FIELD: &str = "idempotency_key";
    let Some(key) = caller.idempotency_key().filter(|_| operation.spec.keyed) else {
        return Ok(());
    };
    match input.get(FIELD) {
        Some(given) if given != key => {
            let message = "difere de `_meta[\"idempotency-key\"]`; informe um só";
            Err(Error::invalid_field(FIELD, "const", message))
        }
        Some(_) => Ok(()),
        None => {
            input.insert(FIELD.into(), key.clone());
            Ok(())
        }
    }
}

/// Returns the number of rows to request if the list is too long for a tool result.
fn rows_that_fit(rows: &str, answer: &Answer) -> Option<usize> {
    match &answer.body {
        Body::Json(body) if body.len() > LONGEST_RESULT => {
            lists::count_fitting_rows(rows, body, LONGEST_RESULT)
        }
        _ => None,
    }
}
