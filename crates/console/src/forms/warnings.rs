//! The warnings of an operation that a form called, shown on the next page.

use gateway::{Reply, Result};
use serde_json::Value;

use super::{for_people::warning_in_words, send::redirect_after};
use crate::{carried_warnings::carry_warnings, view::View};

/// Returns the warnings in the answer of an operation, reworded for pages.
pub(crate) fn warnings_in_words(view: &View<'_>, answer: &Value) -> Vec<String> {
    let warnings = answer["avisos"].as_array().into_iter().flatten();
    let warnings = warnings.filter_map(Value::as_str);
    warnings.map(|text| warning_in_words(view, text)).collect()
}

/// Redirects to a path of this service. The page shows which operation succeeded, and the warnings in
/// the answer of the operation.
pub(crate) fn redirect_with_warnings(
    view: &View<'_>,
    path: &str,
    operation: &str,
    answer: &Value,
) -> Result<Reply> {
    let texts = warnings_in_words(view, answer);
    carry_warnings(view, path, texts, |path| {
        redirect_after(view, path, operation)
    })
}
