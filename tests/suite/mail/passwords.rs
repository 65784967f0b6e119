//! The link to set a new password.

use domain::{Role, time::MINUTE};
use serde_json::json;

use super::{Fixture, Manner, SmtpServer};
use crate::support::{Client, Log, TestApp, log_to};

const PATH: &str = "/senha/esquecida";
const START: &str = "http://127.0.0.1:8080/redefinir-senha#";
const PASSWORD: &str = "lagoa-trem-girafa-vinil";

impl Fixture {
    /// Returns a browser whose forms come from a page of this service.
    fn visitor(&self) -> Client {
        self.app
            .anonymous()
            .with_header("sec-fetch-site", "same-origin")
    }

    async fn request_link(&self, email: &str) {
        self.visitor()
            .post_form(PATH, &[("email", email)])
            .await
            .expect(200);
        self.run_due_jobs().await;
    }

    /// Returns the token of the link in the only e-mail that was sent.
    fn token(&self) -> String {
        let link = self.smtp.take_one().link(START);
        link.strip_prefix(START).expect("the prefix").to_owned()
    }

    async fn redeem(&self, token: &str) -> crate::support::Answer {
        let input = json!({ "token": token, "password": PASSWORD, "revoke_tokens": true });
        self.app.anonymous().post("/auth/v1/verify", input).await
    }
}

#[tokio::test]
async fn a_forgotten_password_is_replaced_with_the_link_of_the_email() {
    let team = Fixture::new().await;
    let agent = team.app.token_client(team.caio()).await;
    agent.get("/api/eventos").await.expect(200);
    let device = json!({
        "endpoint": "https://push.exemplo.invalid/caio",
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        "nome": "Firefox em Linux",
    });
    let devices = "/api/notificacoes/aparelhos";
    team.caio.post(devices, device).await.expect(200);
    team.request_link(&team.caio().email).await;
    let mail = team.smtp.take_one();
    assert_eq!(mail.subject(), "Senha nova em Pauta");
    let link = mail.link(START);
    let token = link.strip_prefix(START).expect("the prefix");
    assert!(mail.html().contains(token));
    // A program that opens the link changes nothing.
    let page = team
        .app
        .anonymous()
        .get("/redefinir-senha")
        .await
        .expect(200);
    assert_eq!(page.headers["referrer-policy"], "no-referrer");
    team.redeem(token).await.expect(200);
    // The sessions, tokens and devices of the member have ended, and the new password opens a
    // session.
    assert_eq!(team.app.count_rows("push_devices").await, 0);
    team.caio
        .get("/api/eventos")
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    agent
        .get("/api/eventos")
        .await
        .expect_refusal(401, "TOKEN_REVOKED");
    let input = json!({ "email": team.caio().email, "password": PASSWORD });
    let path = "/auth/v1/token?grant_type=password";
    team.app.anonymous().post(path, input).await.expect(200);
    team.redeem(token)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    team.run_due_jobs().await;
    let told = team.smtp.take_one();
    assert_eq!(told.subject(), "Sua senha em Pauta foi trocada");
    let audit = team
        .admin
        .get("/api/access/audit?action=reset_password")
        .await;
    let row = audit.expect(200).body["audit"][0].clone();
    assert_eq!(row["actor_member_id"], team.caio().id.as_str(), "{row}");
    // No table contains the token.
    for table in [
        "mails",
        "password_resets",
        "jobs",
        "secrets",
        "audit_events",
    ] {
        for row in team.app.table_texts(table, &[]).await {
            assert!(!row.contains(token), "{table}");
        }
    }
    assert_eq!(
        team.app.count_rows("secrets WHERE purpose = 'mail'").await,
        0
    );
}

#[tokio::test]
async fn the_answer_is_the_same_for_an_unknown_address() {
    let team = Fixture::new().await;
    let ask = async |email: &str| {
        let asked = team.visitor().post_form(PATH, &[("email", email)]).await;
        (asked.status, asked.text.clone())
    };
    let known = ask(&team.caio().email).await;
    let before = team.app.count_rows("mails").await;
    let unknown = ask("ninguem@exemplo.test").await;
    assert_eq!(known, unknown);
    assert_eq!(known.0, 200);
    // Both requests have written the same rows. Only the job treats the two addresses differently.
    assert_eq!(team.app.count_rows("mails").await, 2 * before);
    assert_eq!(
        team.app.count_rows("secrets WHERE purpose = 'mail'").await,
        2
    );
    team.run_due_jobs().await;
    assert_eq!(team.smtp.take().len(), 1);
    let mut states = team.states().await;
    states.sort_unstable();
    assert_eq!(states, ["descartado", "enviado"]);
    assert_eq!(
        team.app.count_rows("secrets WHERE purpose = 'mail'").await,
        0
    );
    for table in ["mails", "jobs", "audit_events", "attempts"] {
        for row in team.app.table_texts(table, &[]).await {
            assert!(!row.contains("ninguem"), "{table}: {row}");
        }
    }
}

