//! The team's members: invitation, roles, passwords, offboarding.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use domain::{MemberId, Role, UserId};
use futures::future::join_all;
use gateway::{Error, Result};
use ports::{IdentityProvider, Invited};
use serde::Serialize;
use serde_json::{Value, json};
use store::members::{self, Member};

use crate::{
    sign_in::{PASSWORD, invite_person, redeem_invitation, sign_in},
    support::{Client, TestApp},
};

const MEMBERS: &str = "/api/membros";

async fn set_role(admin: &Client, id: impl Serialize, role: &str) -> crate::support::Answer {
    admin
        .patch(MEMBERS, json!({ "member_id": id, "access_level": role }))
        .await
}

#[tokio::test]
async fn the_last_admin_cannot_be_removed() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let session = app.session_client(&admin).await;
    set_role(&session, &admin.id, "lider")
        .await
        .expect_refusal(409, "LAST_ADMIN");
    session
        .delete(&format!("{MEMBERS}/{}", admin.id))
        .await
        .expect_refusal(409, "LAST_ADMIN");
    set_role(&session, &admin.id, "admin").await.expect(200);
    let second = app.add_member(Role::Admin).await;
    set_role(&session, &second.id, "criador").await.expect(200);
    session.get(MEMBERS).await.expect(200);
}

async fn invite_admin(session: &Client) -> (String, String) {
    let person = json!({ "name": "Bia", "email": "bia@equipe.test", "access_level": "admin" });
    let invited = session.post(MEMBERS, person).await.expect(201).body;
    let id = invited["membro"]["id"].as_str().expect("an id").to_owned();
    (id, invitation_token(&invited))
}

fn invitation_token(answer: &Value) -> String {
    let link = answer["convite_url"].as_str().expect("a link");
    link.split_once('#').expect("a fragment").1.to_owned()
}

#[tokio::test]
async fn an_admin_whose_invitation_was_never_redeemed_does_not_count() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let session = app.session_client(&admin).await;
    let (invited, token) = invite_admin(&session).await;
    let me = format!("{MEMBERS}/{}", admin.id);
    session.delete(&me).await.expect_refusal(409, "LAST_ADMIN");
    set_role(&session, &admin.id, "lider")
        .await
        .expect_refusal(409, "LAST_ADMIN");
    // The only active admin can still change the role of the invited admin.
    set_role(&session, &invited, "lider").await.expect(200);
    set_role(&session, &invited, "admin").await.expect(200);
    redeem_invitation(&app, &token, PASSWORD).await.expect(200);
    session.delete(&me).await.expect(200);
}

#[tokio::test]
async fn an_admin_without_an_account_does_not_count() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Admin).await;
    let other = app.add_member(Role::Admin).await;
    // Simulates a member from a hosted issuer, who has no account in the embedded provider.
    app.execute_statement(
        "DELETE FROM accounts WHERE user_id = $1",
        [other.user_id.into()],
    )
    .await;
    let me = session.get("/api/me").await.expect(200).body["member"]["id"].clone();
    set_role(&session, &me, "lider")
        .await
        .expect_refusal(409, "LAST_ADMIN");
    let senha = format!("{MEMBERS}/{}/senha", other.id);
    let password = json!({ "senha": PASSWORD });
    session.post(&senha, password).await.expect(200);
    set_role(&session, &me, "lider").await.expect(200);
}

#[tokio::test]
async fn an_admin_reissues_an_invitation_until_it_is_redeemed() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Admin).await;
    let (id, lost) = invite_admin(&session).await;
    let path = format!("{MEMBERS}/{id}/convite");
    let answer = session.post(&path, json!({})).await.expect(201).body;
    assert_eq!(answer["member_id"], id);
    redeem_invitation(&app, &lost, PASSWORD)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    redeem_invitation(&app, &invitation_token(&answer), PASSWORD)
        .await
        .expect(200);
    session
        .post(&path, json!({}))
        .await
        .expect_refusal(409, "INVITATION_REDEEMED");
    let nobody = format!("{MEMBERS}/nobody/convite");
    session
        .post(&nobody, json!({}))
        .await
        .expect_refusal(404, "NOT_FOUND");
    app.as_member(Role::Lider)
        .await
        .post(&path, json!({}))
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
}

