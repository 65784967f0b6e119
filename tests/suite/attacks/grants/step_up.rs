//! A client requests more capabilities than its agent has. After the consent, a new agent replaces
//! only that agent.

use domain::{Level, Member, Role};
use serde_json::{Value, json};

use super::{Person, exchange_code};
use crate::{
    authorization::{CALLBACK, Request, agent_client, assert_oauth_error, register_client},
    support::{Answer, TestApp},
};

/// Connects an agent with the level that the consent page proposes.
async fn connect_agent(app: &TestApp, member: &Member, client_id: &str) -> (Person, Value) {
    let mut person = Person::sign_in(app, member).await;
    let code = person.allow_client(client_id).await;
    let tokens = exchange_code(app, client_id, &code).await.expect(200).body;
    (person, tokens)
}

/// Calls a tool that is refused; returns the scope in the refusal.
async fn scope_of_challenge(app: &TestApp, tokens: &Value, tool: &str) -> String {
    let params = json!({ "name": tool, "arguments": {} });
    let refused = agent_client(app, tokens)
        .send_rpc("tools/call", params)
        .await
        .expect(403);
    let header = refused.headers["www-authenticate"]
        .to_str()
        .expect("text")
        .to_owned();
    let (_, rest) = header.split_once("scope=\"").expect("a scope");
    rest.split('"').next().expect("an end").to_owned()
}

async fn open_consent_page(person: &mut Person, client_id: &str, scope: &str) -> Answer {
    let request = Request::for_client(client_id, CALLBACK).with_parameter("scope", scope);
    person
        .browser
        .get(&request.authorization_path())
        .await
        .expect(200)
}

async fn is_accepted(app: &TestApp, tokens: &Value) -> bool {
    agent_client(app, tokens)
        .send_rpc("tools/list", json!({}))
        .await
        .status
        == 200
}

async fn count_active_agents(app: &TestApp) -> i64 {
    app.count_rows("agents WHERE revoked_at IS NULL").await
}

#[tokio::test]
async fn new_capabilities_are_shown_and_the_new_agent_replaces_the_earlier_one() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let (mut person, mut tokens) = connect_agent(&app, &lead, &client_id).await;
    for (tool, name) in [
        ("decide_approval", "approve"),
        ("publish_shortvideo", "publish"),
    ] {
        let scope = scope_of_challenge(&app, &tokens, tool).await;
        let page = open_consent_page(&mut person, &client_id, &scope).await;
        let (_, new) = page.text.split_once("O que é novo").expect("a list");
        let (new, before) = new.split_once("O que ele já pode").expect("a list");
        assert_eq!(new.matches("type=\"checkbox\"").count(), 1, "{new}");
        assert!(new.contains(&format!("value=\"{name}\" checked")), "{new}");
        assert!(!before.contains(&format!("value=\"{name}\"")));
        assert!(before.contains("value=\"draft_save\" checked"));
        let code = person.submit_consent(&page, &[]).await;
        assert!(
            is_accepted(&app, &tokens).await,
            "the earlier agent must work until the code is exchanged"
        );
        let more = exchange_code(&app, &client_id, &code)
            .await
            .expect(200)
            .body;
        assert!(!is_accepted(&app, &tokens).await);
        assert!(more["scope"].as_str().expect("text").contains(name));
        assert!(
            agent_client(&app, &more)
                .tool_names()
                .await
                .contains(&tool.to_owned())
        );
        assert_eq!(count_active_agents(&app).await, 1);
        tokens = more;
    }
    let replaced = "audit_events WHERE action = 'replace_agent' AND outcome = 'succeeded'";
    assert_eq!(app.count_rows(replaced).await, 2);
}

#[tokio::test]
async fn a_request_that_includes_the_earlier_scope_is_an_extension_too() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    for usual in ["leitor criador lider admin vendas ", "criador ", ""] {
        let (mut person, tokens) = connect_agent(&app, &lead, &client_id).await;
        let scope =
            usual.to_owned() + &scope_of_challenge(&app, &tokens, "publish_shortvideo").await;
        let page = open_consent_page(&mut person, &client_id, &scope).await;
        let code = person.submit_consent(&page, &[]).await;
        exchange_code(&app, &client_id, &code).await.expect(200);
        assert!(!is_accepted(&app, &tokens).await, "{usual}");
        let session = app.session_client(&lead).await;
        let agents = session.get("/api/access/agents").await.expect(200).body;
        let id = agents["agents"][0]["id"].as_str().expect("an id");
        session
            .delete(&format!("/api/access/agents/{id}"))
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn signing_in_on_another_machine_leaves_the_first_one_connected() {
    let app = TestApp::new().await;
    let admin = app.add_member_with(Role::Admin, Level::Admin, true).await;
    let client_id = register_client(&app, CALLBACK).await;
    let (mut person, first) = connect_agent(&app, &admin, &client_id).await;
    for usual in [
        "leitor criador lider admin vendas",
        "lider",
        "criador",
        "leitor offline_access",
    ] {
        let page = open_consent_page(&mut person, &client_id, usual).await;
        assert!(!page.text.contains("O que é novo"), "{usual}");
        assert!(page.text.contains("continua"), "{usual}: {}", page.text);
        let code = person.submit_consent(&page, &[]).await;
        exchange_code(&app, &client_id, &code).await.expect(200);
        assert!(is_accepted(&app, &first).await, "{usual}");
    }
    assert_eq!(count_active_agents(&app).await, 5);
}

#[tokio::test]
async fn two_machines_with_the_same_grant_both_stay_connected() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let (mut person, one) = connect_agent(&app, &lead, &client_id).await;
    let (_, other) = connect_agent(&app, &lead, &client_id).await;
    let scope = scope_of_challenge(&app, &one, "decide_approval").await;
    let page = open_consent_page(&mut person, &client_id, &scope).await;
    assert!(page.text.contains("Nenhum acaba agora"), "{}", page.text);
    let forged = [("substitui", "sim")];
    let code = person.submit_consent(&page, &forged).await;
    exchange_code(&app, &client_id, &code).await.expect(200);
    assert!(is_accepted(&app, &one).await && is_accepted(&app, &other).await);
}

