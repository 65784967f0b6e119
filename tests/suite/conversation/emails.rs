//! Remarks on a passage of an e-mail draft.

use domain::{Capability, Role};
use serde_json::{Value, json};

use super::{
    add_answer, change_remark, count_open, field_error, list_remarks, list_texts, post_remark,
    remove_remark, text_of,
};
use crate::support::{Answer, Client, TestApp};

const HTML: &str = "<p>Oferta <b>só</b> hoje</p><p>Olá, Olá</p>";

/// Writes the draft; returns its version.
pub(super) async fn put_draft(client: &Client, id: &str, html: &str, read: Option<&str>) -> String {
    let body = json!({ "html": html, "expected_updated_at": read });
    let put = client.put(&format!("/api/email-drafts/{id}"), body).await;
    text_of(&put.expect(200).body["draft"]["updated_at"])
}

pub(super) fn place(passage: &str) -> Value {
    json!({ "tipo": "email", "template_id": "natal", "trecho": passage })
}

async fn post_remark_at(client: &Client, event: &str, place: Value) -> Answer {
    post_remark(client, event, "Aqui", json!({ "ancora": place })).await
}

async fn load_place(client: &Client) -> Value {
    let remarks = list_remarks(client, "template_id=natal&estado=todos").await;
    remarks.first().expect("a remark")["ancora"].clone()
}

#[tokio::test]
async fn a_passage_of_a_draft_is_found_again_until_it_is_gone() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({ "channel": "email" })).await;
    let first = put_draft(&lead, "natal", HTML, None).await;
    // The request quotes the passage as visible text. The remark stores the HTML of the passage.
    post_remark_at(&lead, &id, place("oferta so hoje"))
        .await
        .expect(200);
    let mut shown = place("Oferta <b>só</b> hoje");
    shown["posicao"] = 3.into();
    shown["draft_updated_at"] = first.as_str().into();
    assert_eq!(load_place(&lead).await, shown);

    let second = put_draft(&lead, "natal", &format!("<h1>Oi</h1>{HTML}"), Some(&first)).await;
    let mut moved = shown.clone();
    moved["posicao_atual"] = 14.into();
    assert_eq!(load_place(&lead).await, moved);

    // A replacement of text in the draft updates the place of the remark too.
    let replace = json!({ "procurar": "só", "trocar_por": "até", "expected_updated_at": second });
    let path = "/api/email-drafts/natal/substituir";
    let third = lead.post(path, replace).await.expect(200).body;
    let mut gone = shown.clone();
    gone["desatualizado"] = true.into();
    assert_eq!(load_place(&lead).await, gone);

    let third = text_of(&third["updated_at"]);
    let fourth = put_draft(&lead, "natal", HTML, Some(&third)).await;
    assert_eq!(load_place(&lead).await, shown);

    // The place of a resolved thread is not updated until the thread is reopened.
    let remark = text_of(&list_remarks(&lead, "").await[0]["id"]);
    let resolve = |resolved: bool| change_remark(&lead, &remark, json!({ "resolvido": resolved }));
    resolve(true).await.expect(200);
    let path = format!("/api/email-drafts/natal?expected_updated_at={fourth}");
    lead.delete(&path).await.expect(200);
    assert_eq!(load_place(&lead).await, shown);
    resolve(false).await.expect(200);
    assert_eq!(load_place(&lead).await, gone);
}