#[tokio::test(flavor = "multi_thread")]
async fn admins_who_demote_each_other_simultaneously_leave_one() {
    let app = TestApp::new().await;
    let mut admins = vec![];
    for _ in 0..8 {
        let admin = app.add_member(Role::Admin).await;
        admins.push((app.session_client(&admin).await, admin.id));
    }
    // Opens the pool's connections first, so that the demotions below run concurrently.
    join_all(admins.iter().map(|(session, _)| session.get(MEMBERS))).await;
    let next = admins.iter().cycle().skip(1);
    let ring = admins.iter().zip(next);
    let answers = join_all(ring.map(|((me, _), (_, id))| set_role(me, id, "lider"))).await;
    for answer in answers.into_iter().filter(|answer| answer.status == 409) {
        answer.expect_refusal(409, "LAST_ADMIN");
    }
    let db = &app.app.gateway.services.db;
    let left = members::count_other_admins(&db.reader(), &MemberId::default(), None)
        .await
        .expect("counts");
    assert!(left >= 1);
}

#[tokio::test]
async fn a_role_limits_the_api_level_without_changing_it() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Lider).await;
    let token = app.token_client(&member).await;
    let demoted = set_role(&admin, &member.id, "criador")
        .await
        .expect(200)
        .body;
    assert_eq!(demoted["membro"]["api_access_level"], "lider");
    let me = token.get("/api/me").await.expect(200).body;
    assert_eq!(me["member"]["effective_access_level"], "criador");
    let finance = json!({ "member_id": member.id, "financeiro": true });
    let changed = admin.patch(MEMBERS, finance).await.expect(200).body;
    assert_eq!(changed["membro"]["access_level"], "criador");
    assert_eq!(changed["membro"]["financeiro"], true);
    set_role(&admin, "nobody", "lider")
        .await
        .expect_refusal(404, "NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_email_belongs_to_one_member_even_if_it_is_invited_twice_at_once() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let person = json!({ "name": "Bia", "email": "bia@equipe.test", "access_level": "lider" });
    let invitations = (0..4).map(|_| admin.post(MEMBERS, person.clone()));
    let answers = join_all(invitations).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|a| a.status == 201);
    assert_eq!((made.len(), refused.len()), (1, 3));
    for answer in refused {
        answer.expect_refusal(409, "EMAIL_IN_USE");
    }
    let link = made[0].body["convite_url"].as_str().expect("a link");
    let token = link.split_once('#').expect("a fragment").1;
    redeem_invitation(&app, token, PASSWORD).await.expect(200);
    for (name, email, field) in [
        ("Bia", "sem arroba", "email"),
        ("", "c@equipe.test", "name"),
        ("  ", "c@equipe.test", "name"),
    ] {
        let person = json!({ "name": name, "email": email, "access_level": "lider" });
        assert_eq!(admin.post(MEMBERS, person).await.invalid_fields(), [field]);
    }
}

#[tokio::test]
async fn a_new_password_ends_the_sessions_of_that_member() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Criador).await;
    let session = app.session_client(&member).await;
    let path = format!("{MEMBERS}/{}/senha", member.id);
    let weak = admin.post(&path, json!({ "senha": "senha123" })).await;
    assert!(
        !weak
            .expect_refusal(400, "WEAK_PASSWORD")
            .text
            .contains("senha123")
    );
    session.get("/api/me").await.expect(200);
    admin
        .post(&path, json!({ "senha": PASSWORD }))
        .await
        .expect(200);
    session
        .get("/api/me")
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    sign_in(&app, &member.email, PASSWORD).await.expect(200);
    let nobody = format!("{MEMBERS}/nobody/senha");
    admin
        .post(&nobody, json!({ "senha": PASSWORD }))
        .await
        .expect_refusal(404, "NOT_FOUND");
}

/// An identity provider that fails every call until a test sets `up`.
#[derive(Default)]
pub struct Unreachable {
    pub up: AtomicBool,
}

#[async_trait]
impl IdentityProvider for Unreachable {
    async fn invite(&self, _: &Member, _: i64) -> Result<Invited> {
        Ok(Invited::OnSignIn(""))
    }

