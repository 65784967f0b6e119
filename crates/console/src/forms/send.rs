//! Builds the input and idempotency key of the call that a form makes, and the redirect after the
//! call.

use domain::sha256_hex;
use gateway::{Content, Input, Reply, Result, offload};
use serde_json::Value;

use super::KEY_FIELD;
use crate::view::{View, input_without_nulls};

/// Builds an input from these fields, without null fields and with the idempotency key of the form.
pub(crate) async fn keyed_input(form_key: Option<&str>, fields: Value) -> Result<Input> {
    with_key(input_without_nulls(fields), form_key).await
}

/// Adds the idempotency key of a form to a complete input. A form without a key adds none.
pub(crate) async fn with_key(input: Input, form_key: Option<&str>) -> Result<Input> {
    let Some(form_key) = form_key.filter(|key| !key.is_empty()).map(str::to_owned) else {
        return Ok(input);
    };
    // The input may be as long as the longest form, so its digest is computed on a blocking thread.
    offload(move || {
        let mut input = input;
        let key = idempotency_key(&form_key, &input)?;
        input.insert(KEY_FIELD.into(), key.into());
        Ok(input)
    })
    .await?
}

/// Derives the idempotency key of a form from its random key and its input. An edited form has another
/// input and therefore another key, so the call is not refused with `IDEMPOTENCY_KEY_REUSED`.
fn idempotency_key(form_key: &str, input: &Input) -> Result<String> {
    let input = serde_json::to_string(input)?;
    Ok(sha256_hex(format!("{form_key}\n{input}").as_bytes()))
}

/// Redirects to a path of this service. The page shows which operation succeeded.
pub(crate) fn redirect_after(view: &View<'_>, path: &str, operation: &str) -> Reply {
    Reply::new(Content::Redirect(
        view.href_to(&add_done_operation(path, operation)),
    ))
}

/// Adds the name of the operation that succeeded to the query of a path.
fn add_done_operation(path: &str, operation: &str) -> String {
    let (page, fragment) = path.split_at(path.find('#').unwrap_or(path.len()));
    let mark = if page.contains('?') { '&' } else { '?' };
    format!("{page}{mark}feito={operation}{fragment}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_completed_operation_is_added_to_the_query_before_the_fragment() {
        assert_eq!(
            add_done_operation("/conta", "sign_out"),
            "/conta?feito=sign_out"
        );
        assert_eq!(
            add_done_operation("/?dia=1#a", "sign_out"),
            "/?dia=1&feito=sign_out#a"
        );
    }
}
