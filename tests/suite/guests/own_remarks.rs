//! A guest edits and removes what they wrote, and nobody else does.

use domain::Role;
use serde_json::{Value, json};

use super::{create_link, invite, list_pieces, post_remark, submit, submit_piece};
use crate::support::{Answer, Client, TestApp};

async fn edit(guest: &Client, id: &str, text: &str) -> Answer {
    let path = format!("/api/convidado/comentarios/{id}");
    guest.patch(&path, json!({ "texto": text })).await
}

async fn remove(guest: &Client, id: &str) -> Answer {
    let path = format!("/api/convidado/comentarios/{id}");
    guest.delete(&path).await
}

async fn write(guest: &Client, piece: &str, text: &str, fields: Value) -> String {
    let added = post_remark(guest, piece, text, fields).await;
    let added = added.expect(200).body;
    added["id"].as_str().expect("an id").to_owned()
}

async fn answer_as_member(client: &Client, piece: &str, thread: &str) -> String {
    let path = format!("/api/eventos/{piece}/comentarios");
    let answer = json!({ "texto": "Certo.", "responde_a": thread });
    let added = client.post(&path, answer).await.expect(200).body;
    added["id"].as_str().expect("an id").to_owned()
}

async fn remarks_of(guest: &Client) -> Vec<Value> {
    let piece = list_pieces(guest).await.remove(0);
    piece["comentarios"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn a_guest_edits_and_removes_what_they_wrote() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let guest = invite(&app, &session, "comentar", &[&id]).await;
    let first = write(&guest, &id, "Troque a fotto.", json!({})).await;
    app.advance_clock(1_000);
    edit(&guest, &first, "Troque a foto.").await.expect(200);
    // An edit that sends the same text again changes nothing.
    let shown = remarks_of(&guest).await.remove(0);
    assert_eq!(
        (&shown["texto"], &shown["seu"]),
        (&json!("Troque a foto."), &json!(true))
    );
    app.advance_clock(1_000);
    edit(&guest, &first, "Troque a foto.").await.expect(200);
    assert_eq!(remarks_of(&guest).await[0]["edited_at"], shown["edited_at"]);
    let path = format!("/api/comentarios?event_id={id}");
    let listed = session.get(&path).await.expect(200).body;
    assert_eq!(listed["comentarios"][0]["texto"], "Troque a foto.");

    answer_as_member(&session, &id, &first).await;
    remove(&guest, &first).await.expect(200);
    // The answer stays visible to the guest and to the team. The removed text is stored nowhere.
    let shown = remarks_of(&guest).await;
    assert_eq!(
        (&shown[0]["texto"], &shown[1]["texto"]),
        (&Value::Null, &json!("Certo."))
    );
    let listed = session.get(&path).await.expect(200).body;
    assert_eq!(listed["comentarios"][0]["texto"], Value::Null);
    assert!(!app.contains_text("Troque a foto").await);
    for again in [
        edit(&guest, &first, "De volta").await,
        remove(&guest, &first).await,
    ] {
        again.expect_refusal(404, "NOT_FOUND");
    }

    // If the thread has no answers, it disappears with the remark.
    let alone = write(&guest, &id, "Outra coisa", json!({})).await;
    remove(&guest, &alone).await.expect(200);
    assert_eq!(remarks_of(&guest).await.len(), 2);
    let audit = app.as_member(Role::Admin).await;
    let path = "/api/access/audit?action=remove_guest_remark";
    let rows = audit.get(path).await.expect(200).body["audit"].clone();
    assert_eq!(rows[0]["auth_method"], "guest", "{rows}");
    assert_eq!(rows[0]["token_name"], "Beatriz Rocha");
}

#[tokio::test]
async fn nobody_else_edits_or_removes_the_remark_of_a_guest() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let other_piece = submit_piece(&session, "Outra", "Legenda").await;
    let guest = invite(&app, &session, "comentar", &[&id]).await;
    let own = write(&guest, &id, "Meu", json!({})).await;
    // The guest `neighbour` has a link for the same piece, and `elsewhere` has a link for another piece.
    let neighbour = invite(&app, &session, "decidir", &[&id]).await;
    let elsewhere = invite(&app, &session, "decidir", &[&other_piece]).await;
    for stranger in [&neighbour, &elsewhere] {
        edit(stranger, &own, "Deles")
            .await
            .expect_refusal(404, "NOT_FOUND");
        remove(stranger, &own)
            .await
            .expect_refusal(404, "NOT_FOUND");
    }
    // The guest `looks` may only see the piece.
    let looks = invite(&app, &session, "ver", &[&id]).await;
    edit(&looks, &own, "Deles")
        .await
        .expect_refusal(403, "GUEST_RIGHT_REQUIRED");
    remove(&looks, &own)
        .await
        .expect_refusal(403, "GUEST_RIGHT_REQUIRED");
    // Tries the maker of the link, an agent of the maker, an admin and a stranger.
    let agent = app.token_client(&lead).await;
    let admin = app.as_member(Role::Admin).await;
    for member in [&session, &agent, &admin] {
        edit(member, &own, "Deles")
            .await
            .expect_refusal(403, "GUEST_RIGHT_REQUIRED");
        remove(member, &own)
            .await
            .expect_refusal(403, "GUEST_RIGHT_REQUIRED");
        let path = format!("/api/comentarios/{own}");
        let text = json!({ "texto": "Deles" });
        let refused = member.patch(&path, text).await;
        refused.expect_refusal(403, "NOT_YOUR_REMARK");
        let refused = member.delete(&path).await;
        refused.expect_refusal(403, "NOT_YOUR_REMARK");
    }
    for refused in [
        edit(&app.anonymous(), &own, "Deles").await,
        remove(&app.anonymous(), &own).await,
    ] {
        assert_eq!(refused.status, 401, "{}", refused.text);
    }
    for tool in ["update_guest_remark", "remove_guest_remark"] {
        let call = json!({ "name": tool, "arguments": { "remarkId": own, "texto": "Deles" } });
        let refused = agent.send_rpc("tools/call", call.clone()).await;
        assert_eq!(refused.body["error"]["code"], -32602, "{}", refused.text);
        assert_eq!(guest.send_rpc("tools/call", call).await.status, 401);
    }
    let shown = remarks_of(&guest).await.remove(0);
    assert_eq!(
        (&shown["texto"], &shown["seu"]),
        (&json!("Meu"), &json!(true))
    );
    assert_eq!(remarks_of(&neighbour).await[0]["seu"], false);
}

