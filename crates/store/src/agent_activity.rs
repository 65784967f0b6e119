//! Activity of agents: the successful writes of personal tokens and connected agents, from the
//! audit trail.

use domain::{AuditEventId, EventId, EventStatus, MemberId, Revision, time::Millis};

use crate::{Bind, Conn, Result, columns, conditions::Conditions, history::ChangedAt};

/// One write of an agent.
#[derive(Debug)]
pub struct AgentAction {
    pub id: AuditEventId,
    pub occurred_at: Millis,
    pub action: String,
    pub actor_member_id: MemberId,
    /// The id of the agent or token.
    pub agent_id: String,
    /// The name of the agent or token; `None` if it was deleted.
    pub agent: Option<String>,
    pub actor_name: String,
    pub resource_type: Option<String>,
    pub resource_id: Option<String>,
    /// The title of the event that the action is about, if the viewer may see that event.
    pub title: Option<String>,
    /// The current status of that event.
    pub status: Option<String>,
    /// The current revision of that event.
    pub api_revision: Option<Revision>,
    /// The total number of actions of the agent, in a list with a maximum for each agent.
    pub of_agent: Option<i64>,
}

columns!(AgentAction {
    id,
    occurred_at,
    action,
    actor_member_id,
    agent_id,
    agent,
    actor_name,
    resource_type,
    resource_id,
    title,
    status,
    api_revision,
    of_agent,
});

impl AgentAction {
    /// Returns the event, the author and the instant of the change that the action made. Returns `None`
    /// if the action is not about an event, or the viewer may not see the event.
    #[must_use]
    pub fn event_change(&self) -> Option<ChangedAt> {
        self.title.as_ref()?;
        let event = EventId::from_stored(self.resource_id.clone()?)?;
        Some((event, self.actor_member_id.clone(), self.occurred_at))
    }

    /// True if the event that the action is about currently has this status.
    #[must_use]
    pub fn event_has_status(&self, status: EventStatus) -> bool {
        self.status.as_deref() == Some(status.as_str())
    }
}

/// Which actions and event titles a viewer sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// Actions of the viewer's own agents.
    Own,
    /// Actions of the viewer's own agents, and actions of other agents on events.
    Events,
    /// All actions.
    All,
}

/// The filter of a list of actions.
#[derive(Debug)]
pub struct Wanted<'a> {
    pub viewer: &'a MemberId,
    pub sight: Sight,
    /// Only actions of agents of each of these members. Two different members match no action.
    pub members: [Option<&'a MemberId>; 2],
    /// The maximum number of actions of each agent; the newest are kept. `None` if one agent may fill
    /// the list.
    pub most_of_agent: Option<i64>,
    pub since: Millis,
    /// The maximum number of rows.
    pub probe: i64,
}

const SELECT: &str = "
SELECT a.id, a.occurred_at, a.action, a.actor_member_id, a.token_id AS agent_id,
    COALESCE(g.client_name, t.label) AS agent, m.name AS actor_name, a.resource_type, a.resource_id,
    e.title, e.status, e.api_revision, a.of_agent
FROM ({actions}) a
JOIN members m ON m.id = a.actor_member_id
LEFT JOIN agents g ON g.id = a.token_id
LEFT JOIN personal_tokens t ON t.id = a.token_id
LEFT JOIN events e ON a.resource_type = 'event' AND e.id = a.resource_id AND {seen}
ORDER BY a.occurred_at DESC, a.id DESC";

/// Selects the newest actions. The condition of the index `audit_events_agents` is repeated verbatim,
/// because the planner does not use the index otherwise.
const ACTIONS: &str = "
SELECT w.id, w.occurred_at, w.action, w.actor_member_id, w.token_id, w.resource_type, w.resource_id,
    {of_agent} AS of_agent
FROM audit_events w
WHERE w.occurred_at >= {since} AND w.token_id IS NOT NULL AND w.outcome = 'succeeded'
    AND w.auth_method <> 'guest' AND w.actor_member_id IS NOT NULL{whose}";

/// The position of an action among the actions of its agent, newest first, and the number of these
/// actions.
const PLACE_AND_COUNT: &str = "row_number() OVER (PARTITION BY w.token_id
        ORDER BY w.occurred_at DESC, w.id DESC) AS place,
    count(*) OVER (PARTITION BY w.token_id)";

/// Lists the actions of agents since an instant, newest first.
pub async fn list(db: &Conn<'_>, wanted: &Wanted<'_>) -> Result<Vec<AgentAction>> {
    let mut query = Conditions::default();
    let since = query.bind(wanted.since);
    let mut whose = String::new();
    let own = match wanted.sight {
        Sight::All => None,
        Sight::Own | Sight::Events => Some(query.bind(wanted.viewer.value())),
    };
    match (wanted.sight, own) {
        (Sight::Own, Some(own)) => whose.push_str(&format!(" AND w.actor_member_id = {own}")),
        (Sight::Events, Some(own)) => whose.push_str(&format!(
            " AND (w.actor_member_id = {own} OR w.resource_type = 'event')"
        )),
        _ => {}
    }
    for member in wanted.members.into_iter().flatten() {
        let member = query.bind(member.value());
        whose.push_str(&format!(" AND w.actor_member_id = {member}"));
    }
    let seen = match wanted.sight {
        Sight::Own => {
            "EXISTS (SELECT 1 FROM event_people p
                WHERE p.event_id = e.id AND p.member_id = a.actor_member_id)"
        }
        Sight::Events | Sight::All => "TRUE",
    };
    let actions = |of_agent: &str| {
        ACTIONS
            .replace("{of_agent}", of_agent)
            .replace("{since}", &since)
            .replace("{whose}", &whose)
    };
    let probe = query.bind(wanted.probe);
    let actions = match wanted.most_of_agent {
        None => format!(
            "{} ORDER BY w.occurred_at DESC, w.id DESC LIMIT {probe} + 0",
            actions("CAST(NULL AS BIGINT)")
        ),
        Some(most) => format!(
            "SELECT * FROM ({}) n WHERE n.place <= {}
             ORDER BY n.occurred_at DESC, n.id DESC LIMIT {probe} + 0",
            actions(PLACE_AND_COUNT),
            query.bind(most)
        ),
    };
    let sql = SELECT
        .replace("{seen}", seen)
        .replace("{actions}", &actions);
    let rows = db.fetch_all(&sql, query.values).await?;
    Ok(rows
        .iter()
        .map(crate::Row::read)
        .collect::<Result<_, _>>()?)
}
