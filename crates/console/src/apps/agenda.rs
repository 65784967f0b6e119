use gateway::Result;
use serde_json::Value;

use super::given::Given;
use crate::agenda;

/// Draws the agenda from the answer of `list_events`.
pub(super) fn draw_agenda(answer: Value, context: &Given<'_>) -> Result<String> {
    Ok(agenda::draw_agenda_list(answer, context.base, context.now)?.into_string())
}
