//! The answers of operations that the page reads.

use domain::EventStatus;
use gateway::Result;
use serde::Deserialize;
use serde_json::json;

use crate::view::View;

/// The fields of an event that the page needs.
#[derive(Debug, Deserialize)]
pub(super) struct Event {
    pub id: String,
    pub title: String,
    pub channel: String,
    pub status: EventStatus,
    pub due_at: Option<String>,
    pub assignees_names: Vec<String>,
    pub refusal_reason: Option<String>,
}

/// A first step of the team.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Step {
    Convidar,
    CriarDemanda,
    ConectarRede,
    ConectarAgente,
}

/// The answer of `get_my_day`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Day {
    pub recusados: Vec<Event>,
    pub a_aprovar: Vec<Event>,
    pub atrasados: Vec<Event>,
    pub hoje: Vec<Event>,
    pub semana: Vec<Event>,
    pub primeiros_passos: Vec<Step>,
}

impl Day {
    pub async fn read(view: &View<'_>) -> Result<Self> {
        if !view.may_call("get_my_day") {
            return Ok(Self::default());
        }
        let mut day: Self = view.read("get_my_day", json!({})).await?;
        // Refused and pending events are in lists of their own, which are shown first.
        let listed = day.recusados.iter().chain(&day.a_aprovar);
        let listed: Vec<String> = listed.map(|event| event.id.clone()).collect();
        day.atrasados.retain(|event| !listed.contains(&event.id));
        Ok(day)
    }

    /// True if nothing waits for the viewer.
    pub fn has_no_work(&self) -> bool {
        self.recusados.is_empty() && self.a_aprovar.is_empty() && self.atrasados.is_empty()
    }
}
