//! Code that the text providers share.

use std::time::Duration;

use gateway::{Code, Error, Result};
use serde_json::Value;

use super::api::{Api, is_showable_code};

/// The name of the product of these providers in error messages.
pub(super) const WHAT: &str = "textos";
/// The timeout of one request. The operation has a shorter timeout for all its requests together.
pub(super) const LONGEST: Duration = Duration::from_secs(60);

/// Returns the error for a request that the model refused.
pub(super) fn refused_error(code: &str) -> Error {
    unusable_error(
        code,
        "O modelo de textos recusou o pedido.",
        "Mude o pedido; repetir igual não deve adiantar.",
    )
}

/// Returns the error for a text that was truncated at a token limit of the model.
pub(super) fn truncated_error(code: &str) -> Error {
    unusable_error(
        code,
        "O texto do modelo veio cortado no limite dele.",
        "Peça um texto mais curto, ou com menos fontes.",
    )
}

fn unusable_error(code: &str, message: &'static str, next: &'static str) -> Error {
    let error = Error::new(Code::PROVIDER_FAILED)
        .because(message)
        .with_detail("next", next.into());
    match is_showable_code(code) {
        true => error.with_detail("provider_code", code.into()),
        false => error,
    }
}

/// Parses the JSON object in a text. Some models wrap it in a Markdown code block.
pub(super) fn parse_object(api: &Api, text: &str) -> Result<Value> {
    let text = text.trim();
    if text.is_empty() {
        return Err(api.malformed_error("a resposta veio sem texto"));
    }
    let fenced = text.strip_prefix("```json").or(text.strip_prefix("```"));
    let bare = fenced.and_then(|text| text.strip_suffix("```"));
    let value = serde_json::from_str(bare.unwrap_or(text)).ok();
    value
        .filter(Value::is_object)
        .ok_or_else(|| api.malformed_error("o texto não é o JSON pedido"))
}
