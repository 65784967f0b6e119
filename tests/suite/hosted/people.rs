//! Accounts at Supabase Auth follow the members: invitation, password, ban.

use domain::{Role, time::SECOND};
use serde_json::{Value, json};
use store::members::Member;

use super::{
    ME, add_member_with_account,
    double::{ADMIN_KEY, Fault, Issuer, OLD_ADMIN_KEY},
    service_with_admin_key, service_with_oidc, service_with_short_timeout, session_client,
};
use crate::support::{Client, TestApp};

const MEMBERS: &str = "/api/membros";
const PASSWORD: &str = "lagoa-trem-girafa-vinil";

fn bia_input() -> Value {
    json!({ "name": "Bia Prado", "email": "Bia@Equipe.test", "access_level": "criador" })
}

/// Returns the id of the member in the answer to an invitation.
fn member_id(invited: &Value) -> &str {
    invited["membro"]["id"].as_str().expect("an id")
}

async fn admin_client(app: &TestApp, issuer: &Issuer) -> Client {
    add_member_with_account(app, issuer, Role::Admin).await.2
}

#[tokio::test]
async fn an_invitation_sends_an_email_and_binds_the_returned_account() {
    let (app, issuer) = service_with_admin_key().await;
    let admin = admin_client(&app, &issuer).await;
    let invited = admin.post(MEMBERS, bia_input()).await.expect(201).body;
    assert!(invited["convite_url"].is_null() && invited["avisos"].is_null());
    let account = issuer
        .find_account_id("bia@equipe.test")
        .expect("an account");
    let (path, sent) = issuer.admin_requests().pop().expect("a request");
    assert_eq!(path, "POST /auth/v1/invite");
    let expected = json!({ "email": "bia@equipe.test", "data": { "name": "Bia Prado" } });
    assert_eq!(sent, expected);

    // An account that is already bound needs no e-mail in its claims, confirmed or not.
    let mut claims = issuer.session_claims(&account, "x", app.now());
    claims.as_object_mut().expect("an object").remove("email");
    let me = session_client(&app, &claims).get(ME).await.expect(200).body;
    assert_eq!(me["member"]["id"], invited["membro"]["id"]);
    let other = issuer.add_account("outra@fora.test", true);
    let other = issuer.session_claims(&other, "bia@equipe.test", app.now());
    session_client(&app, &other)
        .get(ME)
        .await
        .expect_refusal(403, "NOT_A_MEMBER");
    admin
        .post(MEMBERS, bia_input())
        .await
        .expect_refusal(409, "EMAIL_IN_USE");

    // The invitation can be repeated until it is accepted.
    let path = format!("{MEMBERS}/{}/convite", member_id(&invited));
    let again = admin.post(&path, json!({})).await.expect(201).body;
    assert!(again["convite_url"].is_null());
    session_client(&app, &claims).get(ME).await.expect(200);
    issuer.confirm_email(&account);
    let refused = admin.post(&path, json!({})).await;
    refused.expect_refusal(409, "INVITATION_REDEEMED");
    session_client(&app, &claims).get(ME).await.expect(200);
}

#[tokio::test]
async fn an_existing_account_is_bound_at_the_first_sign_in() {
    let (app, issuer) = service_with_admin_key().await;
    let admin = admin_client(&app, &issuer).await;
    let account = issuer.add_account("bia@equipe.test", true);
    let invited = admin.post(MEMBERS, bia_input()).await.expect(201).body;
    let told = invited["avisos"][0].as_str().expect("a text");
    assert!(told.contains("já tem conta"), "{told}");
    let path = format!("{MEMBERS}/{}/senha", member_id(&invited));
    let password = json!({ "senha": PASSWORD });
    let early = admin.post(&path, password.clone()).await;
    early.expect_refusal(409, "ACCOUNT_NOT_LINKED");
    let claims = issuer.session_claims(&account, "bia@equipe.test", app.now());
    session_client(&app, &claims).get(ME).await.expect(200);
    admin.post(&path, password).await.expect(200);
    let person = issuer.find_account(&account).expect("an account");
    assert_eq!(person.password.as_deref(), Some(PASSWORD));
}

