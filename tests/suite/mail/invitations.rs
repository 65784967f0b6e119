//! Invitations by e-mail.

use domain::time::{DAY, HOUR};
use serde_json::{Value, json};

use super::{Fixture, Manner};
use crate::support::TestApp;

const START: &str = "http://127.0.0.1:8080/convite#";
const PASSWORD: &str = "lagoa-trem-girafa-vinil";

fn nina() -> Value {
    json!({
        "name": "Nina",
        "email": "nina@exemplo.test",
        "access_level": "criador",
        "por_email": true,
    })
}

impl Fixture {
    async fn accept(&self, link: &str) -> u16 {
        let token = link.strip_prefix(START).expect("the prefix");
        let input = json!({ "token": token, "password": PASSWORD });
        self.app
            .anonymous()
            .post("/auth/v1/verify", input)
            .await
            .status
    }
}

#[tokio::test]
async fn an_invitation_goes_by_email_and_is_valid_for_a_week() {
    let team = Fixture::new().await;
    let invited = team
        .admin
        .post("/api/membros", nina())
        .await
        .expect(201)
        .body;
    assert_eq!(invited["convite_url"], Value::Null);
    assert!(
        invited["avisos"][0]
            .as_str()
            .expect("a text")
            .contains("e-mail")
    );
    // Until the e-mail is sent, its link is stored only in encrypted form.
    assert_eq!(
        team.app.count_rows("secrets WHERE purpose = 'mail'").await,
        1
    );
    let stored = team.app.table_texts("secrets", &[]).await;
    assert!(!stored[0].contains("/convite#"), "{stored:?}");
    team.run_due_jobs().await;
    let mail = team.smtp.take_one();
    assert_eq!(mail.to, "RCPT TO:<nina@exemplo.test>");
    assert_eq!(mail.subject(), "Convite para Pauta");
    assert_eq!(
        team.app.count_rows("secrets WHERE purpose = 'mail'").await,
        0
    );
    team.app.advance_clock(7 * DAY - HOUR);
    assert_eq!(team.accept(&mail.link(START)).await, 200);
    assert_eq!(team.accept(&mail.link(START)).await, 401);
}

#[tokio::test]
async fn an_invitation_that_was_replaced_is_not_sent() {
    let team = Fixture::new().await;
    team.smtp.behave(Manner::Greylisting);
    let invited = team
        .admin
        .post("/api/membros", nina())
        .await
        .expect(201)
        .body;
    team.run_due_jobs().await;
    team.smtp.behave(Manner::Accepting);
    let id = invited["membro"]["id"].as_str().expect("an id");
    let path = format!("/api/membros/{id}/convite");
    let again = team.admin.post(&path, json!({ "por_email": true })).await;
    assert_eq!(again.expect(201).body["convite_url"], Value::Null);
    team.app.advance_clock(HOUR);
    team.run_due_jobs().await;
    let link = team.smtp.take_one().link(START);
    assert_eq!(team.accept(&link).await, 200);
    let mut states = team.states().await;
    states.sort_unstable();
    assert_eq!(states, ["descartado", "enviado"]);
}

#[tokio::test]
async fn without_a_server_the_link_is_in_the_answer() {
    let app = TestApp::new().await;
    let admin = app.as_member(domain::Role::Admin).await;
    let invited = admin.post("/api/membros", nina()).await.expect(201).body;
    assert!(
        invited["convite_url"]
            .as_str()
            .expect("a link")
            .starts_with(START)
    );
    assert!(
        invited["avisos"][0]
            .as_str()
            .expect("a text")
            .contains("não envia e-mails")
    );
    assert_eq!(app.count_rows("mails").await, 0);
}
