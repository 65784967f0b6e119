//! Threads: answers, edits, removal, resolving and reopening.

use domain::{Role, time::SECOND};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{
    add_answer, add_remark, change_remark, count_open, field_error, list_remarks, list_texts,
    post_remark, remove_remark,
};
use crate::support::TestApp;

#[tokio::test]
async fn a_thread_has_its_answers_in_order_and_the_agent_that_wrote_them() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let agent = app.token_client(&member).await;
    let id = lead.create_demand(json!({ "title": "Broa" })).await;
    let first = add_remark(&lead, &id, "Primeiro").await;
    app.advance_clock(SECOND);
    let other = add_remark(&lead, &id, "Outra conversa").await;
    app.advance_clock(SECOND);
    let answer = add_answer(&agent, &id, &first, "Resposta").await;
    app.advance_clock(SECOND);
    // An answer to an answer belongs to the same thread.
    let deeper = post_remark(&lead, &id, "De novo", json!({ "responde_a": answer })).await;
    assert_eq!(deeper.expect(200).body["conversa"], first.as_str());

    let remarks = list_remarks(&lead, &format!("event_id={id}")).await;
    let told: Vec<_> = remarks
        .iter()
        .map(|one| {
            (
                one["texto"].as_str().expect("a text"),
                one["conversa"].clone(),
            )
        })
        .collect();
    let (first, other) = (json!(first), json!(other));
    assert_eq!(
        told,
        [
            ("Primeiro", first.clone()),
            ("Resposta", first.clone()),
            ("De novo", first),
            ("Outra conversa", other),
        ]
    );
    assert_eq!(remarks[0]["estado"], "aberto");
    assert_eq!(remarks[0]["event_title"], "Broa");
    assert_eq!(remarks[0]["author_name"], member.name.as_str());
    assert_eq!(remarks[0].get("agent"), None);
    assert!(remarks[1]["agent"].is_string(), "{}", remarks[1]);
    assert_eq!(remarks[1].get("estado"), None);
    assert_eq!(count_open(&lead, &id).await, 2);
    assert_eq!(lead.load_event(&id).await["api_revision"], 1);
}

#[tokio::test]
async fn an_answer_names_a_thread_of_the_same_piece() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, other) = (
        lead.create_demand(json!({})).await,
        lead.create_demand(json!({})).await,
    );
    let remark = add_remark(&lead, &other, "Na outra").await;
    for thread in [remark.as_str(), "0198c0de-0000-7000-8000-000000000000", "x"] {
        let answer = post_remark(&lead, &id, "Resposta", json!({ "responde_a": thread })).await;
        assert_eq!(field_error(answer).0, "responde_a");
    }
    let ancora = json!({ "tipo": "legenda", "trecho": "a" });
    let fields = json!({ "responde_a": remark, "ancora": ancora });
    let answer = post_remark(&lead, &other, "Resposta", fields).await;
    assert_eq!(field_error(answer).0, "ancora");
    assert_eq!(app.count_rows("remarks").await, 1);
}

#[tokio::test]
async fn only_the_author_edits_and_removes_a_remark() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let admin = app.as_member(Role::Admin).await;
    let id = lead.create_demand(json!({})).await;
    let remark = add_remark(&lead, &id, "Meu").await;
    let edit = json!({ "texto": "Outro" });
    let refused = change_remark(&admin, &remark, edit.clone()).await;
    refused.expect_refusal(403, "NOT_YOUR_REMARK");
    let refused = remove_remark(&admin, &remark).await;
    refused.expect_refusal(403, "NOT_YOUR_REMARK");
    assert_eq!(list_texts(&lead, &format!("event_id={id}")).await, ["Meu"]);

    app.advance_clock(SECOND);
    change_remark(&lead, &remark, edit).await.expect(200);
    let remarks = list_remarks(&lead, &format!("event_id={id}")).await;
    assert_eq!(remarks[0]["texto"], "Outro");
    assert_eq!(remarks[0]["edited_at"], "2026-08-22T15:00:01.000Z");
    let nothing = change_remark(&lead, &remark, json!({})).await;
    assert_eq!(field_error(nothing).0, "texto");
}