#[tokio::test]
async fn a_guest_changes_no_remark_of_others_and_none_that_the_link_no_longer_shows() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let made = create_link(&session, "comentar", json!({ "pecas": [id] })).await;
    let guest = app.guest_client(&made);
    let own = write(&guest, &id, "Meu", json!({})).await;
    let answer = answer_as_member(&session, &id, &own).await;
    let path = format!("/api/eventos/{id}/comentarios");
    let internal = session.post(&path, json!({ "texto": "Interno" })).await;
    let internal = internal.expect(200).body["id"].clone();
    let internal = internal.as_str().expect("an id");
    let unknown = "01990000-0000-7000-8000-00000000ffff";
    // The error is the same for a visible remark of a member, a hidden remark of a member, and an
    // unknown id.
    let of_unknown = edit(&guest, unknown, "x").await.body["error"].clone();
    for other in [answer.as_str(), internal, unknown] {
        let refused = edit(&guest, other, "x").await;
        assert_eq!(refused.body["error"], of_unknown);
        refused.expect_refusal(404, "NOT_FOUND");
        remove(&guest, other).await.expect_refusal(404, "NOT_FOUND");
    }
    for text in ["", " \u{200b}\n", &"a".repeat(4_001)] {
        let refused = edit(&guest, &own, text).await;
        assert_eq!(refused.expect(400).invalid_fields(), ["texto"]);
    }
    // When the team edits the refused piece, the piece and its remarks are hidden from the guest.
    let refuse = json!({ "event_id": id, "action": "recusar", "motivo": "Não" });
    session.post("/api/aprovar", refuse).await.expect(200);
    edit(&guest, &own, "Ainda").await.expect(200);
    let save = json!({ "event_id": id, "expected_revision": 3, "caption": "Rascunho" });
    session.post("/api/draft", save).await.expect(200);
    for refused in [edit(&guest, &own, "x").await, remove(&guest, &own).await] {
        refused.expect_refusal(404, "NOT_FOUND");
    }
    submit(&session, &id, "Legenda nova").await;
    edit(&guest, &own, "De novo").await.expect(200);
    // After the end of the link, the guest can no longer change anything.
    let link = made["link"]["id"].as_str().expect("an id");
    let path = format!("/api/convidados/{link}");
    session.delete(&path).await.expect(200);
    for refused in [edit(&guest, &own, "x").await, remove(&guest, &own).await] {
        refused.expect_refusal(401, "TOKEN_REVOKED");
    }
    let path = format!("/api/comentarios?event_id={id}");
    let listed = session.get(&path).await.expect(200).body;
    let mut remarks = listed["comentarios"].as_array().expect("a list").iter();
    let own = remarks.find(|one| one["id"] == own).expect("the remark");
    assert_eq!(own["texto"], "De novo");
}
