//! One JSON object out of path, query, headers and body.

use std::{borrow::Cow, fmt};

use axum::{
    body::{Body, to_bytes},
    extract::{RawPathParams, rejection::RawPathParamsRejection},
    http::{HeaderMap, header, request::Parts},
};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};
use tools::registry::{Code, Error, Input, Registered, Result, coerce};

const KEY_HEADER: &str = "idempotency-key";
const KEY_FIELD: &str = "idempotency_key";

/// Merges what the operation takes from each place.
///
/// Refused (400) when a name is given twice, in one place or in two.
pub(super) async fn merge(
    operation: &Registered,
    params: Result<RawPathParams, RawPathParamsRejection>,
    parts: &Parts,
    body: Body,
) -> Result<Input> {
    let spec = &operation.spec;
    let mut input = Input::new();
    let params = params.map_err(|_| Error::not_found("endereço"))?;
    for (name, value) in &params {
        put(&mut input, name, Value::String(value.to_owned()))?;
    }
    let has_body = spec.has_body();
    let query = parts.uri.query().unwrap_or_default();
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        if has_body && !spec.query.contains(&&*name) {
            return Err(unknown(&name));
        }
        if spec.placeholders().any(|placeholder| placeholder == name) {
            return Err(twice(&name));
        }
        put(
            &mut input,
            &name,
            coerce(&operation.input_schema, &name, text.into_owned()),
        )?;
    }
    if has_body {
        for (name, value) in read_body(operation, &parts.headers, body).await? {
            if spec.query.contains(&name.as_str()) {
                return Err(unknown(&name));
            }
            put(&mut input, &name, value)?;
        }
    }
    if spec.is_write() {
        merge_key(operation, &parts.headers, &mut input)?;
    }
    Ok(input)
}

pub(super) fn put(input: &mut Input, name: &str, value: Value) -> Result<()> {
    match input.insert(name.to_owned(), value) {
        None => Ok(()),
        Some(_) => Err(twice(name)),
    }
}

pub(super) fn twice(name: &str) -> Error {
    Error::invalid(&printable(name), "unique", "foi informado mais de uma vez")
}

pub(super) fn unknown(name: &str) -> Error {
    Error::invalid(
        &printable(name),
        "additionalProperties",
        "não é um parâmetro desta operação",
    )
}

pub(super) fn printable(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(80).collect()
}

/// The header and the field are the same key; a different one in each is refused.
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
        return Err(twice("Idempotency-Key"));
    }
    if !operation.spec.keyed {
        let message = "não é aceito nesta operação, cuja entrada ou resposta é um segredo";
        return Err(Error::invalid(
            "Idempotency-Key",
            "additionalProperties",
            message,
        ));
    }
    let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
    match input.get(KEY_FIELD) {
        Some(Value::String(field)) if *field != text => {
            let message = "difere do cabeçalho Idempotency-Key; informe um só";
            Err(Error::invalid(KEY_FIELD, "const", message))
        }
        Some(_) => Ok(()),
        None => put(input, KEY_FIELD, Value::String(text)),
    }
}

async fn read_body(
    operation: &Registered,
    headers: &HeaderMap,
    body: Body,
) -> Result<Map<String, Value>> {
    let limit = operation.spec.body_limit;
    let too_large = || operation.spec.too_large();
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|v| v.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > limit) {
        return Err(too_large());
    }
    let bytes = to_bytes(body, limit).await.map_err(|error| {
        let source: &(dyn std::error::Error + 'static) = &error;
        let over = std::iter::successors(Some(source), |e| e.source())
            .any(<dyn std::error::Error>::is::<http_body_util::LengthLimitError>);
        if over {
            too_large()
        } else {
            Error::invalid("corpo", "json", "não chegou inteiro")
        }
    })?;
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    if !is_json(headers) {
        return Err(Error::new(Code::UnsupportedMediaType));
    }
    match serde_json::from_slice::<Unique>(&bytes) {
        Ok(Unique {
            twice: Some(name), ..
        }) => Err(twice(&name)),
        Ok(Unique { map, .. }) => Ok(map),
        Err(error) if error.is_data() => {
            Err(Error::invalid("corpo", "type", "deve ser um objeto JSON"))
        }
        Err(error) => Err(Error::invalid("corpo", "json", &not_json(&error))),
    }
}

/// Where it breaks off, and why where that is hard to see: an escape that is half a character.
fn not_json(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let reason = error.to_string();
    if reason.contains("surrogate") || reason.contains("end of hex escape") {
        return format!(
            "tem um escape \\u pela metade, sem o seu par substituto (linha {line}, coluna {column})"
        );
    }
    format!("não é JSON válido (linha {line}, coluna {column})")
}

/// `application/json`, or a type that ends in `+json`, whatever its parameters.
pub fn is_json(headers: &HeaderMap) -> bool {
    let value = headers
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok());
    let essence = value
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// A JSON object that notices a name given twice, which `serde_json::Map` would swallow.
struct Unique {
    map: Map<String, Value>,
    twice: Option<String>,
}

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = Unique;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Unique, A::Error> {
                let mut found = Unique {
                    map: Map::new(),
                    twice: None,
                };
                while let Some((name, value)) = access.next_entry::<Cow<'de, str>, Value>()? {
                    if found.map.contains_key(&*name) {
                        found.twice.get_or_insert_with(|| name.to_string());
                    }
                    found.map.insert(name.into_owned(), value);
                }
                Ok(found)
            }
        }
        deserializer.deserialize_map(Names)
    }
}
