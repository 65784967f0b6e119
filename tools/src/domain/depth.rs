//! How deep free JSON may be.

use serde_json::Value;

use crate::registry::{Error, Result};

/// Levels of lists and objects: readers of JSON stop at 128, and answers add their own.
const DEEPEST: usize = 64;

/// Refuses (400) a value with more levels of lists and objects than readers can follow.
pub(crate) fn require_depth(field: &str, value: &Value) -> Result<()> {
    if depth(value) > DEEPEST {
        let message = format!("deve ter no máximo {DEEPEST} níveis de listas e objetos");
        return Err(Error::invalid(field, "maxDepth", &message));
    }
    Ok(())
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
