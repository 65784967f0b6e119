//! Only members who may see e-mail drafts see threads about them. Mentions, notifications and
//! submissions follow the same rule.

use domain::{Capabilities, Capability, Role};
use serde_json::{Value, json};
use store::members::{self, Member};

use super::{
    count_open,
    emails::{place, put_draft},
    field_error, list_remarks, post_remark, submit, text_of,
};
use crate::support::{Client, TestApp};

const HTML: &str = "<p>Oferta hoje</p>";

/// Returns true if members of this role may see e-mail drafts.
fn sees_drafts(role: Role) -> bool {
    Capabilities::of_level(role.level(), false).contains(Capability::EmailDraftsView)
}

/// Creates a piece with a draft and a thread about the draft; returns the ids of the piece and of
/// the thread.
async fn begin_thread(lead: &Client, assignee: &Member) -> (String, String) {
    let id = lead
        .create_demand(json!({ "assignee_id": assignee.id }))
        .await;
    put_draft(lead, "natal", HTML, None).await;
    let fields = json!({ "ancora": place("hoje") });
    let added = post_remark(lead, &id, "Aqui", fields).await.expect(200);
    (id, text_of(&added.body["id"]))
}

async fn count_mentions(app: &TestApp, member: &Member) -> usize {
    app.app.worker().drain().await.expect("jobs");
    app.advance_clock(2_000);
    app.app.worker().drain().await.expect("jobs");
    let client = app.session_client(member).await;
    let told = client.get("/api/notificacoes").await.expect(200).body;
    let told = told["notificacoes"].as_array().expect("a list").clone();
    let is_mention = |one: &&Value| one["tipo"] == "mencao";
    told.iter().filter(is_mention).count()
}

#[tokio::test]
async fn only_members_who_may_see_drafts_are_mentioned_in_their_threads() {
    for role in Role::ALL.iter().copied() {
        let app = TestApp::new().await;
        let lead = app.as_member(Role::Lider).await;
        let member = app.add_member(role).await;
        let (id, thread) = begin_thread(&lead, &member).await;
        let begun = json!({ "ancora": place("Oferta"), "mencoes": [member.id] });
        let answered = json!({ "responde_a": thread, "mencoes": [member.id] });
        for fields in [begun, answered] {
            let added = post_remark(&lead, &id, "Veja", fields).await;
            match sees_drafts(role) {
                true => drop(added.expect(200)),
                false => assert_eq!(field_error(added).0, "mencoes.0"),
            }
        }
        // In a thread about the piece itself, members without this right can be mentioned too.
        let fields = json!({ "mencoes": [member.id] });
        post_remark(&lead, &id, "Veja", fields).await.expect(200);
        assert_eq!(count_mentions(&app, &member).await, 1, "{role}");
    }
}

/// The right to see drafts is checked when the member is notified, not when the remark is written.
#[tokio::test]
async fn a_member_who_may_no_longer_see_drafts_is_not_notified_of_a_mention() {
    for role in Role::ALL.iter().copied() {
        let app = TestApp::new().await;
        let lead = app.as_member(Role::Lider).await;
        let mut member = app.add_member(Role::Admin).await;
        let (id, thread) = begin_thread(&lead, &member).await;
        let fields = json!({ "responde_a": thread, "mencoes": [member.id] });
        post_remark(&lead, &id, "Veja", fields).await.expect(200);
        member.role = role;
        let tx = app.begin().await;
        let changed = members::update(&tx.conn(), &member).await;
        changed.expect("the role changes");
        tx.commit().await.expect("commits");
        let told = usize::from(sees_drafts(role));
        assert_eq!(count_mentions(&app, &member).await, told, "{role}");
    }
}

#[tokio::test]
async fn a_submission_answers_no_thread_that_its_caller_may_not_see() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let (id, thread) = begin_thread(&lead, &member).await;
    let scopes = [
        Capability::TasksView,
        Capability::DraftSave,
        Capability::Enviar,
    ];
    let (narrow, _) = app.token_client_with(&member, &scopes).await;
    let refused = submit(&narrow, &id, &[&thread]).await;
    let (field, message) = field_error(refused);
    assert_eq!(field, "comentarios_respondidos.0");
    // The message is the same as for a thread that does not exist.
    let unknown = submit(&narrow, &id, &["00000000-0000-7000-8000-000000000000"]).await;
    assert_eq!(field_error(unknown).1, message);
    submit(&lead, &id, &[&thread]).await.expect(200);
    let threads = list_remarks(&lead, "template_id=natal").await;
    assert!(
        threads[0]["respondido_na_revisao"].is_i64(),
        "{}",
        threads[0]
    );
}

/// A request for changes needs a reason, or an open thread that its caller may see.
#[tokio::test]
async fn a_hidden_thread_is_no_reason_for_a_request_for_changes() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let (id, _) = begin_thread(&lead, &member).await;
    submit(&lead, &id, &[]).await.expect(200);
    let scopes = [Capability::TasksView, Capability::Approve];
    let (narrow, _) = app.token_client_with(&member, &scopes).await;
    assert_eq!(count_open(&narrow, &id).await, 0);
    assert_eq!(count_open(&lead, &id).await, 1);
    let refusal = json!({ "event_id": id, "action": "pedir_ajustes" });
    let refused = narrow.post("/api/aprovar", refusal.clone()).await;
    assert_eq!(field_error(refused).0, "motivo");
    lead.post("/api/aprovar", refusal).await.expect(200);
}
