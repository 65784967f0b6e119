//! The changes that agents made: the answer of `list_agent_activity`, and the sentences that describe
//! the changes.

use domain::{EventStatus, Revision};
use gateway::Result;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{links::resource_path, piece::words, text, view::View};

/// The answer of `list_agent_activity`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Activity {
    pub mudancas: Vec<Change>,
    pub ha_mais: bool,
}

/// A change that an agent made.
#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    pub occurred_at: String,
    pub agent_id: String,
    pub agent: Option<String>,
    pub actor_name: String,
    pub action: String,
    pub resource_type: Option<String>,
    pub resource_id: Option<String>,
    pub title: Option<String>,
    pub api_revision: Option<Revision>,
    /// The revision that the change made.
    pub revisao: Option<Revision>,
    /// The new status of the event, if the change set one.
    pub status: Option<EventStatus>,
    /// `pedir_ajustes` if the change asked for changes.
    pub decisao: Option<String>,
    /// The total number of changes that this agent made. Set only if the answer is grouped by agent
    /// (`por_agente`).
    pub do_agente: Option<usize>,
    pub undo: Option<Undo>,
}

/// The operation that undoes a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Undo {
    ReopenEvent,
    SaveDraft,
    UpdateEvent,
}

impl Activity {
    /// Reads the changes that agents made since yesterday.
    pub async fn load_since_yesterday(view: &View<'_>) -> Result<Self> {
        Self::read(view, json!({})).await
    }

    /// Reads the newest changes that each agent of a member made today.
    pub async fn load_today(view: &View<'_>, member_id: &str) -> Result<Self> {
        let today = domain::time::brasilia_day(view.ctx.now).to_string();
        let input = json!({ "de": today, "member_id": member_id, "por_agente": true });
        Self::read(view, input).await
    }

    async fn read(view: &View<'_>, input: Value) -> Result<Self> {
        match view.may_call("list_agent_activity") {
            true => view.read("list_agent_activity", input).await,
            false => Ok(Self::default()),
        }
    }

    /// Draws the changes that one agent or token made, for the card of the agent or token.
    pub fn draw_agent_changes(&self, view: &View<'_>, id: &str) -> Markup {
        let own: Vec<&Change> = self.mudancas.iter().filter(|c| c.agent_id == id).collect();
        let all = own.first().and_then(|change| change.do_agente);
        let more = all.unwrap_or_default().saturating_sub(own.len());
        let trail = format!("/auditoria?agente={id}");
        html! {
            @if !own.is_empty() {
                h4 { "Hoje" }
                ul class="plain-list did" {
                    @for change in &own {
                        li {
                            time datetime=(change.occurred_at) { (text::format_iso_hour(&change.occurred_at)) }
                            " " (change.draw_sentence(view))
                        }
                    }
                    @if more > 0 { li class="soft" { "e mais " (more) } }
                }
                @if view.may_call("list_audit_events") {
                    a href=(view.href_to(&trail)) { "Tudo na auditoria" }
                }
            }
        }
    }
}

impl Change {
    /// Draws the change in words, with a link to the page of the changed resource.
    pub fn draw_sentence(&self, view: &View<'_>) -> Markup {
        html! {
            (self.describe_change(view))
            @if let Some(path) = self.resource_page_path() {
                ": " a href=(view.href_to(&path)) dir="auto" { (self.title.as_deref().unwrap_or("abrir")) }
            }
        }
    }

    /// Returns the verb for a change of a piece. Any other change is named by the title of its
    /// operation.
    fn describe_change(&self, view: &View<'_>) -> String {
        if self.decisao.is_some() {
            return "pediu ajustes".into();
        }
        if self.action == "decide_approval" && self.title.is_none() {
            // A missing title means that the viewer may not see the piece, so the decision is not named
            // either.
            return "decidiu sobre uma peça".into();
        }
        let words = words::action_verb(&self.action, self.status);
        if words != self.action {
            return words.to_owned();
        }
        let title = view.operation_title(&self.action);
        title.map_or_else(|| self.action.clone(), |title| format!("fez “{title}”"))
    }

    /// Returns the path of the page of the changed resource. `None` for a piece without a title, because
    /// the viewer may not see that piece.
    fn resource_page_path(&self) -> Option<String> {
        let (kind, id) = (self.resource_type.as_deref()?, self.resource_id.as_deref()?);
        let is_hidden = kind == "event" && self.title.is_none();
        resource_path(kind, id).filter(|_| !is_hidden)
    }
}
