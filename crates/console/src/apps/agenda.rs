use gateway::Result;
use serde_json::Value;

use super::given::Given;
use crate::agenda;

/// Draws the agenda from the answer of `list_events`.
pub(super) fn draw(answer: Value, given: &Given<'_>) -> Result<String> {
    Ok(agenda::listed(answer, given.base, given.now)?.into_string())
}
