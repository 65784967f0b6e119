use gateway::Result;
use serde_json::Value;

use super::given::Given;
use crate::agenda;

/// Draws the agenda from the answer of `list_events`.
pub(super) fn draw(answer: Value, context: &Given<'_>) -> Result<String> {
    Ok(agenda::listed(answer, context.base, context.now)?.into_string())
}
