//! JSON formatted for readers and for diffs.

use serde_json::Value;

/// Returns a JSON document, indented and with a newline at its end.
pub(super) fn to_pretty_json(document: &Value) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(document).expect("a JSON value is serialisable");
    text.push(b'\n');
    text
}
