//! Activity of agents: the successful writes of personal tokens and connected agents, from the
//! audit trail.

use domain::{AuditEventId, EventStatus, MemberId, Revision, time::Millis};

use crate::{Bind, Conn, Result, columns};

/// One write of an agent.
#[derive(Debug)]
pub struct AgentAction {
    pub id: AuditEventId,
    pub occurred_at: Millis,
    pub action: String,
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
}

columns!(AgentAction {
    id,
    occurred_at,
    action,
    agent_id,
    agent,
    actor_name,
    resource_type,
    resource_id,
    title,
    status,
    api_revision,
});

impl AgentAction {
    /// True if the event that the action is about currently has this status.
    #[must_use]
    pub fn event_has_status(&self, status: EventStatus) -> bool {
        self.status.as_deref() == Some(status.as_str())
    }
}

/// The actions and event titles that a viewer sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// Actions of the viewer's own agents.
    Own,
    /// Actions of the viewer's own agents, and actions of other agents on events.
    Events,
    /// All actions.
    All,
}

const SELECT: &str = "
SELECT a.id, a.occurred_at, a.action, a.token_id AS agent_id, COALESCE(g.client_name, t.label) AS agent,
    m.name AS actor_name, a.resource_type, a.resource_id, e.title, e.status, e.api_revision
FROM audit_events a
JOIN members m ON m.id = a.actor_member_id
LEFT JOIN agents g ON g.id = a.token_id
LEFT JOIN personal_tokens t ON t.id = a.token_id
LEFT JOIN events e ON a.resource_type = 'event' AND e.id = a.resource_id AND {seen}
WHERE a.occurred_at >= $2 AND a.outcome = 'succeeded' AND a.token_id IS NOT NULL AND a.auth_method <> 'guest'
    AND {whose}
ORDER BY a.occurred_at DESC, a.id DESC LIMIT $3 + 0";

/// Lists the actions of agents since an instant, newest first; at most `probe`. If `own` is set,
/// lists only actions of the viewer's own agents.
pub async fn list(
    db: &Conn<'_>,
    viewer: &MemberId,
    (sight, own): (Sight, bool),
    since: Millis,
    probe: i64,
) -> Result<Vec<AgentAction>> {
    // Each condition uses `$1`, because PostgreSQL rejects a parameter that the statement does not
    // use.
    let whose = match sight {
        _ if own => "a.actor_member_id = $1",
        Sight::Own => "a.actor_member_id = $1",
        Sight::Events => "(a.actor_member_id = $1 OR a.resource_type = 'event')",
        Sight::All => "$1 <> ''",
    };
    let seen = match sight {
        Sight::Own => {
            "EXISTS (SELECT 1 FROM event_people p
                WHERE p.event_id = e.id AND p.member_id = a.actor_member_id)"
        }
        Sight::Events | Sight::All => "TRUE",
    };
    let sql = SELECT.replace("{seen}", seen).replace("{whose}", whose);
    let values = [viewer.value(), since.into(), probe.into()];
    let rows = db.fetch_all(&sql, values).await?;
    Ok(rows
        .iter()
        .map(crate::Row::read)
        .collect::<Result<_, _>>()?)
}
