//! Links for guests: what a guest sees and does, and what stays closed to them.

mod closed;
mod codes;
mod ended;
mod hidden;
mod links;
mod makers;
mod narrow;
mod own_remarks;
mod pages;
mod pieces;
mod talk;

use domain::time::SECOND;
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp};

/// Creates a piece and submits it with this caption; returns the id of the piece.
async fn submit_piece(client: &Client, title: &str, caption: &str) -> String {
    let id = client.create_demand(json!({ "title": title })).await;
    submit(client, &id, caption).await;
    id
}

async fn submit(client: &Client, id: &str, caption: &str) {
    let revision = client.load_event(id).await["api_revision"].clone();
    let input = json!({ "event_id": id, "expected_revision": revision, "caption": caption,
        "day": 20, "month": 11, "year": 2026 });
    client.post("/api/enviar", input).await.expect(200);
}

async fn create_link(session: &Client, right: &str, mut fields: Value) -> Value {
    fields["nome"] = "Beatriz Rocha".into();
    fields["contato"] = "beatriz@cliente.test".into();
    fields["direito"] = right.into();
    let made = session.post("/api/convidados", fields).await;
    made.expect(201).body
}

/// Creates a link with this right on these pieces; returns the client of its guest.
async fn invite(app: &TestApp, session: &Client, right: &str, pieces: &[&str]) -> Client {
    let made = create_link(session, right, json!({ "pecas": pieces })).await;
    app.guest_client(&made)
}

/// Applies an operation to a project; returns the changed project.
async fn apply_operation(
    session: &Client,
    project: &str,
    kind: &str,
    payload: Value,
    revision: i64,
) -> Value {
    let input = json!({ "type": kind, "payload": payload, "expected_revision": revision });
    let path = format!("/api/projects/{project}/operations");
    let applied = session.post(&path, input).await;
    assert!(applied.status < 300, "{}", applied.text);
    let path = format!("/api/projects/{project}");
    session.get(&path).await.expect(200).body["project"].clone()
}

/// Creates a project with an item that is linked to this piece; returns the id and the revision of
/// the project.
async fn create_project_with(session: &Client, piece: &str) -> (String, i64) {
    let made = session.post("/api/projects", json!({ "name": "Cliente" }));
    let made = made.await.expect(201).body;
    let project = made["project"]["id"].as_str().expect("an id").to_owned();
    let section = json!({ "title": "A" });
    let made = apply_operation(session, &project, "section.add", section, 1).await;
    let section = made["sections"][0]["id"].clone();
    let item = json!({ "section_id": section, "title": "B" });
    let made = apply_operation(session, &project, "item.add", item, 2).await;
    let item = made["sections"][0]["items"][0]["id"].clone();
    let link = json!({ "item_id": item, "event_id": piece });
    apply_operation(session, &project, "item.link_event", link, 3).await;
    (project, 4)
}

async fn list_pieces(guest: &Client) -> Vec<Value> {
    let listed = guest.get("/api/convidado/pecas").await.expect(200).body;
    listed["pecas"].as_array().expect("a list").clone()
}

async fn decide(guest: &Client, piece: &str, action: &str, revision: i64) -> Answer {
    let input = json!({ "event_id": piece, "acao": action, "api_revision": revision });
    guest.post("/api/convidado/decisao", input).await
}

async fn post_remark(guest: &Client, piece: &str, text: &str, mut fields: Value) -> Answer {
    fields["event_id"] = piece.into();
    fields["texto"] = text.into();
    if fields["api_revision"].is_null() {
        fields["api_revision"] = 2.into();
    }
    guest.post("/api/convidado/comentarios", fields).await
}

/// Advances the clock by a second, because the audit trail finds the change of a row by its
/// instant.
fn let_a_second_pass(app: &TestApp) {
    app.advance_clock(SECOND);
}
