//! The member of an account: bound once, by an e-mail that the issuer confirms.

use domain::{
    Role,
    time::{DAY, SECOND},
};
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::{
    ME, add_member_with_account, count_denials,
    double::{Fault, Signer},
    service_with_admin_key, service_with_oidc, session_client,
};

#[tokio::test]
async fn the_first_session_with_a_verified_email_binds_the_account_for_good() {
    let (app, issuer) = service_with_oidc().await;
    let member = app.add_member(Role::Criador).await;
    let capitals = member.email.to_uppercase();
    let claims = issuer.oidc_claims("ana", &capitals, app.now());
    let me = session_client(&app, &claims).get(ME).await.expect(200).body;
    assert_eq!(me["member"]["id"], member.id.as_str());
    assert_eq!(me["auth"], json!({ "kind": "session", "token_id": null }));
    assert_eq!(app.count_rows("hosted_identities").await, 1);
    let row = "audit_events WHERE action = 'bind_identity' AND resource_id = actor_member_id";
    assert_eq!(app.count_rows(row).await, 1);

    // Once the account is bound, its subject identifies the member, whatever the e-mail is.
    let mut moved = claims.clone();
    moved["email"] = "outra@equipe.test".into();
    moved["email_verified"] = false.into();
    session_client(&app, &moved).get(ME).await.expect(200);
    moved.as_object_mut().expect("an object").remove("email");
    session_client(&app, &moved).get(ME).await.expect(200);
    // Over MCP, the subject identifies the member too.
    let tools = session_client(&app, &moved).tool_names().await;
    assert!(tools.contains(&"get_me".to_owned()));

    let second = issuer.oidc_claims("bia", &member.email, app.now());
    let refused = session_client(&app, &second).get(ME).await;
    refused.expect_refusal(403, "NOT_A_MEMBER");
    assert_eq!(app.count_rows("hosted_identities").await, 1);
    assert_eq!(app.count_rows(row).await, 1);
}

#[tokio::test]
async fn an_email_that_the_issuer_does_not_confirm_binds_no_account() {
    let (app, issuer) = service_with_oidc().await;
    let member = app.add_member(Role::Criador).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    let stranger = issuer.oidc_claims("ze", "ze@fora.test", app.now());
    let unknown = session_client(&app, &stranger).get(ME).await;
    let unknown = unknown.expect_refusal(403, "NOT_A_MEMBER").text;
    for verified in [json!(false), json!("true"), json!(1), Value::Null] {
        let mut claims = claims.clone();
        claims["email_verified"] = verified;
        let answer = session_client(&app, &claims).get(ME).await;
        // A stranger gets the same answer, so the answer does not reveal who is a member.
        assert_eq!(answer.expect_refusal(403, "NOT_A_MEMBER").text, unknown);
    }
    for email in [
        json!(["x", member.email]),
        json!(format!("{}\u{0}", member.email)),
        json!(format!("{},ze@fora.test", member.email)),
        json!(""),
        Value::Null,
    ] {
        let mut claims = claims.clone();
        claims["email"] = email;
        session_client(&app, &claims)
            .get(ME)
            .await
            .expect_refusal(403, "NOT_A_MEMBER");
    }
    assert_eq!(app.count_rows("hosted_identities").await, 0);
    session_client(&app, &claims).get(ME).await.expect(200);
}

