//! Remarks on pieces: who may write and read them, threads, places, and decisions that ask for
//! changes.

mod anchors;
mod deciding;
mod draft_rights;
mod emails;
mod lists;
mod reopening;
mod threads;
mod visible;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::support::{Answer, Client};

/// Writes a remark with this text; `fields` has its other fields.
async fn post_remark(client: &Client, event: &str, text: &str, mut fields: Value) -> Answer {
    fields["texto"] = text.into();
    let path = format!("/api/eventos/{event}/comentarios");
    client.post(&path, fields).await
}

/// Writes a remark on the whole piece; returns its id.
async fn add_remark(client: &Client, event: &str, text: &str) -> String {
    let answer = post_remark(client, event, text, json!({})).await;
    text_of(&answer.expect(200).body["id"])
}

/// Answers in a thread; returns the id of the answer.
async fn add_answer(client: &Client, event: &str, thread: &str, text: &str) -> String {
    let answer = post_remark(client, event, text, json!({ "responde_a": thread })).await;
    let answer = answer.expect(200).body;
    assert_eq!(answer["conversa"], thread);
    text_of(&answer["id"])
}

async fn change_remark(client: &Client, id: &str, fields: Value) -> Answer {
    client
        .patch(&format!("/api/comentarios/{id}"), fields)
        .await
}

async fn remove_remark(client: &Client, id: &str) -> Answer {
    client.delete(&format!("/api/comentarios/{id}")).await
}

/// Returns the remarks in the list for this query.
async fn list_remarks(client: &Client, query: &str) -> Vec<Value> {
    let page = client.get(&format!("/api/comentarios?{query}")).await;
    let page = page.expect(200).body;
    assert_eq!(page["next_cursor"], Value::Null);
    page["comentarios"].as_array().expect("a list").clone()
}

/// Returns the texts of the remarks in a list, in order; `-` for a removed remark.
async fn list_texts(client: &Client, query: &str) -> Vec<String> {
    let remarks = list_remarks(client, query).await;
    let texts = remarks
        .iter()
        .map(|one| one["texto"].as_str().unwrap_or("-").to_owned());
    texts.collect()
}

/// Returns the number of open threads in the answer about the piece.
async fn count_open(client: &Client, event: &str) -> Value {
    let piece = client.get(&format!("/api/eventos/{event}")).await;
    piece.expect(200).body["comentarios_abertos"].clone()
}

/// Returns the field and the message of the only field error in a refusal.
fn field_error(answer: Answer) -> (String, String) {
    let answer = answer.expect_refusal(400, "INVALID_INPUT");
    let fields = answer.body["details"]["fields"].as_array().expect("faults");
    assert_eq!(fields.len(), 1, "{fields:?}");
    (text_of(&fields[0]["field"]), text_of(&fields[0]["message"]))
}

/// Attaches a file to the piece; returns the id of the medium.
async fn attach_file(client: &Client, event: &str, file: &[u8]) -> String {
    let input = json!({ "event_id": event, "data": STANDARD.encode(file) });
    let answer = client.post("/api/media", input).await;
    assert!(answer.status < 300, "{}", answer.text);
    text_of(&answer.body["id"])
}

async fn save_caption(client: &Client, event: &str, caption: &str) -> i64 {
    let revision = client.load_event(event).await["api_revision"].clone();
    let draft = json!({ "event_id": event, "expected_revision": revision, "caption": caption });
    let saved = client.post("/api/draft", draft).await.expect(200).body;
    saved["api_revision"].as_i64().expect("a revision")
}

async fn submit(client: &Client, event: &str, answered: &[&str]) -> Answer {
    let revision = client.load_event(event).await["api_revision"].clone();
    let input = json!({ "event_id": event, "expected_revision": revision,
        "comentarios_respondidos": answered });
    client.post("/api/enviar", input).await
}

async fn decide(client: &Client, event: &str, action: &str, reason: Option<&str>) -> Answer {
    let mut input = json!({ "event_id": event, "action": action });
    if let Some(reason) = reason {
        input["motivo"] = reason.into();
    }
    client.post("/api/aprovar", input).await
}

fn text_of(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is no text"))
        .to_owned()
}
