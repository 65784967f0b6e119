//! A calendar as shown in responses.

use schemars::JsonSchema;
use serde::Serialize;

use domain::{CalendarFeedId, EventStatus, MemberId, ProjectId, time::Timestamp};
use store::calendar_feeds::CalendarFeed;

/// Um calendário, sem o endereço.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CalendarFeedView {
    id: CalendarFeedId,
    nome: String,
    /// Se mostra só as peças que você criou ou de que é responsável.
    minhas: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<EventStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assignee_id: Option<MemberId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tipo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<ProjectId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    q: Option<String>,
    created_at: Timestamp,
    /// A última leitura por um programa; nulo quando nenhum leu.
    last_read_at: Option<Timestamp>,
}

impl CalendarFeedView {
    pub(super) fn id(&self) -> &str {
        self.id.as_str()
    }
}

impl From<CalendarFeed> for CalendarFeedView {
    fn from(feed: CalendarFeed) -> Self {
        let filter = feed.filter;
        Self {
            id: feed.id,
            nome: feed.name,
            minhas: filter.own,
            status: filter.status,
            channel: filter.channel,
            assignee_id: filter.assignee_id,
            tipo: filter.tag,
            project_id: filter.project_id,
            q: filter.text,
            created_at: Timestamp(feed.created_at),
            last_read_at: feed.last_read_at.map(Timestamp),
        }
    }
}