#[tokio::test]
async fn a_link_is_valid_for_thirty_minutes_and_a_used_one_ends_the_others() {
    let team = Fixture::new().await;
    team.request_link(&team.caio().email).await;
    let first = team.token();
    team.request_link(&team.caio().email).await;
    let second = team.token();
    team.app.advance_clock(30 * MINUTE);
    for late in [&first, &second] {
        let refused = team.redeem(late).await;
        refused.expect_refusal(401, "UNAUTHENTICATED");
    }
    // A request for another link does not end the links that the member already has.
    team.request_link(&team.caio().email).await;
    let third = team.token();
    team.request_link(&team.caio().email).await;
    let fourth = team.token();
    // A refused weak password does not use up the link.
    let weak = json!({ "token": third, "password": "123456789012" });
    let refused = team.app.anonymous().post("/auth/v1/verify", weak).await;
    refused.expect_refusal(400, "WEAK_PASSWORD");
    team.app.advance_clock(29 * MINUTE);
    team.redeem(&third).await.expect(200);
    let refused = team.redeem(&fourth).await;
    refused.expect_refusal(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn a_request_that_could_not_be_sent_in_time_is_not_sent_later() {
    let team = Fixture::new().await;
    team.smtp.behave(Manner::Greylisting);
    team.request_link(&team.caio().email).await;
    team.smtp.behave(Manner::Accepting);
    team.app.advance_clock(31 * MINUTE);
    team.run_due_jobs().await;
    assert_eq!(team.smtp.take().len(), 0);
    assert_eq!(team.states().await, ["vencido"]);
}

#[tokio::test]
async fn requests_are_limited_for_each_address_and_network() {
    let team = Fixture::new().await;
    let ask = async |email: &str| {
        let asked = team.visitor().post_form(PATH, &[("email", email)]).await;
        asked.status
    };
    // From the fourth request for an address on, the answer stays the same, but no e-mail is
    // queued.
    for email in [&team.caio().email, "ninguem@exemplo.test"] {
        for _ in 0..4 {
            assert_eq!(ask(email).await, 200);
        }
    }
    assert_eq!(team.app.count_rows("mails").await, 6);
    for number in 0..4 {
        assert_eq!(ask(&format!("{number}@exemplo.test")).await, 200);
    }
    assert_eq!(ask("outro@exemplo.test").await, 429);
}

#[tokio::test]
async fn a_form_of_another_site_is_refused() {
    let team = Fixture::new().await;
    let other = team
        .app
        .anonymous()
        .with_header("sec-fetch-site", "cross-site");
    let form = [("email", team.caio().email.as_str())];
    other.post_form(PATH, &form).await.expect(403);
    assert_eq!(team.app.count_rows("mails").await, 0);
}

#[tokio::test]
async fn without_a_server_the_page_says_whom_to_ask() {
    let app = TestApp::new().await;
    let visitor = app.anonymous().with_header("sec-fetch-site", "same-origin");
    let page = visitor.get(PATH).await.expect(200);
    assert!(page.text.contains("Peça a um admin"), "{}", page.text);
    let form = [("email", "ana@exemplo.test")];
    let asked = visitor.post_form(PATH, &form).await.expect(200);
    assert!(asked.text.contains("Peça a um admin"), "{}", asked.text);
    assert_eq!(app.count_rows("mails").await, 0);
}

#[tokio::test]
async fn an_invited_person_may_use_either_link() {
    let smtp = SmtpServer::start().await;
    let app = TestApp::with_settings(super::settings(&smtp)).await;
    let admin = app.as_member(Role::Admin).await;
    let input = json!({ "name": "Nina", "email": "nina@exemplo.test", "access_level": "criador" });
    let invited = admin.post("/api/membros", input).await.expect(201).body;
    let link = invited["convite_url"].as_str().expect("a link");
    let token = link.rsplit('#').next().expect("a token");
    let visitor = app.anonymous().with_header("sec-fetch-site", "same-origin");
    let form = [("email", "nina@exemplo.test")];
    visitor.post_form(PATH, &form).await.expect(200);
    app.app.worker().drain().await.expect("jobs");
    let reset = smtp.take_one().link(START);
    let reset = reset.strip_prefix(START).expect("the prefix");
    // The request has not ended the invitation. Using one of the two links ends the other.
    let redeem = async |token: &str| {
        let input = json!({ "token": token, "password": PASSWORD });
        app.anonymous().post("/auth/v1/verify", input).await.status
    };
    assert_eq!(redeem(token).await, 200);
    assert_eq!(redeem(reset).await, 401);
}

#[tokio::test]
async fn no_log_has_the_secret_of_a_link_or_of_an_unsubscribe_address() {
    let team = Fixture::new().await;
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_writer(log.clone());
    let subscriber = subscriber.with_max_level(tracing::Level::TRACE);
    let logged = log_to(subscriber.finish());
    team.request_link(&team.caio().email).await;
    let token = team.token();
    team.redeem(&token).await.expect(200);
    let services = &team.app.app.gateway.services;
    let ended = identity::mail::unsubscribing::Ended::All;
    let address = identity::mail::unsubscribing::unsubscribe_url(services, &team.caio().id, ended);
    let secret = address.rsplit('/').next().expect("a secret");
    let path = address
        .strip_prefix("http://127.0.0.1:8080")
        .expect("an address here");
    team.app.anonymous().get(path).await.expect(200);
    let form = [("List-Unsubscribe", "One-Click")];
    team.app
        .anonymous()
        .post_form(path, &form)
        .await
        .expect(200);
    drop(logged);
    let text = log.captured_text();
    assert!(text.len() > 1_000, "{text}");
    assert!(!text.contains(&token) && !text.contains(secret));
    for row in team.app.table_texts("audit_events", &[]).await {
        assert!(!row.contains(&token) && !row.contains(secret), "{row}");
    }
}

#[tokio::test]
async fn a_late_email_does_not_replace_the_link_of_a_newer_one() {
    let team = Fixture::new().await;
    team.smtp.behave(Manner::Greylisting);
    team.request_link(&team.caio().email).await;
    team.smtp.behave(Manner::Accepting);
    team.app.advance_clock(1_000);
    team.request_link(&team.caio().email).await;
    let newer = team.token();
    team.app.advance_clock(MINUTE);
    team.run_due_jobs().await;
    assert_eq!(team.smtp.take().len(), 0);
    assert_eq!(team.states().await, ["descartado", "enviado"]);
    team.redeem(&newer).await.expect(200);
}
