//! Merges path, query, headers and body into one JSON object.
//!
//! A URL-encoded form is refused if it has more fields than the operation takes values.

use axum::{
    body::Body,
    extract::{RawPathParams, rejection::RawPathParamsRejection},
    http::{HeaderMap, header, request::Parts},
};
use gateway::{
    CallInput, Code, Error, Input, InputForm, Registered, Result, WebhookDelivery, coerce,
    to_printable,
};
use serde_json::Value;

use super::form::SentForm;
use crate::{
    app::App,
    intake::{Incoming, Reservation},
};

const KEY_HEADER: &str = "idempotency-key";
const KEY_FIELD: &str = "idempotency_key";

/// Merges the input of an operation.
///
/// Refuses (400) a field that occurs more than once in path, query and body together. `held` keeps
/// the memory reservation of a large body for the duration of the call. `sent` keeps the text of a
/// form, so that it can be shown again.
pub(super) async fn merge_input(
    app: &App,
    operation: &Registered,
    params: Result<RawPathParams, RawPathParamsRejection>,
    parts: &Parts,
    body: Body,
    held: &mut Reservation,
    sent: &SentForm,
) -> Result<CallInput> {
    let spec = &operation.spec;
    let mut input = read_path_and_query(operation, params, parts)?;
    if let InputForm::Signed(_) = spec.input {
        let body = Incoming::new(&parts.headers, body);
        let body = body.read_rest_unauthenticated(&app.intake, spec.body_limit);
        let (body, room) = body
            .await?
            .ok_or_else(|| spec.too_large_error())?
            .into_parts();
        *held = room;
        return Ok(CallInput::Delivery(WebhookDelivery {
            headers: parts.headers.clone(),
            body,
        }));
    }
    if spec.has_body() {
        let body = read_body(app, operation, &parts.headers, body, held, sent).await?;
        for (name, value) in body {
            // OAuth clients send parameters of extensions, which must be ignored.
            if spec.is_page() && !takes_field(operation, &name) {
                continue;
            }
            if spec.query.contains(&name.as_str()) {
                return Err(unknown_field_error(&name));
            }
            insert_field(&mut input, &name, value)?;
        }
    }
    if spec.is_recorded() {
        merge_key(operation, &parts.headers, &mut input)?;
    }
    Ok(CallInput::Fields(input))
}

/// Reads the input fields of the path and the query.
pub(super) fn read_path_and_query(
    operation: &Registered,
    params: Result<RawPathParams, RawPathParamsRejection>,
    parts: &Parts,
) -> Result<Input> {
    let spec = &operation.spec;
    let mut input = Input::new();
    let params = params.map_err(|_| Error::not_found("endereço"))?;
    for (name, value) in &params {
        insert_field(&mut input, name, Value::String(value.to_owned()))?;
    }
    let has_body = spec.has_body();
    let query = parts.uri.query().unwrap_or_default();
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        // Browsers, caches and trackers add their own parameters to the address of a page.
        if spec.is_page() && !takes_field(operation, &name) {
            continue;
        }
        if has_body && !spec.query.contains(&&*name) {
            return Err(unknown_field_error(&name));
        }
        if spec.placeholders().any(|placeholder| placeholder == name) {
            return Err(duplicate_field_error(&name));
        }
        insert_field(
            &mut input,
            &name,
            coerce(operation.input_schema(), &name, text.into_owned()),
        )?;
    }
    Ok(input)
}

fn takes_field(operation: &Registered, name: &str) -> bool {
    let properties = operation.input_schema().get("properties");
    properties.is_some_and(|known| known.get(name).is_some())
}

pub(super) fn insert_field(input: &mut Input, name: &str, value: Value) -> Result<()> {
    match input.insert(name.to_owned(), value) {
        None => Ok(()),
        Some(_) => Err(duplicate_field_error(name)),
    }
}

pub(super) fn duplicate_field_error(name: &str) -> Error {
    Error::invalid_field(
        &to_printable(name),
        "unique",
        "foi informado mais de uma vez",
    )
}

pub(super) fn unknown_field_error(name: &str) -> Error {
    Error::invalid_field(
        &to_printable(name),
        "additionalProperties",
        "não é um parâmetro desta operação",
    )
}