#[tokio::test]
async fn a_wrong_place_in_a_draft_is_refused() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    put_draft(&lead, "natal", HTML, None).await;
    let at = |passage: &str, position: usize| {
        let mut place = place(passage);
        place["posicao"] = position.into();
        place
    };
    let mut elsewhere = place("Olá");
    elsewhere["template_id"] = "pascoa".into();
    let mut nowhere = place("Olá");
    nowhere
        .as_object_mut()
        .expect("a place")
        .remove("template_id");
    let mut of_caption = place("Olá");
    of_caption["tipo"] = "legenda".into();
    for (place, field) in [
        (place("Boleto"), "ancora.trecho"),
        (place("Olá"), "ancora.posicao"),
        (at("Olá", 4), "ancora.posicao"),
        (elsewhere, "ancora.template_id"),
        (nowhere, "ancora.template_id"),
        (of_caption, "ancora.template_id"),
    ] {
        assert_eq!(
            field_error(post_remark_at(&lead, &id, place.clone()).await).0,
            field,
            "{place}"
        );
    }
    let position = HTML.find("Olá").map(|byte| HTML[..byte].chars().count());
    let second = at("Olá", position.expect("a place") + 5);
    post_remark_at(&lead, &id, second).await.expect(200);
    let guests = json!({ "ancora": place("hoje"), "publico": "convidados" });
    let refused = post_remark(&lead, &id, "Aqui", guests).await;
    assert_eq!(field_error(refused).0, "publico");
}

/// A caller who may not see e-mail drafts neither writes nor reads remarks about them.
#[tokio::test]
async fn a_caller_who_sees_no_drafts_sees_no_thread_about_them() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let scopes = [
        Capability::TasksView,
        Capability::DraftSave,
        Capability::Enviar,
    ];
    let (narrow, _) = app.token_client_with(&member, &scopes).await;
    let id = lead.create_demand(json!({})).await;
    put_draft(&lead, "natal", HTML, None).await;
    let added = post_remark_at(&lead, &id, place("hoje"))
        .await
        .expect(200)
        .body;
    let thread = text_of(&added["id"]);
    // Ids sort by their creation time, so each remark gets a different instant.
    app.advance_clock(1);
    add_answer(&lead, &id, &thread, "Do e-mail").await;
    post_remark(&lead, &id, "Da peça", json!({}))
        .await
        .expect(200);

    post_remark_at(&narrow, &id, place("hoje"))
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    narrow
        .get("/api/comentarios?template_id=natal")
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    for query in ["", "estado=todos", &*format!("event_id={id}")] {
        assert_eq!(list_texts(&narrow, query).await, ["Da peça"], "{query}");
        assert_eq!(list_texts(&lead, query).await.len(), 3, "{query}");
    }
    change_remark(&narrow, &thread, json!({ "resolvido": true }))
        .await
        .expect_refusal(404, "NOT_FOUND");
    remove_remark(&narrow, &thread)
        .await
        .expect_refusal(404, "NOT_FOUND");
    let answer = json!({ "responde_a": thread });
    let refused = post_remark(&narrow, &id, "Eu", answer).await;
    assert_eq!(field_error(refused).0, "responde_a");
    assert_eq!(
        list_texts(&lead, "template_id=natal").await,
        ["Aqui", "Do e-mail"]
    );
    assert_eq!(count_open(&narrow, &id).await, 1);
    assert_eq!(count_open(&lead, &id).await, 2);
}

#[tokio::test]
async fn no_guest_writes_on_a_draft_or_reads_about_it() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    put_draft(&lead, "natal", HTML, None).await;
    post_remark_at(&lead, &id, place("hoje")).await.expect(200);
    super::submit(&lead, &id, &[]).await.expect(200);
    let link = json!({ "nome": "Rita", "contato": "rita@cliente.test", "direito": "comentar",
        "pecas": [id] });
    let made = lead.post("/api/convidados", link).await.expect(201).body;
    let guest = app.guest_client(&made);
    let seen = guest.get("/api/convidado/pecas").await.expect(200);
    assert!(!seen.text.contains("natal"), "{}", seen.text);
    let mut refusals = vec![];
    for passage in ["hoje", "Boleto"] {
        let remark = json!({ "event_id": id, "texto": "Aqui", "api_revision": 2,
            "ancora": place(passage) });
        let refused = guest.post("/api/convidado/comentarios", remark).await;
        refusals.push(refused.expect_refusal(400, "INVALID_INPUT").body);
    }
    // The refusal is the same whether or not the draft contains the passage.
    assert_eq!(refusals[0], refusals[1]);
}