#[tokio::test]
async fn with_supabase_only_the_admin_interface_confirms_an_email() {
    let (app, issuer) = service_with_admin_key().await;
    let member = app.add_member(Role::Criador).await;
    let id = issuer.add_account(&member.email, false);
    let claims = issuer.session_claims(&id, &member.email, app.now());
    // The user can write `user_metadata`, so the service ignores the `email_verified` in it.
    session_client(&app, &claims)
        .get(ME)
        .await
        .expect_refusal(403, "NOT_A_MEMBER");
    issuer.confirm_email(&id);
    let other = issuer.add_account("ze@fora.test", true);
    for sub in [
        &other,
        "0198c0de-0000-7000-8000-00000000000f",
        "../admin/users",
    ] {
        let claims = issuer.session_claims(sub, &member.email, app.now());
        session_client(&app, &claims)
            .get(ME)
            .await
            .expect_refusal(403, "NOT_A_MEMBER");
    }
    session_client(&app, &claims).get(ME).await.expect(200);
    let asked = issuer.admin_requests().len();
    session_client(&app, &claims).get(ME).await.expect(200);
    assert_eq!(
        issuer.admin_requests().len(),
        asked,
        "a bound account must need no request"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_two_accounts_that_race_for_a_member_is_bound() {
    let (app, issuer) = service_with_oidc().await;
    for round in 0..4 {
        let member = app.add_member(Role::Criador).await;
        let names: Vec<String> = (0..4).map(|n| format!("{round}-{n}")).collect();
        // Each account sends two concurrent requests, which must not exclude each other.
        let calls = names.iter().chain(&names).map(|name| {
            let claims = issuer.oidc_claims(name, &member.email, app.now());
            let client = session_client(&app, &claims);
            async move { (name, client.get(ME).await.status) }
        });
        let answers = join_all(calls).await;
        let mut winners: Vec<_> = answers.iter().filter(|(_, s)| *s == 200).collect();
        assert!(
            answers.iter().all(|(_, s)| [200, 403].contains(s)),
            "{answers:?}"
        );
        winners.dedup_by_key(|(name, _)| *name);
        let names: std::collections::BTreeSet<_> = winners.iter().map(|(name, _)| name).collect();
        assert_eq!((names.len(), winners.len() <= 2), (1, true), "{answers:?}");
        let bound = format!("hosted_identities WHERE member_id = '{}'", member.id);
        assert_eq!(app.count_rows(&bound).await, 1);
        let row = format!("action = 'bind_identity' AND resource_id = '{}'", member.id);
        assert_eq!(
            app.count_rows(&format!("audit_events WHERE {row}")).await,
            1
        );
    }
}

#[tokio::test]
async fn simultaneous_requests_of_one_account_all_succeed() {
    let (app, issuer) = service_with_admin_key().await;
    let member = app.add_member(Role::Criador).await;
    let id = issuer.add_account(&member.email, true);
    let claims = issuer.session_claims(&id, &member.email, app.now());
    let (open, closed) = watch::channel(false);
    issuer.set_fault("/admin", Fault::Held(closed));
    let client = session_client(&app, &claims);
    // All requests find the account unbound.
    let calls = join_all((0..6).map(|_| client.get(ME)));
    let opened = async {
        issuer.wait_for_held(6).await;
        open.send(true).expect("the issuer holds the requests");
    };
    let (answers, ()) = futures::join!(calls, opened);
    for answer in answers {
        answer.expect(200);
    }
    let rows = app.count_rows("audit_events WHERE action = 'bind_identity'");
    assert_eq!(rows.await, 1);
}

#[tokio::test]
async fn a_change_of_the_member_applies_at_once_whatever_the_token_says() {
    let (app, issuer) = service_with_admin_key().await;
    let (_, _, admin) = add_member_with_account(&app, &issuer, Role::Admin).await;
    let (member, id, client) = add_member_with_account(&app, &issuer, Role::Lider).await;
    let update = json!({ "member_id": member.id, "access_level": "criador" });
    admin.patch("/api/membros", update).await.expect(200);
    let me = client.get(ME).await.expect(200).body;
    assert_eq!(me["member"]["access_level"], "criador");

    let path = format!("/api/membros/{}/senha", member.id);
    let password = json!({ "senha": "lagoa-trem-girafa-vinil" });
    admin.post(&path, password).await.expect(200);
    client.get(ME).await.expect_refusal(401, "UNAUTHENTICATED");
    app.advance_clock(SECOND);
    let claims = issuer.session_claims(&id, &member.email, app.now());
    let renewed = session_client(&app, &claims);
    renewed.get(ME).await.expect(200);

    admin
        .delete(&format!("/api/membros/{}", member.id))
        .await
        .expect(200);
    renewed.get(ME).await.expect_refusal(403, "NOT_A_MEMBER");
    // One denial belongs to the ended session, the other to the former member.
    assert_eq!(count_denials(&app, &member).await, 2);
}

#[tokio::test]
async fn an_ended_session_cannot_create_a_token() {
    let (app, issuer) = service_with_admin_key().await;
    let (_, _, admin) = add_member_with_account(&app, &issuer, Role::Admin).await;
    let (member, _, client) = add_member_with_account(&app, &issuer, Role::Lider).await;
    let token = json!({ "label": "agente" });
    client
        .post("/api/access/tokens", token.clone())
        .await
        .expect(201);
    let path = format!("/api/membros/{}/senha", member.id);
    let password = json!({ "senha": "lagoa-trem-girafa-vinil" });
    admin.post(&path, password).await.expect(200);
    client
        .post("/api/access/tokens", token)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn an_account_of_another_issuer_is_another_account() {
    let (app, issuer) = service_with_oidc().await;
    let member = app.add_member(Role::Criador).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    session_client(&app, &claims).get(ME).await.expect(200);
    // The team moves to another issuer, which has a user with the same name.
    let moved = app.second_instance_with(issuer.supabase_settings()).await;
    let stranger = issuer.session_claims("ana", "ana@fora.test", app.now());
    let answer = session_client(&moved, &stranger).get(ME).await;
    answer.expect_refusal(403, "NOT_A_MEMBER");
    let mut own = issuer.session_claims("outra", &member.email, app.now());
    own["email_verified"] = true.into();
    session_client(&moved, &own).get(ME).await.expect(200);
    session_client(&app, &claims).get(ME).await.expect(200);
    assert_eq!(app.count_rows("hosted_identities").await, 2);
}

#[tokio::test]
async fn an_expired_session_of_a_member_is_audited_as_theirs() {
    let (app, issuer) = service_with_oidc().await;
    let member = app.add_member(Role::Criador).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    let client = app.bearer(Signer::first_key().sign_claims(&claims));
    client.get(ME).await.expect(200);
    app.advance_clock(DAY);
    client.get(ME).await.expect_refusal(401, "TOKEN_EXPIRED");
    assert_eq!(count_denials(&app, &member).await, 1);
}
