//! The life cycle of an editorial event: permitted operations per status, and their effects.

mod decisions;
mod drafts;
mod history;
mod many;
mod notices;
mod posts;
mod recovery;
mod reopening;
mod updates;

use serde_json::{Value, json};

use crate::support::{Answer, Client};

const STATUSES: [&str; 8] = [
    "a fazer",
    "em progresso",
    "processing",
    "em aprovação",
    "aprovado",
    "recusado",
    "publicado",
    "arquivado",
];

const EDITABLE: [&str; 4] = ["a fazer", "em progresso", "processing", "recusado"];

/// Creates an event in this status; returns its id and revision.
async fn create_event_with_status(lead: &Client, status: &str) -> (String, i64) {
    let id = lead
        .create_demand(json!({ "description": "Original", "day": 24, "month": 8 }))
        .await;
    let draft = async |status: &str| {
        let draft = json!({ "event_id": id, "expected_revision": 1, "status": status });
        lead.post("/api/draft", draft).await.expect(200);
    };
    let submit = async || {
        let input = json!({ "event_id": id, "expected_revision": 1 });
        lead.post("/api/enviar", input).await.expect(200);
    };
    let set = async |revision: i64, status: &str| {
        let patch = json!({ "expected_revision": revision, "status": status });
        lead.patch(&format!("/api/eventos/{id}"), patch)
            .await
            .expect(200);
    };
    let decide = async |action: &str| {
        submit().await;
        let input = json!({ "event_id": id, "action": action });
        lead.post("/api/aprovar", input).await.expect(200);
    };
    match status {
        "a fazer" => {}
        "em progresso" | "processing" => draft(status).await,
        "em aprovação" => submit().await,
        "aprovado" => decide("aprovar").await,
        "recusado" => decide("recusar").await,
        "publicado" => {
            decide("aprovar").await;
            set(3, "publicado").await;
        }
        "arquivado" => set(1, "arquivado").await,
        other => panic!("there is no status {other}"),
    }
    let event = lead.load_event(&id).await;
    assert_eq!(event["status"], status);
    (id, event["api_revision"].as_i64().expect("a revision"))
}

async fn patch_event(client: &Client, id: &str, revision: i64, mut fields: Value) -> Answer {
    fields["expected_revision"] = revision.into();
    client.patch(&format!("/api/eventos/{id}"), fields).await
}

async fn event_history(client: &Client, id: &str) -> Vec<Value> {
    let event = client
        .get(&format!("/api/eventos/{id}"))
        .await
        .expect(200)
        .body;
    event["historico"].as_array().expect("a list").clone()
}