#[tokio::test]
async fn the_person_may_keep_the_earlier_agent() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let (mut person, first) = connect_agent(&app, &lead, &client_id).await;
    let scope = scope_of_challenge(&app, &first, "decide_approval").await;
    let page = open_consent_page(&mut person, &client_id, &scope).await;
    let code = person.submit_consent(&page, &[("substitui", "")]).await;
    exchange_code(&app, &client_id, &code).await.expect(200);
    assert!(is_accepted(&app, &first).await);
}

#[tokio::test]
async fn an_extension_leaves_money_and_personal_data_unticked() {
    let app = TestApp::new().await;
    let admin = app.add_member_with(Role::Admin, Level::Admin, true).await;
    let client_id = register_client(&app, CALLBACK).await;
    let (mut person, first) = connect_agent(&app, &admin, &client_id).await;
    let scope = scope_of_challenge(&app, &first, "get_personal_profile").await;
    let page = open_consent_page(&mut person, &client_id, &scope).await;
    assert!(
        page.text.contains("name=\"capacidades\" value=\"vendas\">"),
        "{}",
        page.text
    );
    // A consent that grants no new capability is refused. Otherwise the client would repeat the
    // same authorization request forever.
    let again = person
        .browser
        .submit_decision(&page, "permitir", &[])
        .await
        .expect(400);
    assert!(again.text.contains("Marque o que é novo"), "{}", again.text);
    let code = person
        .submit_consent(&page, &[("capacidades", "tasks_view vendas team_admin")])
        .await;
    let more = exchange_code(&app, &client_id, &code)
        .await
        .expect(200)
        .body;
    assert_eq!(
        more["scope"], "tasks_view vendas",
        "a capability was granted that the page did not show"
    );
}

#[tokio::test]
async fn only_the_agent_that_the_page_showed_is_replaced() {
    let app = TestApp::new().await;
    let (lead, other) = (
        app.add_member(Role::Lider).await,
        app.add_member(Role::Lider).await,
    );
    let (client, another) = (
        register_client(&app, CALLBACK).await,
        register_client(&app, CALLBACK).await,
    );
    let (mut person, mine) = connect_agent(&app, &lead, &client).await;
    let (mut theirs, _) = connect_agent(&app, &other, &another).await;
    let scope = scope_of_challenge(&app, &mine, "decide_approval").await;
    // A page for another member or another client has no agent to extend.
    for (who, client_id) in [(&mut theirs, &client), (&mut person, &another)] {
        let shown = open_consent_page(who, client_id, &scope).await;
        assert!(!shown.text.contains("O que é novo"));
        let agents = app.query_rows("SELECT id FROM agents".into()).await;
        let id: String = agents[0].try_get("", "id").expect("an id");
        let forged = [
            ("amplia", id.as_str()),
            ("substitui", "sim"),
            ("capacidades", "approve"),
        ];
        who.browser
            .submit_decision(&shown, "permitir", &forged)
            .await
            .expect(400);
    }
    // The agent is revoked while the page is open.
    let shown = open_consent_page(&mut person, &client, &scope).await;
    let code = person.submit_consent(&shown, &[]).await;
    let agents = person
        .session
        .get("/api/access/agents")
        .await
        .expect(200)
        .body;
    let id = agents["agents"][0]["id"].as_str().expect("an id");
    person
        .session
        .delete(&format!("/api/access/agents/{id}"))
        .await
        .expect(200);
    assert_oauth_error(
        exchange_code(&app, &client, &code).await,
        400,
        "invalid_grant",
    );
    let again = person
        .browser
        .submit_decision(&shown, "permitir", &[])
        .await
        .expect(400);
    assert!(again.text.contains("Confira de novo"), "{}", again.text);
}
