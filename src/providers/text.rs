//! Code that the providers of texts share.

use std::time::Duration;

use gateway::{Code, Error, Result};
use serde_json::Value;

use super::api::{Api, is_plain};

/// The product of the providers, as error messages name it.
pub(super) const WHAT: &str = "textos";
/// The timeout of one request. The operation has a shorter one for all of its requests.
pub(super) const LONGEST: Duration = Duration::from_secs(60);

/// The error for a model that refused to write.
pub(super) fn refused(code: &str) -> Error {
    stopped(
        code,
        "O modelo de textos recusou o pedido.",
        "Mude o pedido; repetir igual não deve adiantar.",
    )
}

/// The error for a text that was cut at a limit of the model.
pub(super) fn cut(code: &str) -> Error {
    stopped(
        code,
        "O texto do modelo veio cortado no limite dele.",
        "Peça um texto mais curto, ou com menos fontes.",
    )
}

fn stopped(code: &str, message: &'static str, next: &'static str) -> Error {
    let error = Error::new(Code::PROVIDER_FAILED)
        .because(message)
        .with("next", next.into());
    match is_plain(code) {
        true => error.with("provider_code", code.into()),
        false => error,
    }
}

/// Parses the object in a text. Some servers wrap it in a block of Markdown.
pub(super) fn object(api: &Api, text: &str) -> Result<Value> {
    let text = text.trim();
    if text.is_empty() {
        return Err(api.malformed("a resposta veio sem texto"));
    }
    let fenced = text.strip_prefix("```json").or(text.strip_prefix("```"));
    let bare = fenced.and_then(|text| text.strip_suffix("```"));
    let value = serde_json::from_str(bare.unwrap_or(text)).ok();
    value
        .filter(Value::is_object)
        .ok_or_else(|| api.malformed("o texto não é o JSON pedido"))
}
