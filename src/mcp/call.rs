//! One call of a tool, whether the endpoint or the protocol library dispatched it.

use gateway::{Answer, Body, Error, Input, Merged, Registered};

use super::{
    absent,
    caller::Caller,
    extensions::MessageSize,
    lists,
    offered::OfferedTool,
    previews,
    results::{Called, LONGEST_RESULT, fitting},
    spelling,
};
use crate::intake::Given;

/// Calls a tool that the caller sees, with the arguments as they came.
pub(super) async fn call(
    caller: &Caller<'_>,
    (tool, operation): (&OfferedTool, &Registered),
    arguments: Option<Given>,
    size: MessageSize,
) -> Result<Called, Error> {
    let app = caller.app;
    let origin = caller.origin();
    let (mut held, mut asked) = (None, None);
    let input = async {
        size.require(&operation.spec)?;
        let mut input = match arguments {
            Some(given) => app.intake.parse(given, &operation.spec, &mut held).await?,
            None => Merged::default(),
        };
        let shape = tool.shape(operation);
        let fields = &mut input.fields;
        spelling::correct(operation.input_schema(), fields);
        absent::fill(&shape.nullable, fields);
        merge_key(caller, operation, fields)?;
        if let Some(rows) = &shape.rows {
            asked = Some((rows, fields.clone()));
        }
        Ok(input)
    };
    let gateway = &app.gateway;
    let answer = gateway.invoke(operation, Some(caller.principal), &origin, input);
    let mut answer = answer.await?;
    if let Some((rows, asked)) = asked
        && let Some(shorter) = page_that_fits(rows, &answer, asked)
    {
        let input = async { Ok(shorter) };
        let again = gateway.invoke(operation, Some(caller.principal), &origin, input);
        answer = again.await?;
    }
    let body = fitting(answer, operation, &gateway.registry)?;
    let shown = if operation.spec.pictures {
        previews::of(app, &body).await
    } else {
        vec![]
    };
    Ok(Called { body, shown })
}

/// Takes the key from the metadata of the request where the arguments have none. Tools without keys
/// ignore it, as reads do over REST.
///
/// Refused (400) when both have one and they differ.
fn merge_key(caller: &Caller<'_>, operation: &Registered, input: &mut Input) -> Result<(), Error> {
    const FIELD: &str = "idempotency_key";
    let Some(key) = caller.key().filter(|_| operation.spec.keyed) else {
        return Ok(());
    };
    match input.get(FIELD) {
        Some(given) if given != key => {
            let message = "difere de `_meta[\"idempotency-key\"]`; informe um só";
            Err(Error::invalid(FIELD, "const", message))
        }
        Some(_) => Ok(()),
        None => {
            input.insert(FIELD.into(), key.clone());
            Ok(())
        }
    }
}

/// The input that asks for the rows that fit, where the list is too long for a tool result. It has
/// to be read again: only the operation knows the cursor after another row.
fn page_that_fits(rows: &str, answer: &Answer, mut asked: Input) -> Option<Input> {
    let count = match &answer.body {
        Body::Json(body) if body.len() > LONGEST_RESULT => {
            lists::fitting(rows, body, LONGEST_RESULT)?
        }
        _ => return None,
    };
    asked.insert("limit".into(), count.into());
    Some(asked)
}
