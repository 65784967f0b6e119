//! Builds the bodies of webhook messages.

use serde_json::{Value, json};

use crate::{
    access::ListAccessMembers,
    conversation::{ListRemarks, REMARK},
    publishing::{
        CONNECTION, ListConnectedAccounts, PUBLICATION, shortvideo::ListShortvideoPublications,
    },
    visibility::EVENT,
    workflow::GetEvent,
};
use domain::time::{Millis, Timestamp};
use gateway::{Operation, Resource};
use identity::authorization::AGENT;
use store::{history::FieldChanges, outbox::OutboxEntry};

/// The kinds of resources that messages are about.
const RESOURCES: [Resource; 5] = [EVENT, REMARK, PUBLICATION, CONNECTION, AGENT];

/// The type of test messages.
pub(super) const TEST: &str = "test";

/// Finds the kind of resource with this name; `None` for a test message.
pub(super) fn find_resource(kind: &str) -> Option<Resource> {
    let mut all = RESOURCES.into_iter();
    all.find(|resource| resource.kind == kind)
}

/// Builds the body of the message about an outbox row. `changes` are the field changes that the call of
/// the row made.
pub(super) fn body_of_entry(
    entry: &OutboxEntry,
    changes: Option<&FieldChanges>,
    public_url: &str,
) -> String {
    let data = json!({
        "resource": { "kind": entry.resource_kind, "id": entry.resource_id },
        "revision": entry.revision,
        "project_id": entry.project_id,
        "actor": {
            "kind": actor_kind(&entry.auth_method),
            "member_id": entry.actor_id,
            "credential_id": entry.credential_id,
        },
        "changed": changes.filter(|one| !one.0.is_empty()).map(|one| one.0.keys().collect::<Vec<_>>()),
        "facts": entry.facts,
        "url": resource_path(entry).map(|path| format!("{public_url}{path}")),
    });
    body(&entry.kind, entry.occurred_at, &data)
}

/// Builds the body of a test message.
pub(super) fn body_of_test(webhook_id: &str, now: Millis) -> String {
    let data = json!({ "resource": { "kind": "webhook", "id": webhook_id } });
    body(TEST, now, &data)
}

fn body(kind: &str, at: Millis, data: &Value) -> String {
    json!({ "type": kind, "timestamp": Timestamp(at), "data": data }).to_string()
}

/// Returns the kind of actor. A personal token counts as an agent, because programs use it.
fn actor_kind(auth_method: &str) -> &'static str {
    match auth_method {
        "session" => "member",
        "connected_agent" | "personal_token" => "agent",
        "guest" => "guest",
        _ => "service",
    }
}

/// Returns the path at which the resource of the row can be read.
fn resource_path(entry: &OutboxEntry) -> Option<String> {
    let (kind, id) = (entry.resource_kind.as_str(), entry.resource_id.as_str());
    Some(if kind == EVENT.kind {
        GetEvent::SPEC.path.replace("{eventId}", id)
    } else if kind == REMARK.kind {
        let event_id = entry.facts.get("event_id")?.as_str()?;
        format!("{}?event_id={event_id}", ListRemarks::SPEC.path)
    } else if kind == PUBLICATION.kind {
        ListShortvideoPublications::SPEC.path.to_owned()
    } else if kind == CONNECTION.kind {
        ListConnectedAccounts::SPEC.path.to_owned()
    } else if kind == AGENT.kind {
        ListAccessMembers::SPEC.path.to_owned()
    } else {
        return None;
    })
}
