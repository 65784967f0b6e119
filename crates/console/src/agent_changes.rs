//! The changes that agents made: the answer of `list_agent_activity`, and its sentences.

use domain::Revision;
use gateway::Result;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{links::resource_path, piece::words, text, view::View};

/// The maximum number of changes that the card of an agent shows.
const SHOWN: usize = 5;

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
    pub undo: Option<Undo>,
}

/// The operation that undoes a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Undo {
    ReopenEvent,
    SaveDraft,
}

impl Activity {
    /// Reads the changes that agents made since yesterday.
    pub async fn load_since_yesterday(view: &View<'_>) -> Result<Self> {
        Self::read(view, json!({})).await
    }

    /// Reads the changes that agents made today; with `own`, only the changes by the viewer's
    /// agents.
    pub async fn load_today(view: &View<'_>, own: bool) -> Result<Self> {
        let today = domain::time::brasilia_day(view.ctx.now).to_string();
        Self::read(view, json!({ "de": today, "meus": own })).await
    }

    async fn read(view: &View<'_>, input: Value) -> Result<Self> {
        match view.may_call("list_agent_activity") {
            true => view.read("list_agent_activity", input).await,
            false => Ok(Self::default()),
        }
    }

    /// Draws the changes that one agent or token made, for its card.
    pub fn draw_agent_changes(&self, view: &View<'_>, id: &str) -> Markup {
        let own: Vec<&Change> = self.mudancas.iter().filter(|c| c.agent_id == id).collect();
        let trail = format!("/auditoria?agente={id}");
        html! {
            @if !own.is_empty() {
                h4 { "Hoje" }
                ul class="plain-list did" {
                    @for change in own.iter().take(SHOWN) {
                        li {
                            time datetime=(change.occurred_at) { (text::format_iso_hour(&change.occurred_at)) }
                            " " (change.draw_sentence(view))
                        }
                    }
                    @if own.len() > SHOWN { li class="soft" { "e mais " (own.len() - SHOWN) } }
                }
                @if view.may_call("list_audit_events") {
                    a href=(view.href_to(&trail)) { "Tudo na auditoria" }
                }
            }
        }
    }
}

impl Change {
    /// The change in words, with a link to the page of the changed resource.
    pub fn draw_sentence(&self, view: &View<'_>) -> Markup {
        html! {
            (self.describe_change(view))
            @if let Some(path) = self.resource_page_path() {
                ": " a href=(view.href_to(&path)) dir="auto" { (self.title.as_deref().unwrap_or("abrir")) }
            }
        }
    }

    /// The verb for a change of a piece, otherwise the title of the operation.
    fn describe_change(&self, view: &View<'_>) -> String {
        let words = words::action_verb(&self.action, None);
        if words != self.action {
            return words.to_owned();
        }
        let title = view.operation_title(&self.action);
        title.map_or_else(|| self.action.clone(), |title| format!("fez “{title}”"))
    }

    /// The path of the page of the changed resource. `None` for a piece without a title, because
    /// the viewer may not see that piece.
    fn resource_page_path(&self) -> Option<String> {
        let (kind, id) = (self.resource_type.as_deref()?, self.resource_id.as_deref()?);
        let is_hidden = kind == "event" && self.title.is_none();
        resource_path(kind, id).filter(|_| !is_hidden)
    }
}
