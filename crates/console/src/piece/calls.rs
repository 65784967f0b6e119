//! Calls that the pages of a piece make, and where they lead.

use domain::{random_text, sha256_hex};
use gateway::{CallInput, Code, Content, Error, Input, Reply, Result};
use maud::{Markup, html};
use serde_json::{Map, Value};

use crate::view::View;

/// The path of a piece.
pub(crate) fn path(id: &str) -> String {
    format!("/eventos/{id}")
}

/// Leads back to a piece, which says what was done.
pub(crate) fn done(view: &View<'_>, id: &str, operation: &str, place: &str) -> Reply {
    let to = format!("{}?feito={operation}{place}", path(id));
    Reply::new(Content::Redirect(view.at(&to)))
}

/// The answer of a write, as JSON.
pub(crate) async fn call(
    view: &View<'_>,
    operation: &str,
    input: impl Into<CallInput>,
) -> Result<Value> {
    let answer = view.ctx.call(operation, input).await?;
    Ok(serde_json::from_str(&answer.body.json()?)?)
}

/// The key of a form that another page than `action` receives. It has a name of its own, because the gateway
/// takes the key of the page's own call.
pub(crate) fn key_field() -> Markup {
    html! { input type="hidden" name="chave" value=(random_text::<18>()); }
}

/// The key of what a form asks for. What was typed is a part of it: the same form with another text
/// is another call.
pub(crate) fn key(form: Option<&str>, input: &Input) -> Option<String> {
    let form = form.filter(|key| !key.is_empty())?;
    let text = Value::Object(input.clone()).to_string();
    Some(format!("{form}.{}", &sha256_hex(text.as_bytes())[..16]))
}

/// The input of an operation, with its key.
pub(crate) fn keyed(form: Option<&str>, fields: Value) -> Input {
    let mut input: Map<String, Value> = match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    input.retain(|_, value| !value.is_null());
    if let Some(key) = key(form, &input) {
        input.insert("idempotency_key".into(), key.into());
    }
    input
}

/// A text as it is stored; browsers end lines with CR LF in forms.
pub(crate) fn typed(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// A text, unless it is blank.
pub(crate) fn given(text: &str) -> Option<String> {
    let text = typed(text);
    (!text.trim().is_empty()).then_some(text)
}

pub(crate) fn is_stale(error: &Error) -> bool {
    error.code == Code::STALE_REVISION
}