#[tokio::test]
async fn a_password_is_set_at_the_issuer_and_ends_sessions_here() {
    let issuer = Issuer::new().await;
    let app = service_with_short_timeout(issuer.admin_settings()).await;
    let admin = admin_client(&app, &issuer).await;
    let (member, account, client) = add_member_with_account(&app, &issuer, Role::Criador).await;
    let token = app.token_client(&member).await;
    let path = format!("{MEMBERS}/{}/senha", member.id);
    for weak in ["curta", "lagoa-trem-vazada-vinil"] {
        let refused = admin.post(&path, json!({ "senha": weak })).await;
        assert!(
            !refused
                .expect_refusal(400, "WEAK_PASSWORD")
                .text
                .contains(weak)
        );
    }
    client.get(ME).await.expect(200);
    for (fault, code) in [
        (Fault::Status(500), "PROVIDER_FAILED"),
        (Fault::Page, "PROVIDER_FAILED"),
        (Fault::Reset, "PROVIDER_TIMEOUT"),
        (Fault::Hang, "PROVIDER_TIMEOUT"),
    ] {
        issuer.set_fault("/admin", fault);
        let refused = admin.post(&path, json!({ "senha": PASSWORD })).await;
        let refused = refused.expect_refusal(500, code);
        assert!(!refused.text.contains(PASSWORD) && !refused.text.contains(ADMIN_KEY));
        client.get(ME).await.expect(200);
    }
    issuer.set_fault("/admin", None);
    let set = admin.post(&path, json!({ "senha": PASSWORD })).await;
    assert_eq!(set.expect(200).body["revoked_tokens"], 1);
    client.get(ME).await.expect_refusal(401, "UNAUTHENTICATED");
    token.get(ME).await.expect_refusal(401, "TOKEN_REVOKED");
    issuer.delete_account(&account);
    let gone = admin.post(&path, json!({ "senha": PASSWORD })).await;
    gone.expect_refusal(409, "ACCOUNT_NOT_LINKED");
    assert!(!app.contains_text(PASSWORD).await && !app.contains_text(ADMIN_KEY).await);
}

async fn offboard(admin: &Client, member: &Member) -> (u16, Value) {
    let answer = admin.delete(&format!("{MEMBERS}/{}", member.id)).await;
    (answer.status, answer.body)
}

#[tokio::test]
async fn offboarding_bans_the_account_and_a_retry_completes_it_after_an_outage() {
    let issuer = Issuer::new().await;
    let app = service_with_short_timeout(issuer.admin_settings()).await;
    let admin = admin_client(&app, &issuer).await;
    for fault in [
        Fault::Reset,
        Fault::Status(500),
        Fault::Status(404),
        Fault::Page,
        Fault::Nonsense,
        Fault::Huge,
        Fault::Hang,
    ] {
        let (member, account, client) = add_member_with_account(&app, &issuer, Role::Lider).await;
        let token = app.token_client(&member).await;
        issuer.set_fault("/admin", fault);
        let partial = json!({
            "ok": false, "member_id": member.id, "acesso_revogado": true,
            "pendente": ["identidade"],
        });
        for _ in 0..2 {
            assert_eq!(offboard(&admin, &member).await, (207, partial.clone()));
        }
        client.get(ME).await.expect_refusal(403, "NOT_A_MEMBER");
        token.get(ME).await.expect_refusal(401, "TOKEN_REVOKED");
        assert!(!issuer.find_account(&account).expect("an account").banned);
        issuer.set_fault("/admin", None);
        // The pending ban is in the database, so another instance completes it.
        let other = app.second_instance().await;
        let done = json!({ "ok": true, "member_id": member.id });
        assert_eq!(
            offboard(&admin.at_instance(&other), &member).await,
            (200, done.clone())
        );
        assert!(issuer.find_account(&account).expect("an account").banned);
        let asked = issuer.admin_requests().len();
        assert_eq!(offboard(&admin, &member).await, (200, done));
        assert_eq!(issuer.admin_requests().len(), asked);
    }
}