/// Adds the idempotency key of the header to the input. If the input already has a key, the two
/// must be equal.
pub(super) fn merge_key(
    operation: &Registered,
    headers: &HeaderMap,
    input: &mut Input,
) -> Result<()> {
    let mut values = headers.get_all(KEY_HEADER).iter();
    let Some(value) = values.next() else {
        return Ok(());
    };
    if values.next().is_some() {
        return Err(duplicate_field_error("Idempotency-Key"));
    }
    if !operation.spec.keyed {
        let message = "não é aceito nesta operação, cuja entrada ou resposta é um segredo";
        return Err(Error::invalid_field(
            "Idempotency-Key",
            "additionalProperties",
            message,
        ));
    }
    let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
    match input.get(KEY_FIELD) {
        Some(Value::String(field)) if *field != text => {
            let message = "difere do cabeçalho Idempotency-Key; informe um só";
            Err(Error::invalid_field(KEY_FIELD, "const", message))
        }
        Some(_) => Ok(()),
        None => insert_field(input, KEY_FIELD, Value::String(text)),
    }
}

async fn read_body(
    app: &App,
    operation: &Registered,
    headers: &HeaderMap,
    body: Body,
    held: &mut Reservation,
    sent: &SentForm,
) -> Result<Input> {
    let spec = &operation.spec;
    let given = Incoming::new(headers, body).read_rest(&app.intake, spec.body_limit);
    let given = given.await?.ok_or_else(|| spec.too_large_error())?;
    if given.text.is_empty() {
        return Ok(Input::new());
    }
    match spec.input {
        InputForm::Ignored => Ok(Input::new()),
        InputForm::UrlEncoded | InputForm::Fields => {
            require_url_encoded(headers)?;
            sent.store_text(&given.text);
            let fields = app.intake.split_form(given, spec, held).await?;
            match spec.input {
                InputForm::Fields => Ok(list_form_fields(fields)),
                _ => merge_form_fields(operation, fields),
            }
        }
        InputForm::Json | InputForm::Multipart(_) | InputForm::File(_) | InputForm::Signed(_) => {
            if !is_json(headers) {
                return Err(Error::new(Code::UNSUPPORTED_MEDIA_TYPE));
            }
            app.intake.parse_input(given, spec, held).await
        }
    }
}

fn merge_form_fields(operation: &Registered, fields: Vec<(String, String)>) -> Result<Input> {
    let mut input = Input::new();
    for (name, text) in fields {
        let value = coerce(operation.input_schema(), &name, text);
        if !is_list_field(operation, &name) {
            insert_field(&mut input, &name, value)?;
        } else if let Value::Array(values) =
            input.entry(&*name).or_insert_with(|| Value::Array(vec![]))
        {
            values.push(value);
        }
    }
    Ok(input)
}

/// Converts the fields of a form to one input field: a list of names and values.
fn list_form_fields(fields: Vec<(String, String)>) -> Input {
    let fields = fields.into_iter().map(|(name, value)| {
        // Browsers end lines with CR LF in forms.
        let value = if value.contains('\r') {
            value.replace("\r\n", "\n")
        } else {
            value
        };
        let field = [("name", name), ("value", value)];
        Value::Object(
            field
                .map(|(name, text)| (name.to_owned(), text.into()))
                .into_iter()
                .collect(),
        )
    });
    Input::from_iter([("fields".to_owned(), fields.collect())])
}

fn require_url_encoded(headers: &HeaderMap) -> Result<()> {
    if body_media_type(headers) == "application/x-www-form-urlencoded" {
        return Ok(());
    }
    Err(Error::new(Code::UNSUPPORTED_MEDIA_TYPE)
        .with_detail("next", "Envie `application/x-www-form-urlencoded`.".into()))
}

/// Whether the field is a list. A form sends a list as several fields of the same name.
fn is_list_field(operation: &Registered, name: &str) -> bool {
    let property = operation.input_schema().get("properties");
    property.is_some_and(|known| known[name]["type"] == "array")
}

/// Returns the media type of a body, without parameters.
fn body_media_type(headers: &HeaderMap) -> String {
    let value = headers
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok());
    let essence = value
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// True if the media type is `application/json` or ends in `+json`, with any parameters.
pub fn is_json(headers: &HeaderMap) -> bool {
    let essence = body_media_type(headers);
    essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}