    async fn set_password(&self, _: &Member, _: Option<&str>, _: &str) -> Result<Option<String>> {
        Ok(None)
    }

    async fn close_account(&self, _: Option<&str>) -> Result<()> {
        if self.up.load(Ordering::SeqCst) {
            return Ok(());
        }
        Err(Error::internal("the issuer is down"))
    }
}

#[tokio::test]
async fn offboarding_revokes_at_once_and_a_retry_completes_it() {
    let issuer = Arc::new(Unreachable::default());
    let app = TestApp::with_identity(issuer.clone()).await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Criador).await;
    let (session, token) = (
        app.session_client(&member).await,
        app.token_client(&member).await,
    );
    let demand = json!({ "title": "Pauta", "assignee_id": member.id });
    let event = admin.post("/api/demanda", demand).await.expect(200).body;

    let path = format!("{MEMBERS}/{}", member.id);
    let partial = admin.delete(&path).await.expect(207).body;
    let expected = json!({
        "ok": false, "member_id": member.id, "acesso_revogado": true, "pendente": ["identidade"],
    });
    assert_eq!(partial, expected);
    session
        .get("/api/me")
        .await
        .expect_refusal(403, "NOT_A_MEMBER");
    token
        .get("/api/me")
        .await
        .expect_refusal(401, "TOKEN_REVOKED");
    let listed = admin.get(MEMBERS).await.expect(200).body;
    let ids: Vec<&Value> = listed["membros"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    assert!(ids.iter().all(|m| m["id"] != member.id.as_str()));

    issuer.up.store(true, Ordering::SeqCst);
    let done = json!({ "ok": true, "member_id": member.id });
    assert_eq!(admin.delete(&path).await.expect(200).body, done);
    assert_eq!(admin.delete(&path).await.expect(200).body, done);
    let path = format!(
        "/api/eventos/{}",
        event["event_id"].as_str().expect("an id")
    );
    let event = admin.get(&path).await.expect(200).body;
    assert_eq!(event["evento"]["assignee_member_ids"], json!([]));
    assert_eq!(event["historico"][0]["action"], "offboard_member");
    admin
        .delete(&format!("{MEMBERS}/nobody"))
        .await
        .expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_returning_member_keeps_the_id_but_neither_password_nor_tokens() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let (invited, token) = invite_person(&admin, "bia@equipe.test").await;
    redeem_invitation(&app, &token, PASSWORD).await.expect(200);
    let id = invited["membro"]["id"].as_str().expect("an id");
    admin.delete(&format!("{MEMBERS}/{id}")).await.expect(200);
    sign_in(&app, "bia@equipe.test", PASSWORD)
        .await
        .expect_refusal(401, "INVALID_CREDENTIALS");
    let person = json!({ "name": "Bia P.", "email": "bia@equipe.test", "access_level": "admin" });
    let back = admin.post(MEMBERS, person).await.expect(201).body;
    assert_eq!(back["membro"]["id"], id);
    assert_eq!(back["membro"]["access_level"], "admin");
    assert_eq!(back["membro"]["api_access_level"], "nenhum");
    sign_in(&app, "bia@equipe.test", PASSWORD)
        .await
        .expect_refusal(401, "INVALID_CREDENTIALS");
    let link = back["convite_url"].as_str().expect("a link");
    redeem_invitation(&app, link.split_once('#').expect("a fragment").1, PASSWORD)
        .await
        .expect(200);
}

#[tokio::test]
async fn a_transaction_with_a_failed_statement_is_committed_completely_or_refused() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let new = Member {
        id: MemberId::new(app.now()),
        user_id: UserId::new(app.now()),
        email: "nova@equipe.test".into(),
        ..member.clone()
    };
    let same_email = Member {
        id: MemberId::new(app.now()),
        user_id: UserId::new(app.now()),
        ..member
    };
    let tx = app.begin().await;
    members::insert(&tx.conn(), &new)
        .await
        .expect("the member is new");
    let refused = members::insert(&tx.conn(), &same_email).await;
    assert!(refused.is_err());
    let is_acknowledged = tx.commit().await.is_ok();
    let kept = app
        .count_rows("members WHERE email = 'nova@equipe.test'")
        .await;
    assert_eq!(is_acknowledged, kept == 1);
}
