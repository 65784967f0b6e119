//! An authorization code cannot be exchanged once the access that it was issued for has ended.

use domain::{Level, Member, MemberId, Role, time::SECOND};
use serde_json::{Value, json};
use store::members;

use super::{Person, exchange_code};
use crate::{
    authorization::{CALLBACK, Request, agent_client, assert_oauth_error, register_client},
    sign_in::{BETTER, redeem_invitation},
    support::TestApp,
};

/// The ways in which access ends.
#[derive(Debug, Clone, Copy)]
enum Ending {
    OwnPassword { revokes: bool },
    PasswordByAdmin { revokes: bool },
    PasswordByOperator,
    Reset,
    NoApiAccess,
    Offboarding,
    SignOut(&'static str),
    SignOutElsewhere(&'static str),
    LeavingTheConsole,
    ReplayedSession,
    AgentRevoked,
    AgentRevokedByAdmin,
    AgentGivenBack,
}

const ENDINGS: [Ending; 17] = [
    Ending::OwnPassword { revokes: false },
    Ending::OwnPassword { revokes: true },
    Ending::PasswordByAdmin { revokes: false },
    Ending::PasswordByAdmin { revokes: true },
    Ending::PasswordByOperator,
    Ending::Reset,
    Ending::NoApiAccess,
    Ending::Offboarding,
    Ending::SignOut("local"),
    Ending::SignOut("global"),
    Ending::SignOutElsewhere("others"),
    Ending::SignOutElsewhere("global"),
    Ending::LeavingTheConsole,
    Ending::ReplayedSession,
    Ending::AgentRevoked,
    Ending::AgentRevokedByAdmin,
    Ending::AgentGivenBack,
];

/// A member with an agent, and an unused code for the same client.
struct Allowed {
    app: TestApp,
    member: Member,
    person: Person,
    client_id: String,
    tokens: Value,
    code: String,
}

impl Allowed {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let member = app.add_member(Role::Lider).await;
        let client_id = register_client(&app, CALLBACK).await;
        let mut person = Person::sign_in(&app, &member).await;
        let first = person.allow_client(&client_id).await;
        let tokens = exchange_code(&app, &client_id, &first)
            .await
            .expect(200)
            .body;
        let code = person.allow_client(&client_id).await;
        Self {
            app,
            member,
            person,
            client_id,
            tokens,
            code,
        }
    }

    async fn end_access(&mut self, ending: Ending) {
        let (app, session) = (&self.app, &self.person.session);
        let admin = app.as_member(Role::Admin).await;
        let id: &MemberId = &self.member.id;
        let password = json!({ "password": BETTER });
        match ending {
            Ending::OwnPassword { revokes } => {
                let body = json!({ "password": BETTER, "revoke_tokens": revokes });
                session.put("/auth/v1/user", body).await.expect(200);
            }
            Ending::PasswordByAdmin { revokes } => {
                let body = json!({ "senha": BETTER, "revoke_tokens": revokes });
                let path = format!("/api/membros/{id}/senha");
                admin.post(&path, body).await.expect(200);
            }
            Ending::PasswordByOperator => {
                let gateway = &app.app.gateway;
                let set = tools::operator::set_password(gateway, &self.member.email, BETTER);
                set.await.expect("the password is set");
            }
            Ending::Reset => {
                // An invitation is issued only to a member without a password.
                let without = "UPDATE accounts SET password_hash = NULL WHERE user_id = $1";
                app.execute_statement(without, [self.member.user_id.clone().into()])
                    .await;
                let path = format!("/api/membros/{id}/convite");
                let link = admin.post(&path, json!({})).await.expect(201).body;
                let link = link["convite_url"].as_str().expect("a link").to_owned();
                let (_, token) = link.split_once('#').expect("a token");
                redeem_invitation(app, token, BETTER).await.expect(200);
            }
            Ending::NoApiAccess => {
                let path = format!("/api/access/members/{id}");
                let body = json!({ "api_access_level": "nenhum" });
                admin.patch(&path, body).await.expect(200);
            }
            Ending::Offboarding => {
                admin
                    .delete(&format!("/api/membros/{id}"))
                    .await
                    .expect(200);
            }
            Ending::SignOut(scope) => {
                let path = format!("/auth/v1/logout?scope={scope}");
                session.post(&path, json!({})).await.expect(200);
            }
            Ending::SignOutElsewhere(scope) => {
                let path = format!("/auth/v1/logout?scope={scope}");
                let other = app.session_client(&self.member).await;
                other.post(&path, json!({})).await.expect(200);
            }
            Ending::LeavingTheConsole => {
                let left = self.person.browser.post("/sair", &[]).await;
                left.expect(303);
            }
            Ending::ReplayedSession => {
                // Opens a session with a refresh token, and grants the client access in this
                // session.
                let first = session
                    .put("/auth/v1/user", password)
                    .await
                    .expect(200)
                    .body;
                let path = "/auth/v1/token?grant_type=refresh_token";
                let body = json!({ "refresh_token": first["refresh_token"] });
                let anonymous = app.anonymous();
                let cookie = identity::browser::cookie_for_session_token(
                    &app.app.gateway.services,
                    first["access_token"].as_str().expect("a token"),
                );
                let cookie = cookie.expect("a cookie");
                let (name, value) = cookie
                    .split(';')
                    .next()
                    .and_then(|c| c.split_once('='))
                    .expect("a pair");
                self.person
                    .browser
                    .cookies
                    .insert(name.into(), value.into());
                self.code = self.person.allow_client(&self.client_id).await;
                anonymous.post(path, body.clone()).await.expect(200);
                app.advance_clock(11 * SECOND);
                anonymous.post(path, body).await.expect(401);
            }
            Ending::AgentRevoked => {
                let agents = session.get("/api/access/agents").await.expect(200).body;
                let agent = agents["agents"][0]["id"].as_str().expect("an id");
                let path = format!("/api/access/agents/{agent}");
                session.delete(&path).await.expect(200);
            }
            Ending::AgentRevokedByAdmin => {
                let agents = session.get("/api/access/agents").await.expect(200).body;
                let agent = agents["agents"][0]["id"].as_str().expect("an id");
                let path = format!("/api/access/members/{id}/agents/{agent}");
                admin.delete(&path).await.expect(200);
            }
            Ending::AgentGivenBack => {
                let token = self.tokens["refresh_token"].as_str().expect("a token");
                let fields = [("client_id", self.client_id.as_str()), ("token", token)];
                app.anonymous()
                    .post_form("/revoke", &fields)
                    .await
                    .expect(200);
            }
        }
    }
}

#[tokio::test]
async fn ending_a_session_or_the_agents_of_a_member_invalidates_unused_codes() {
    for ending in ENDINGS {
        let mut allowed = Allowed::new().await;
        allowed.end_access(ending).await;
        let late = exchange_code(&allowed.app, &allowed.client_id, &allowed.code).await;
        assert_eq!(
            late.body["error"], "invalid_grant",
            "{ending:?}: {}",
            late.text
        );
        let unused = "oauth_codes WHERE used_at IS NULL";
        assert_eq!(allowed.app.count_rows(unused).await, 0, "{ending:?}");
    }
}

#[tokio::test]
async fn codes_of_other_sessions_members_and_clients_stay_valid() {
    let app = TestApp::new().await;
    let (member, other) = (
        app.add_member(Role::Lider).await,
        app.add_member(Role::Lider).await,
    );
    let (client, another) = (
        register_client(&app, CALLBACK).await,
        register_client(&app, CALLBACK).await,
    );
    // Ends another session of the same member: the code stays valid.
    let here = Person::sign_in(&app, &member).await;
    let mut there = Person::sign_in(&app, &member).await;
    let code = there.allow_client(&client).await;
    here.session
        .post("/auth/v1/logout?scope=local", json!({}))
        .await
        .expect(200);
    exchange_code(&app, &client, &code).await.expect(200);
    // Ends all sessions of the member except this one: the code stays valid.
    let mut here = Person::sign_in(&app, &member).await;
    let code = here.allow_client(&client).await;
    here.session
        .post("/auth/v1/logout?scope=others", json!({}))
        .await
        .expect(200);
    exchange_code(&app, &client, &code).await.expect(200);
    // The end of all sessions of this member does not invalidate the code of another member.
    let mut theirs = Person::sign_in(&app, &other).await;
    let code = theirs.allow_client(&client).await;
    here.session
        .post("/auth/v1/logout?scope=global", json!({}))
        .await
        .expect(200);
    let tokens = exchange_code(&app, &client, &code).await.expect(200).body;
    // Revokes an agent of another client: the code stays valid.
    let code = theirs.allow_client(&another).await;
    let agents = theirs
        .session
        .get("/api/access/agents")
        .await
        .expect(200)
        .body;
    let id = agents["agents"][0]["id"].as_str().expect("an id");
    let path = format!("/api/access/agents/{id}");
    theirs.session.delete(&path).await.expect(200);
    agent_client(&app, &tokens)
        .send_rpc("tools/list", json!({}))
        .await
        .expect(401);
    exchange_code(&app, &another, &code).await.expect(200);
}

#[tokio::test]
async fn a_code_is_refused_if_its_member_may_no_longer_grant_any_of_its_capabilities() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let mut person = Person::sign_in(&app, &member).await;
    let request =
        Request::for_client(&client_id, CALLBACK).with_parameter("scope", "approve tasks_assign");
    let page = person
        .browser
        .get(&request.authorization_path())
        .await
        .expect(200);
    let code = person.submit_consent(&page, &[]).await;
    let mut lowered = member.clone();
    lowered.api_access_level = Level::Leitor;
    let tx = app.begin().await;
    members::update(&tx.conn(), &lowered)
        .await
        .expect("the member is updated");
    tx.commit().await.expect("commits");
    assert_oauth_error(
        exchange_code(&app, &client_id, &code).await,
        400,
        "invalid_grant",
    );
    assert_eq!(app.count_rows("agents").await, 0);
}

#[tokio::test]
async fn a_code_exchange_while_access_ends_leaves_no_agent() {
    for _ in 0..10 {
        let allowed = Allowed::new().await;
        let admin = allowed.app.as_member(Role::Admin).await;
        let path = format!("/api/membros/{}", allowed.member.id);
        let (_, gone) = futures::join!(
            exchange_code(&allowed.app, &allowed.client_id, &allowed.code),
            admin.delete(&path),
        );
        gone.expect(200);
        let active = "agents WHERE revoked_at IS NULL";
        assert_eq!(allowed.app.count_rows(active).await, 0);
        let unused = "oauth_codes WHERE used_at IS NULL";
        assert_eq!(allowed.app.count_rows(unused).await, 0);
    }
}