#[tokio::test]
async fn anyone_who_sees_the_piece_resolves_and_reopens_a_thread() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    let author = app.session_client(&member).await;
    let id = lead
        .create_demand(json!({ "assignee_id": member.id }))
        .await;
    let thread = add_remark(&lead, &id, "Falta a fonte").await;
    app.advance_clock(SECOND);
    let answer = add_answer(&lead, &id, &thread, "De 2025").await;
    app.advance_clock(SECOND);
    // The call resolves the whole thread, whichever remark of the thread it names.
    let resolved = change_remark(&author, &answer, json!({ "resolvido": true })).await;
    let resolved = resolved.expect(200).body;
    assert_eq!(
        (&resolved["estado"], &resolved["conversa"]),
        (&json!("resolvido"), &json!(thread))
    );
    assert_eq!(count_open(&lead, &id).await, 0);
    assert_eq!(list_texts(&lead, &format!("event_id={id}")).await, [""; 0]);
    let resolved = list_remarks(&lead, &format!("event_id={id}&estado=resolvido")).await;
    assert_eq!(resolved.len(), 2);
    assert_eq!(resolved[0]["resolved_by_name"], member.name.as_str());
    assert_eq!(resolved[0]["resolved_at"], "2026-08-22T15:00:02.000Z");

    app.advance_clock(SECOND);
    // A second call that resolves the thread changes nothing.
    change_remark(&lead, &thread, json!({ "resolvido": true }))
        .await
        .expect(200);
    let again = list_remarks(&lead, &format!("event_id={id}&estado=todos")).await;
    assert_eq!(again, resolved);
    change_remark(&lead, &thread, json!({ "resolvido": false }))
        .await
        .expect(200);
    let open = list_remarks(&lead, &format!("event_id={id}")).await;
    assert_eq!(open.len(), 2);
    assert_eq!(open[0].get("resolved_at"), None);
    assert_eq!(count_open(&lead, &id).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_one_of_several_simultaneous_resolutions_is_recorded() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let thread = add_remark(&lead, &id, "Conferir").await;
    let mut callers = JoinSet::new();
    for _ in 0..8 {
        let (client, thread) = (app.as_member(Role::Lider).await, thread.clone());
        callers.spawn(async move {
            let resolve = json!({ "resolvido": true });
            change_remark(&client, &thread, resolve).await.expect(200);
        });
    }
    callers.join_all().await;
    let remarks = list_remarks(&lead, &format!("event_id={id}&estado=resolvido")).await;
    assert_eq!(remarks.len(), 1);
    let written = "audit_events WHERE action = 'update_remark' AND outcome = 'succeeded'";
    assert_eq!(app.count_rows(written).await, 8);
    let by = remarks[0]["resolved_by"].clone();
    change_remark(&lead, &thread, json!({ "resolvido": true }))
        .await
        .expect(200);
    let again = list_remarks(&lead, &format!("event_id={id}&estado=resolvido")).await;
    assert_eq!(again[0]["resolved_by"], by);
}

#[tokio::test]
async fn a_removed_text_is_neither_stored_nor_returned() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let keyed = lead.with_idempotency_key("comentario-com-segredo");
    let secret = "o número do contrato é 4711";
    let fields = json!({ "mencoes": [] });
    let answer = post_remark(&keyed, &id, secret, fields.clone())
        .await
        .expect(200);
    let thread = answer.body["id"].as_str().expect("an id").to_owned();
    app.advance_clock(SECOND);
    let reply = add_answer(&lead, &id, &thread, "Não escreva isso aqui").await;
    assert!(app.contains_text("4711").await);
    let removed = remove_remark(&lead, &thread).await.expect(200);
    assert!(!removed.text.contains("4711"));
    assert!(
        !app.contains_text("4711").await,
        "a table still has the text"
    );

    // The removed remark stays in the thread without its text, because the thread has an answer.
    let remarks = list_remarks(&lead, &format!("event_id={id}")).await;
    let texts: Vec<&Value> = remarks.iter().map(|one| &one["texto"]).collect();
    assert_eq!(texts, [&Value::Null, &json!("Não escreva isso aqui")]);
    let replayed = post_remark(&keyed, &id, secret, fields).await.expect(200);
    assert_eq!(replayed.body, answer.body);
    // The removed remark can be neither edited nor removed again, but its thread can be resolved
    // and reopened.
    let edit = change_remark(&lead, &thread, json!({ "texto": "De volta" })).await;
    edit.expect_refusal(404, "NOT_FOUND");
    remove_remark(&lead, &thread)
        .await
        .expect_refusal(404, "NOT_FOUND");
    change_remark(&lead, &thread, json!({ "resolvido": true }))
        .await
        .expect(200);
    change_remark(&lead, &thread, json!({ "resolvido": false }))
        .await
        .expect(200);

    // After the removal of its last remark, the thread no longer exists.
    remove_remark(&lead, &reply).await.expect(200);
    assert_eq!(
        list_texts(&lead, &format!("event_id={id}&estado=todos")).await,
        [""; 0]
    );
    assert_eq!(count_open(&lead, &id).await, 0);
    let answer = post_remark(&lead, &id, "Tarde", json!({ "responde_a": thread })).await;
    assert_eq!(field_error(answer).0, "responde_a");
    let reopen = change_remark(&lead, &thread, json!({ "resolvido": false })).await;
    reopen.expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_text_has_up_to_4000_characters_and_is_returned_as_it_was_written() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    for text in ["", " \u{200b}\u{2028}", "a\u{0}b", &"ã".repeat(4001)] {
        let answer = post_remark(&lead, &id, text, json!({})).await;
        assert_eq!(field_error(answer).0, "texto", "{text:?}");
    }
    let texts = [
        "<script>alert('a')</script> & \"aspas\"",
        "\u{202e}שלום\u{202c} 🍞 👩🏽‍🍳",
        "Veja https://example.com/?a=1&b=<2>\r\nlinha\ttabulada",
        &"🍞".repeat(4000),
    ];
    for text in texts {
        add_remark(&lead, &id, text).await;
        app.advance_clock(SECOND);
    }
    assert_eq!(list_texts(&lead, &format!("event_id={id}")).await, texts);
}

#[tokio::test]
async fn a_piece_has_up_to_500_open_threads() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let thread = add_remark(&lead, &id, "Primeira").await;
    super::lists::insert_threads(&app, &id, 499).await;
    let refused = post_remark(&lead, &id, "Mais uma", json!({})).await;
    let refused = refused.expect_refusal(409, "TOO_MANY_REMARKS");
    assert!(refused.body["details"]["next"].is_string());
    app.advance_clock(SECOND);
    add_answer(&lead, &id, &thread, "Responder ainda cabe").await;
    change_remark(&lead, &thread, json!({ "resolvido": true }))
        .await
        .expect(200);
    add_remark(&lead, &id, "Mais uma").await;
}
