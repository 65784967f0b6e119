//! Decisions that ask for changes, and submissions that answer remarks.

use domain::{Role, time::SECOND};
use serde_json::{Value, json};

use super::{
    add_answer, add_remark, change_remark, decide, field_error, list_remarks, save_caption, submit,
};
use crate::support::{Client, TestApp};

/// Returns the numbers of open and of answered threads of the only piece in the inbox.
async fn load_counts(lead: &Client) -> (i64, i64) {
    let page = lead.get("/api/aprovacoes").await.expect(200).body;
    let piece = &page["pendentes"][0];
    let count = |field: &str| piece[field].as_i64().expect("a number");
    (
        count("comentarios_abertos"),
        count("comentarios_respondidos"),
    )
}

#[tokio::test]
async fn changes_are_requested_with_an_open_remark_or_a_reason() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let early = decide(&lead, &id, "pedir_ajustes", Some("Falta tudo")).await;
    early.expect_refusal(409, "EVENT_NOT_PENDING");
    submit(&lead, &id, &[]).await.expect(200);
    for reason in [None, Some(""), Some(" \u{200b}\n")] {
        let refused = decide(&lead, &id, "pedir_ajustes", reason).await;
        assert_eq!(field_error(refused).0, "motivo");
    }
    let thread = add_remark(&lead, &id, "Falta a fonte").await;
    change_remark(&lead, &thread, json!({ "resolvido": true }))
        .await
        .expect(200);
    let refused = decide(&lead, &id, "pedir_ajustes", None).await;
    assert_eq!(field_error(refused).0, "motivo");
    change_remark(&lead, &thread, json!({ "resolvido": false }))
        .await
        .expect(200);
    // The audit trail finds the change of a row by its instant, so the decision needs a different
    // instant.
    app.advance_clock(SECOND);
    let decided = decide(&lead, &id, "pedir_ajustes", None)
        .await
        .expect(200)
        .body;
    assert_eq!(decided["status"], "recusado");
    // Repeating the decision changes nothing.
    let again = decide(&lead, &id, "pedir_ajustes", None)
        .await
        .expect(200)
        .body;
    assert_eq!(again, decided);

    let event = lead
        .get(&format!("/api/eventos/{id}"))
        .await
        .expect(200)
        .body;
    assert_eq!(event["comentarios_abertos"], 1);
    let line = &event["historico"][0];
    assert_eq!(
        (&line["action"], &line["reason"]),
        (&json!("decide_approval"), &Value::Null)
    );
    let decision = json!({ "before": null, "after": "pedir_ajustes" });
    assert_eq!(line["changes"]["decision"], decision);
    let admin = app.as_member(Role::Admin).await;
    let trail = admin
        .get("/api/access/audit?action=decide_approval&outcome=succeeded")
        .await;
    let trail = trail.expect(200).body["audit"].clone();
    let told = trail.as_array().expect("rows").iter();
    let told = told.flat_map(|row| row["changes"].as_array().expect("changes"));
    let told: Vec<&Value> = told
        .filter(|change| change["field"] == "decision")
        .collect();
    assert!(!told.is_empty(), "{trail:#}");
    for change in told {
        assert_eq!(change["after"], "pedir_ajustes");
    }

    submit(&lead, &id, &[]).await.expect(200);
    change_remark(&lead, &thread, json!({ "resolvido": true }))
        .await
        .expect(200);
    let reason = decide(&lead, &id, "pedir_ajustes", Some("Só o título")).await;
    assert_eq!(reason.expect(200).body["status"], "recusado");
    let tasks = lead.load_event(&id).await;
    assert_eq!(tasks["status"], "recusado");
}

#[tokio::test]
async fn a_submission_names_the_threads_that_it_answers() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let other = lead.create_demand(json!({})).await;
    let (one, two) = (
        add_remark(&lead, &id, "Um").await,
        add_remark(&lead, &id, "Dois").await,
    );
    let foreign = add_remark(&lead, &other, "Da outra peça").await;
    app.advance_clock(SECOND);
    let answer = add_answer(&lead, &id, &two, "Feito").await;
    for unknown in [foreign.as_str(), "x"] {
        let refused = submit(&lead, &id, &[&one, unknown]).await;
        assert_eq!(field_error(refused).0, "comentarios_respondidos.1");
        assert_eq!(lead.load_event(&id).await["status"], "a fazer");
    }
    // A submission may name an answer instead of the thread of this answer.
    submit(&lead, &id, &[&answer, &two]).await.expect(200);
    assert_eq!(load_counts(&lead).await, (2, 1));
    let remarks = list_remarks(&lead, &format!("event_id={id}")).await;
    let answered = |id: &str| {
        let remark = remarks.iter().find(|remark| remark["id"] == id);
        remark.expect("a remark")["respondido_na_revisao"].clone()
    };
    assert_eq!((answered(&one), answered(&two)), (Value::Null, json!(2)));
    assert_eq!(answered(&answer), Value::Null);

    // A new request for changes covers all open threads, so earlier answers no longer count.
    decide(&lead, &id, "pedir_ajustes", None).await.expect(200);
    submit(&lead, &id, &[&one]).await.expect(200);
    assert_eq!(load_counts(&lead).await, (2, 1));
    change_remark(&lead, &one, json!({ "resolvido": true }))
        .await
        .expect(200);
    assert_eq!(load_counts(&lead).await, (1, 0));
    change_remark(&lead, &one, json!({ "resolvido": false }))
        .await
        .expect(200);
    assert_eq!(load_counts(&lead).await, (2, 0));
}

#[tokio::test]
async fn an_agent_corrects_a_piece_with_two_tools() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let author = app.add_member(Role::Criador).await;
    let agent = app.token_client(&author).await;
    let id = lead
        .create_demand(json!({ "assignee_id": author.id }))
        .await;
    save_caption(&lead, &id, "Por escrever").await;
    submit(&lead, &id, &[]).await.expect(200);
    add_remark(&lead, &id, "Escreva a legenda").await;
    decide(&lead, &id, "pedir_ajustes", None).await.expect(200);

    let listed = agent
        .call_tool("list_remarks", json!({ "event_id": id }))
        .await
        .structured;
    let remark = &listed["comentarios"][0];
    assert_eq!(remark["texto"], "Escreva a legenda");
    // The list contains what the agent needs for the correction: the status, the caption and the
    // revision of the piece.
    let piece = &listed["peca"];
    assert_eq!(
        (&piece["status"], &piece["legenda"]),
        (&json!("recusado"), &json!("Por escrever"))
    );
    let revision = &piece["api_revision"];
    let sent = agent
        .call_tool(
            "submit_for_approval",
            json!({ "event_id": id, "expected_revision": revision, "caption": "Pronta",
                "comentarios_respondidos": [remark["conversa"]] }),
        )
        .await;
    assert_eq!(sent.structured["status"], "em aprovação", "{}", sent.text);
    assert_eq!(load_counts(&lead).await, (1, 1));
    let tasks = agent.call_tool("list_my_tasks", json!({})).await.structured;
    assert_eq!(tasks["tarefas"][0]["comentarios_abertos"], 1);
}
