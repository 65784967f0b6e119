//! The members who may read and write remarks, and the members who may be mentioned.

use domain::{Capability, Level, Role, time::SECOND};
use gateway::{Credential, Principal, Watcher};
use serde_json::{Value, json};

use super::{
    add_answer, add_remark, change_remark, list_remarks, list_texts, post_remark, remove_remark,
};
use crate::support::TestApp;

const NOBODY: &str = "0198c0de-0000-7000-8000-000000000000";

#[tokio::test]
async fn a_hidden_remark_gets_the_same_answer_as_a_missing_one() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let stranger = app.as_member(Role::Criador).await;
    let id = lead.create_demand(json!({ "title": "Secreto" })).await;
    let remark = add_remark(&lead, &id, "Só para quem vê").await;
    let edit = json!({ "resolvido": true });
    for (hidden, absent) in [
        (
            change_remark(&stranger, &remark, edit.clone()).await,
            change_remark(&stranger, NOBODY, edit.clone()).await,
        ),
        (
            remove_remark(&stranger, &remark).await,
            remove_remark(&stranger, NOBODY).await,
        ),
        (
            post_remark(&stranger, &id, "Oi", json!({})).await,
            post_remark(&stranger, NOBODY, "Oi", json!({})).await,
        ),
        (
            stranger
                .get(&format!("/api/comentarios?event_id={id}"))
                .await,
            stranger
                .get(&format!("/api/comentarios?event_id={NOBODY}"))
                .await,
        ),
    ] {
        assert_eq!(hidden.expect_refusal(404, "NOT_FOUND").body, absent.body);
    }
    for query in ["", "estado=todos", "mencionam_me=true"] {
        assert_eq!(list_texts(&stranger, query).await, [""; 0], "{query}");
    }
    assert_eq!(list_texts(&lead, "").await, ["Só para quem vê"]);
}

#[tokio::test]
async fn members_who_write_captions_or_decide_may_write_remarks() {
    let app = TestApp::new().await;
    let member = app.add_member_with(Role::Lider, Level::Lider, false).await;
    let lead = app.session_client(&member).await;
    let id = lead.create_demand(json!({})).await;
    for (scopes, may) in [
        (vec![Capability::TasksView, Capability::DraftSave], true),
        (vec![Capability::TasksView, Capability::Approve], true),
        (vec![Capability::TasksView, Capability::Enviar], false),
    ] {
        let (agent, _) = app.token_client_with(&member, &scopes).await;
        let answer = post_remark(&agent, &id, "Oi", json!({})).await;
        match may {
            true => answer.expect(200),
            false => answer.expect_refusal(403, "CAPABILITY_REQUIRED"),
        };
        list_remarks(&agent, &format!("event_id={id}")).await;
    }
}

#[tokio::test]
async fn only_members_who_see_the_piece_can_be_mentioned() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (assigned, stranger) = (
        app.add_member(Role::Criador).await,
        app.add_member(Role::Criador).await,
    );
    let gone = app.add_member(Role::Lider).await;
    let sql = "UPDATE members SET active = NOT active WHERE id = $1";
    app.execute_statement(sql, [gone.id.to_string()]).await;
    let id = lead
        .create_demand(json!({ "assignee_id": assigned.id }))
        .await;
    let mention = |people: Value| post_remark(&lead, &id, "Veja", json!({ "mencoes": people }));
    mention(json!([assigned.id])).await.expect(200);
    let refused = mention(json!([assigned.id, stranger.id, NOBODY, gone.id])).await;
    let refused = refused.expect_refusal(400, "INVALID_INPUT");
    let faults = refused.body["details"]["fields"]
        .as_array()
        .expect("faults");
    let fields: Vec<&Value> = faults.iter().map(|fault| &fault["field"]).collect();
    assert_eq!(fields, ["mencoes.1", "mencoes.2", "mencoes.3"]);
    // The error is the same for a member who may not see the piece and for one who does not exist.
    assert_eq!(faults[0]["message"], faults[1]["message"]);
    assert!(!refused.text.contains(&stranger.name));
    let many: Vec<String> = (0..51).map(|_| assigned.id.to_string()).collect();
    let refused = mention(json!(many))
        .await
        .expect_refusal(400, "INVALID_INPUT");
    assert_eq!(refused.invalid_fields(), ["mencoes"]);
    assert_eq!(app.count_rows("remarks").await, 1);

    let session = app.session_client(&assigned).await;
    assert_eq!(list_texts(&session, "mencionam_me=true").await, ["Veja"]);
    // A member who no longer sees the piece no longer sees the mention either.
    let change = json!({ "expected_revision": 1, "assignee_ids": [] });
    lead.patch(&format!("/api/eventos/{id}"), change)
        .await
        .expect(200);
    assert_eq!(list_texts(&session, "mencionam_me=true").await, [""; 0]);
}

#[tokio::test]
async fn every_change_of_remarks_notifies_the_members_who_see_the_piece() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (assigned, stranger) = (
        app.add_member(Role::Criador).await,
        app.add_member(Role::Criador).await,
    );
    let id = lead
        .create_demand(json!({ "assignee_id": assigned.id }))
        .await;
    let watch = |member| {
        let caller = Principal::new(member, Credential::Session { family_id: None });
        let gateway = &app.app.gateway;
        let registry = gateway.registry.clone();
        Watcher::new(&gateway.services.changes, registry, caller, None)
    };
    let (mut assigned, mut stranger) = (watch(assigned), watch(stranger));
    let mut is_told = async |who: &str| {
        let (told, other) = (assigned.next_news().await, stranger.next_news().await);
        // As long as a service does not listen to other instances, it names no areas.
        let (Some(told), Some(other)) = (told.areas, other.areas) else {
            return;
        };
        assert!(told.contains_key("conversation"), "{who}: {told:?}");
        assert!(!other.contains_key("conversation"), "{who}: {other:?}");
    };
    let thread = add_remark(&lead, &id, "Um").await;
    app.advance_clock(SECOND);
    is_told("add").await;
    add_answer(&lead, &id, &thread, "Dois").await;
    is_told("answer").await;
    change_remark(&lead, &thread, json!({ "texto": "Três" }))
        .await
        .expect(200);
    is_told("edit").await;
    change_remark(&lead, &thread, json!({ "resolvido": true }))
        .await
        .expect(200);
    is_told("resolve").await;
    remove_remark(&lead, &thread).await.expect(200);
    is_told("remove").await;
}

#[tokio::test]
async fn the_audit_trail_names_the_piece_of_a_remark_and_no_text() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let id = admin
        .create_demand(json!({ "title": "Broa de milho" }))
        .await;
    let remark = add_remark(&admin, &id, "jabuticaba").await;
    change_remark(&admin, &remark, json!({ "texto": "pitanga" }))
        .await
        .expect(200);
    remove_remark(&admin, &remark).await.expect(200);
    let rows = admin.get("/api/access/audit").await.expect(200);
    for word in ["jabuticaba", "pitanga"] {
        assert!(
            !rows.text.contains(word) && !app.contains_text(word).await,
            "{word}"
        );
    }
    let rows = rows.body["audit"].as_array().expect("rows").clone();
    for action in ["add_remark", "update_remark", "remove_remark"] {
        let row = rows
            .iter()
            .find(|row| row["action"] == action)
            .expect("a row");
        assert_eq!(row["resource_id"], remark.as_str());
        assert_eq!(row["resource_name"], "Broa de milho", "{row}");
    }
}
