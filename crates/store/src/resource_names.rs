//! The current names of resources, for lists that only have their kinds and ids.

use std::collections::{BTreeSet, HashMap};

use sea_orm::Value;

use crate::{Conn, Result};

/// For each kind of resource, the start of a statement that selects the kind, the id and the name
/// of its resources. The list of ids is appended.
///
/// People of the timeline are omitted, because their names are personal data. Kinds whose ids are
/// already names, such as `skill` and `config`, are omitted too.
const NAMED: [(&str, &str); 13] = [
    (
        "agent",
        "SELECT 'agent' AS kind, id, client_name AS name FROM agents WHERE id",
    ),
    (
        "calendar_feed",
        "SELECT 'calendar_feed' AS kind, id, name FROM calendar_feeds WHERE id",
    ),
    (
        "event",
        "SELECT 'event' AS kind, id, title AS name FROM events WHERE id",
    ),
    (
        "guest_link",
        "SELECT 'guest_link' AS kind, id, guest_name AS name FROM guest_links WHERE id",
    ),
    (
        "knowledge",
        "SELECT 'knowledge' AS kind, id, title AS name FROM knowledge_documents WHERE id",
    ),
    (
        "launch",
        "SELECT 'launch' AS kind, project_id AS id, name FROM launches WHERE project_id",
    ),
    (
        "media",
        "SELECT 'media' AS kind, id, alt AS name FROM media WHERE alt IS NOT NULL AND id",
    ),
    (
        "member",
        "SELECT 'member' AS kind, id, name FROM members WHERE id",
    ),
    (
        "project",
        "SELECT 'project' AS kind, id, name FROM projects WHERE id",
    ),
    (
        "publication",
        "SELECT 'publication' AS kind, p.id, e.title AS name
         FROM publications p JOIN events e ON e.id = p.event_id WHERE p.id",
    ),
    (
        "remark",
        "SELECT 'remark' AS kind, r.id, e.title AS name
         FROM remarks r JOIN events e ON e.id = r.event_id WHERE r.id",
    ),
    (
        "token",
        "SELECT 'token' AS kind, id, label AS name FROM personal_tokens WHERE id",
    ),
    (
        "webhook",
        "SELECT 'webhook' AS kind, id, description AS name FROM webhooks WHERE id",
    ),
];

/// Loads the names by kind and id. Deleted resources and resources without a name are missing.
pub async fn load_names(
    db: &Conn<'_>,
    resources: &BTreeSet<(&str, &str)>,
) -> Result<HashMap<(String, String), String>> {
    let (mut statements, mut values) = (vec![], Vec::<Value>::new());
    for (kind, select) in NAMED {
        let ids = resources.iter().filter(|(named, _)| *named == kind);
        let mut places = vec![];
        for (_, id) in ids {
            values.push((*id).into());
            places.push(format!("${}", values.len()));
        }
        if !places.is_empty() {
            statements.push(format!("{select} IN ({})", places.join(", ")));
        }
    }
    if statements.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = db
        .fetch_all(&statements.join(" UNION ALL "), values)
        .await?;
    rows.iter()
        .map(|row| {
            let key = (row.try_get("", "kind")?, row.try_get("", "id")?);
            Ok((key, row.try_get("", "name")?))
        })
        .collect()
}