#[tokio::test]
async fn offboarding_succeeds_without_the_account_and_sends_no_request_for_an_unknown_one() {
    let (app, issuer) = service_with_admin_key().await;
    let admin = admin_client(&app, &issuer).await;
    let (member, account, _) = add_member_with_account(&app, &issuer, Role::Lider).await;
    issuer.delete_account(&account);
    assert_eq!(offboard(&admin, &member).await.0, 200);
    let member = app.add_member(Role::Criador).await;
    let asked = issuer.admin_requests().len();
    assert_eq!(offboard(&admin, &member).await.0, 200);
    assert_eq!(issuer.admin_requests().len(), asked);
}

#[tokio::test]
async fn a_returning_member_is_no_longer_banned() {
    let (app, issuer) = service_with_admin_key().await;
    let admin = admin_client(&app, &issuer).await;
    let (member, account, client) = add_member_with_account(&app, &issuer, Role::Lider).await;
    assert_eq!(offboard(&admin, &member).await.0, 200);
    let back = json!({ "name": "Volta", "email": member.email, "access_level": "criador" });
    issuer.set_fault("/admin", Fault::Status(500));
    let refused = admin.post(MEMBERS, back.clone()).await;
    refused.expect_refusal(500, "PROVIDER_FAILED");
    client.get(ME).await.expect_refusal(403, "NOT_A_MEMBER");
    issuer.set_fault("/admin", None);
    let returned = admin.post(MEMBERS, back.clone()).await.expect(201).body;
    assert_eq!(member_id(&returned), member.id.as_str());
    assert!(returned["avisos"][0].is_string());
    assert!(!issuer.find_account(&account).expect("an account").banned);
    // Sessions from the time before the offboarding stay ended.
    client.get(ME).await.expect_refusal(401, "UNAUTHENTICATED");
    app.advance_clock(SECOND);
    let claims = issuer.session_claims(&account, &member.email, app.now());
    session_client(&app, &claims).get(ME).await.expect(200);

    // If the account was deleted, the member gets a new one with an invitation.
    assert_eq!(offboard(&admin, &member).await.0, 200);
    issuer.delete_account(&account);
    let returned = admin.post(MEMBERS, back).await.expect(201).body;
    assert!(returned["avisos"].is_null());
    let new = issuer.find_account_id(&member.email).expect("an account");
    app.advance_clock(SECOND);
    let claims = issuer.session_claims(&new, &member.email, app.now());
    session_client(&app, &claims).get(ME).await.expect(200);
    let old = issuer.session_claims(&account, &member.email, app.now());
    session_client(&app, &old)
        .get(ME)
        .await
        .expect_refusal(403, "NOT_A_MEMBER");
}

#[tokio::test]
async fn a_failed_invitation_creates_no_member_and_can_be_repeated() {
    let (app, issuer) = service_with_admin_key().await;
    let admin = admin_client(&app, &issuer).await;
    for fault in [
        Fault::Reset,
        Fault::Status(429),
        Fault::Status(502),
        Fault::Page,
        Fault::Nonsense,
        Fault::Huge,
        Fault::Redirect("/auth/v1/admin/users".into()),
    ] {
        issuer.set_fault("/invite", fault);
        let refused = admin.post(MEMBERS, bia_input()).await;
        assert_eq!(refused.status, 500, "{}", refused.text);
        assert!(!refused.text.contains("html") && !refused.text.contains(ADMIN_KEY));
    }
    assert_eq!(app.count_rows("members").await, 1);
    issuer.set_fault("/invite", None);
    admin.post(MEMBERS, bia_input()).await.expect(201);
}

