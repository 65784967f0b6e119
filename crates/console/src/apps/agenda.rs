use gateway::Result;
use maud::Markup;
use serde_json::Value;

use super::fragment::Fragment;
use crate::agenda;

/// Draws the agenda from the answer of `list_events`.
pub(super) async fn draw_agenda(fragment: &Fragment<'_>) -> Result<Markup> {
    let answer: Value = fragment.read_with_query("list_events").await?;
    agenda::draw_agenda_list(answer, fragment.base(), fragment.view.ctx.now)
}
