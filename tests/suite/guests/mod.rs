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

use domain::{GUEST_PREFIX, time::SECOND};
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp};

/// A piece in approval with this caption; returns its id.
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

/// The secret of a link that was just made.
fn secret_of(made: &Value) -> String {
    let url = made["url"].as_str().expect("a URL");
    url.rsplit('/').next().expect("a secret").to_owned()
}

/// A client with the link of a guest as its bearer token.
fn guest_client(app: &TestApp, made: &Value) -> Client {
    app.bearer(format!("{GUEST_PREFIX}{}", secret_of(made)))
}

/// A guest with this right on these pieces.
async fn invite(app: &TestApp, session: &Client, right: &str, pieces: &[&str]) -> Client {
    let made = create_link(session, right, json!({ "pecas": pieces })).await;
    guest_client(app, &made)
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

/// The audit trail finds the change of a row by its instant.
fn let_a_second_pass(app: &TestApp) {
    app.advance_clock(SECOND);
}