#[tokio::test]
async fn a_refused_admin_key_is_named_by_its_setting_and_not_shown() {
    let issuer = Issuer::new().await;
    let mut settings = issuer.supabase_settings();
    settings.push(("PAUTA_IDENTITY_ADMIN_KEY", "sb_secret_errada".into()));
    let app = TestApp::with_settings(settings).await;
    let member = app.add_member(Role::Admin).await;
    let mut claims = issuer.session_claims("ana", &member.email, app.now());
    claims["email_verified"] = true.into();
    let admin = session_client(&app, &claims);
    let refused = admin.post(MEMBERS, bia_input()).await;
    let refused = refused.expect_refusal(500, "PROVIDER_FAILED");
    assert!(refused.text.contains("PAUTA_IDENTITY_ADMIN_KEY"));
    assert_eq!(refused.body["details"]["provider_code"], "no_authorization");
    assert!(!refused.text.contains("sb_secret"));
}

#[tokio::test]
async fn an_old_admin_key_is_also_sent_as_a_bearer_token() {
    let issuer = Issuer::new().await;
    let mut settings = issuer.supabase_settings();
    settings.push(("PAUTA_IDENTITY_ADMIN_KEY", OLD_ADMIN_KEY.into()));
    let app = TestApp::with_settings(settings).await;
    let admin = admin_client(&app, &issuer).await;
    admin.post(MEMBERS, bia_input()).await.expect(201);
}

#[tokio::test]
async fn without_an_admin_interface_accounts_are_created_at_the_issuer() {
    let (app, issuer) = service_with_oidc().await;
    let member = app.add_member(Role::Admin).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    let admin = session_client(&app, &claims);
    let invited = admin.post(MEMBERS, bia_input()).await.expect(201).body;
    let told = invited["avisos"][0].as_str().expect("a text");
    assert!(told.contains("crie a conta desta pessoa"), "{told}");
    let path = format!("{MEMBERS}/{}", member_id(&invited));
    let senha = format!("{path}/senha");
    let refused = admin.post(&senha, json!({ "senha": PASSWORD })).await;
    let refused = refused.expect_refusal(500, "PROVIDER_NOT_CONFIGURED");
    assert!(
        refused.text.contains(&issuer.oidc_issuer()),
        "{}",
        refused.text
    );
    let refused = admin.post(&format!("{path}/convite"), json!({})).await;
    refused.expect_refusal(409, "INVITATION_REDEEMED");

    let claims = issuer.oidc_claims("bia", "bia@equipe.test", app.now());
    session_client(&app, &claims).get(ME).await.expect(200);
    admin.delete(&path).await.expect(200);
    session_client(&app, &claims)
        .get(ME)
        .await
        .expect_refusal(403, "NOT_A_MEMBER");
    // After a new invitation, the owner of the e-mail can sign in with any account.
    admin.post(MEMBERS, bia_input()).await.expect(201);
    app.advance_clock(SECOND);
    let claims = issuer.oidc_claims("bia-nova", "bia@equipe.test", app.now());
    session_client(&app, &claims).get(ME).await.expect(200);
}

#[tokio::test]
async fn an_admin_who_never_signed_in_does_not_count_as_another_admin() {
    let (app, issuer) = service_with_admin_key().await;
    let (first, _, admin) = add_member_with_account(&app, &issuer, Role::Admin).await;
    let second = app.add_member(Role::Admin).await;
    let me = format!("{MEMBERS}/{}", first.id);
    admin.delete(&me).await.expect_refusal(409, "LAST_ADMIN");
    let account = issuer.add_account(&second.email, true);
    let claims = issuer.session_claims(&account, &second.email, app.now());
    session_client(&app, &claims).get(ME).await.expect(200);
    admin.delete(&me).await.expect(200);
}
