//! Notifications by e-mail.

use domain::{
    Role,
    time::{DAY, HOUR, MINUTE, parse_instant},
};
use serde_json::{Value, json};

use super::{Fixture, server::Received};
use crate::reminders::{approve, dated, write_piece};

const SETTINGS: &str = "/api/notificacoes/preferencias";
/// Two seconds. The readers of the outbox run after a little more than one second.
const SOON: i64 = 2_000;

impl Fixture {
    /// Creates a piece as the admin and assigns it to Caio; returns the id of the piece.
    async fn assign(&self, title: &str) -> String {
        let input = json!({ "title": title, "assignee_id": self.caio().id });
        // Opens a new session, because the earlier session may have ended while the test waited.
        let admin = self.app.session_client(&self.members[0]).await;
        admin.create_demand(input).await
    }

    /// Runs the jobs that create the notifications.
    async fn create_notifications(&self) {
        self.run_due_jobs().await;
        self.app.advance_clock(SOON);
        self.run_due_jobs().await;
    }

    /// Advances the clock by `time` in steps of a minute, and runs the due jobs after each step.
    async fn wait(&self, time: i64) {
        let until = self.app.now() + time;
        while self.app.now() < until {
            self.app.advance_clock(MINUTE.min(until - self.app.now()));
            self.run_due_jobs().await;
        }
    }

    async fn set(&self, fields: Value) {
        let caio = self.app.session_client(self.caio()).await;
        let read = caio.get(SETTINGS).await.expect(200).body;
        let mut input = json!({
            "expected_revision": read["revision"],
            "ligados": read["ligados"],
            "por_email": read["por_email"],
        });
        let fields = fields.as_object().expect("fields").clone();
        input.as_object_mut().expect("an object").extend(fields);
        caio.put(SETTINGS, input).await.expect(200);
    }
}

fn unsubscribe_path(mail: &Received) -> String {
    let header = mail.header("List-Unsubscribe");
    let address = header.trim_matches(['<', '>']);
    let path = address
        .strip_prefix("http://127.0.0.1:8080")
        .expect("an address here");
    path.to_owned()
}

#[tokio::test]
async fn a_notification_goes_by_email_when_its_window_has_passed() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    team.create_notifications().await;
    team.wait(9 * MINUTE).await;
    assert_eq!(team.smtp.take().len(), 0);
    team.wait(2 * MINUTE).await;
    let mail = team.smtp.take_one();
    assert!(mail.subject().contains("“Feira”"), "{}", mail.subject());
    let link = format!("http://127.0.0.1:8080/eventos/{id}");
    assert!(mail.text().contains(&link) && mail.html().contains(&link));
    assert_eq!(
        mail.header("List-Unsubscribe-Post"),
        "List-Unsubscribe=One-Click"
    );
    team.wait(HOUR).await;
    assert_eq!(team.smtp.take().len(), 0);
}

#[tokio::test]
async fn several_notifications_are_one_email_without_the_read_ones() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    team.assign("Missa").await;
    let remark = json!({ "texto": "Veja", "mencoes": [team.caio().id] });
    let path = format!("/api/eventos/{id}/comentarios");
    for _ in 0..3 {
        team.admin.post(&path, remark.clone()).await.expect(200);
    }
    team.create_notifications().await;
    let told = team.caio.get("/api/notificacoes").await.expect(200).body;
    let told = told["notificacoes"].as_array().expect("a list").clone();
    let of_missa = told.iter().find(|one| one["titulo"] == "Missa");
    let ids = json!({ "ids": [of_missa.expect("it")["id"]] });
    team.caio
        .post("/api/notificacoes/lidas", ids)
        .await
        .expect(200);
    team.wait(12 * MINUTE).await;
    let mail = team.smtp.take_one();
    assert_eq!(mail.subject(), "2 avisos de Pauta");
    let text = mail.text();
    assert!(text.contains("Feira") && !text.contains("Missa"), "{text}");
}

#[tokio::test]
async fn sixty_notifications_are_sent_in_one_email() {
    let team = Fixture::new().await;
    for number in 0..60 {
        team.assign(&format!("Peça {number}")).await;
    }
    team.create_notifications().await;
    team.wait(15 * MINUTE).await;
    let mail = team.smtp.take_one();
    let items = mail.text().matches("\n- ").count() + usize::from(mail.text().starts_with("- "));
    assert!(items <= 20, "{}", mail.text());
}

#[tokio::test]
async fn an_email_does_not_mention_a_piece_that_its_member_no_longer_sees() {
    let team = Fixture::new().await;
    let id = team.assign("Segredo da feira").await;
    team.create_notifications().await;
    let path = format!("/api/eventos/{id}");
    let input = json!({ "expected_revision": 1, "assignee_ids": [] });
    team.admin.patch(&path, input).await.expect(200);
    team.wait(HOUR).await;
    for mail in team.smtp.take() {
        assert!(!mail.text().contains("Segredo da feira"), "{}", mail.text());
    }
}

#[tokio::test]
async fn a_member_who_has_left_gets_no_notifications() {
    let team = Fixture::new().await;
    team.assign("Feira").await;
    team.create_notifications().await;
    let path = format!("/api/membros/{}", team.caio().id);
    team.admin.delete(&path).await.expect(200);
    team.wait(HOUR).await;
    assert_eq!(team.smtp.take().len(), 0);
}

#[tokio::test]
async fn a_kind_without_email_stays_in_the_list_only() {
    let team = Fixture::new().await;
    team.set(json!({ "por_email": ["mencao"] })).await;
    team.assign("Feira").await;
    team.create_notifications().await;
    team.wait(HOUR).await;
    assert_eq!(team.smtp.take().len(), 0);
    let caio = team.app.session_client(team.caio()).await;
    let told = caio.get("/api/notificacoes").await.expect(200).body;
    assert_eq!(told["nao_lidas"], 1);
}

#[tokio::test]
async fn a_kind_can_go_by_email_without_the_list() {
    let team = Fixture::new().await;
    team.set(json!({ "por_email": ["atribuicao"], "fora_da_lista": ["atribuicao"] }))
        .await;
    team.assign("Feira").await;
    team.create_notifications().await;
    let read = async |path: &str| team.caio.get(path).await.expect(200).body;
    let listed = read("/api/notificacoes?todas=true").await;
    assert_eq!(listed["notificacoes"], json!([]));
    assert_eq!(listed["nao_lidas"], 0);
    assert_eq!(read("/api/espera").await["notificacoes"], 0);
    // Marking the list as read does not mark a notification that is not in the list.
    let all = json!({ "ate": 1_000 });
    let marked = team.caio.post("/api/notificacoes/lidas", all).await;
    assert_eq!(marked.expect(200).body["marcadas"], 0);
    team.wait(12 * MINUTE).await;
    assert!(team.smtp.take_one().subject().contains("“Feira”"));
}

#[tokio::test]
async fn quiet_hours_and_the_hour_of_a_digest_are_respected() {
    let team = Fixture::new().await;
    // The test clock shows noon in Brasilia.
    team.set(json!({ "silencio_de": 11, "silencio_ate": 14 }))
        .await;
    team.assign("Feira").await;
    team.create_notifications().await;
    let two = parse_instant("2026-08-22T14:00:00-03:00").expect("an instant");
    team.wait(two - team.app.now() - MINUTE).await;
    assert_eq!(team.smtp.take().len(), 0);
    team.wait(2 * MINUTE).await;
    assert_eq!(team.smtp.take().len(), 1);
    team.set(json!({ "resumo": 18 })).await;
    for title in ["Missa", "Sopa"] {
        team.assign(title).await;
        team.create_notifications().await;
        team.wait(HOUR).await;
    }
    assert_eq!(team.smtp.take().len(), 0);
    let six = parse_instant("2026-08-22T18:00:00-03:00").expect("an instant");
    team.wait(six - team.app.now() + 2 * MINUTE).await;
    assert_eq!(team.smtp.take_one().subject(), "2 avisos de Pauta");
    let caio = team.app.session_client(team.caio()).await;
    let read = caio.get(SETTINGS).await.expect(200).body;
    assert_eq!(
        (&read["resumo"], &read["silencio_de"]),
        (&json!(18), &Value::Null)
    );
    let one = json!({ "expected_revision": read["revision"], "ligados": [], "silencio_de": 3 });
    let refused = caio.put(SETTINGS, one).await;
    assert_eq!(refused.invalid_fields(), ["silencio_ate"]);
}

#[tokio::test]
async fn one_click_ends_the_emails_of_a_kind_without_a_session() {
    let team = Fixture::new().await;
    team.assign("Feira").await;
    team.create_notifications().await;
    team.wait(12 * MINUTE).await;
    let path = unsubscribe_path(&team.smtp.take_one());
    let program = team.app.anonymous();
    let page = program.get(&path).await.expect(200);
    assert!(
        page.text.contains("quando lhe atribuem uma peça"),
        "{}",
        page.text
    );
    assert_eq!(page.headers["referrer-policy"], "no-referrer");
    // Opening the page changes no setting.
    let by_email = async || team.caio.get(SETTINGS).await.expect(200).body["por_email"].clone();
    assert!(
        by_email()
            .await
            .as_array()
            .expect("a list")
            .contains(&json!("atribuicao"))
    );
    // Mail programs send the form in one of two encodings (RFC 8058).
    let multipart = "--x\r\ncontent-disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\n\
                     One-Click\r\n--x--\r\n";
    let sender = program.with_header("content-type", "multipart/form-data; boundary=x");
    let sent = sender.send(axum::http::Method::POST, &path, Some(multipart.into()));
    sent.await.expect(200);
    let form = [("List-Unsubscribe", "One-Click")];
    program.post_form(&path, &form).await.expect(200);
    let left = by_email().await;
    assert!(
        !left
            .as_array()
            .expect("a list")
            .contains(&json!("atribuicao")),
        "{left}"
    );
    assert!(
        left.as_array().expect("a list").contains(&json!("mencao")),
        "{left}"
    );
    let audit = team.admin.get("/api/access/audit?action=unsubscribe").await;
    assert_eq!(
        audit.expect(200).body["audit"].as_array().map(Vec::len),
        Some(1)
    );
    team.assign("Missa").await;
    team.create_notifications().await;
    team.wait(HOUR).await;
    assert_eq!(team.smtp.take().len(), 0);
    // The secret is valid neither for another kind of notification nor for another member.
    let other = path.replace("atribuicao", "mencao");
    program.get(&other).await.expect(404);
    let stranger = team.app.add_member(Role::Criador).await;
    let other = path.replace(team.caio().id.as_str(), stranger.id.as_str());
    program
        .post_form(&other, &[("List-Unsubscribe", "One-Click")])
        .await
        .expect(404);
}

#[tokio::test]
async fn an_email_waits_for_a_server_that_is_away_for_a_day() {
    let team = Fixture::new().await;
    team.smtp.behave(super::Manner::Closed);
    team.assign("Feira").await;
    team.create_notifications().await;
    team.wait(20 * MINUTE).await;
    team.app.advance_clock(DAY);
    team.smtp.behave(super::Manner::Accepting);
    team.run_due_jobs().await;
    assert_eq!(team.smtp.take().len(), 1);
}

#[tokio::test]
async fn notifications_that_have_waited_for_three_days_are_not_sent() {
    let team = Fixture::new().await;
    team.assign("Feira").await;
    team.create_notifications().await;
    team.app.advance_clock(3 * DAY + HOUR);
    team.run_due_jobs().await;
    team.wait(5 * MINUTE).await;
    assert_eq!(team.smtp.take().len(), 0);
    let waiting = "notifications WHERE mail_due_at IS NOT NULL";
    assert_eq!(team.app.count_rows(waiting).await, 0);
}

#[tokio::test]
async fn a_server_that_comes_back_gets_one_email_for_each_member() {
    let team = Fixture::new().await;
    team.smtp.behave(super::Manner::Closed);
    for title in ["Feira", "Missa", "Sopa", "Bolo"] {
        team.assign(title).await;
        team.create_notifications().await;
        team.wait(25 * MINUTE).await;
    }
    team.smtp.behave(super::Manner::Accepting);
    team.app.advance_clock(DAY);
    team.run_due_jobs().await;
    assert_eq!(team.smtp.take_one().subject(), "4 avisos de Pauta");
    assert_eq!(team.states().await, ["enviado"]);
}

#[tokio::test]
async fn changed_quiet_hours_apply_to_notifications_that_already_wait() {
    let team = Fixture::new().await;
    // The test clock shows noon in Brasilia.
    team.assign("Feira").await;
    team.create_notifications().await;
    team.set(json!({ "silencio_de": 11, "silencio_ate": 14 }))
        .await;
    team.wait(30 * MINUTE).await;
    assert_eq!(team.smtp.take().len(), 0);
    assert_eq!(team.app.count_rows("mails").await, 0);
    let two = parse_instant("2026-08-22T14:00:00-03:00").expect("an instant");
    team.app.advance_clock(two - team.app.now() - MINUTE);
    team.smtp.behave(super::Manner::Closed);
    team.wait(2 * MINUTE).await;
    assert_eq!(team.states().await, ["pendente"]);
    // An e-mail that is already queued waits for the end of the quiet hours too.
    team.set(json!({ "silencio_de": 14, "silencio_ate": 16 }))
        .await;
    team.smtp.behave(super::Manner::Accepting);
    team.wait(30 * MINUTE).await;
    assert_eq!(team.smtp.take().len(), 0);
    team.app.advance_clock(2 * HOUR);
    team.run_due_jobs().await;
    assert_eq!(team.smtp.take().len(), 1);
}

#[tokio::test]
async fn a_digest_is_tried_again_within_its_hour() {
    let team = Fixture::new().await;
    team.set(json!({ "resumo": 13 })).await;
    team.assign("Feira").await;
    team.create_notifications().await;
    let one = parse_instant("2026-08-22T13:00:00-03:00").expect("an instant");
    team.app.advance_clock(one - team.app.now());
    team.smtp.behave(super::Manner::Closed);
    team.wait(MINUTE).await;
    assert_eq!(team.states().await, ["pendente"]);
    team.smtp.behave(super::Manner::Accepting);
    team.wait(30 * MINUTE).await;
    assert_eq!(team.smtp.take().len(), 1);
}

#[tokio::test]
async fn a_change_after_an_email_is_sent_in_the_next_email() {
    let team = Fixture::new().await;
    team.set(json!({ "resumo": 13 })).await;
    let id = team.assign("Feira").await;
    let one = parse_instant("2026-08-22T13:00:00-03:00").expect("an instant");
    team.app.advance_clock(one - team.app.now() - 2 * MINUTE);
    let mention = async || {
        let remark = json!({ "texto": "Veja", "mencoes": [team.caio().id] });
        let path = format!("/api/eventos/{id}/comentarios");
        let admin = team.app.session_client(&team.members[0]).await;
        admin.post(&path, remark).await.expect(200);
    };
    mention().await;
    team.create_notifications().await;
    team.wait(4 * MINUTE).await;
    assert_eq!(team.smtp.take().len(), 1);
    mention().await;
    team.create_notifications().await;
    team.app.advance_clock(DAY - 4 * MINUTE);
    team.wait(5 * MINUTE).await;
    assert!(team.smtp.take_one().subject().contains("“Feira”"));
}

#[tokio::test]
async fn a_member_whose_address_was_refused_gets_no_notifications_there() {
    let team = Fixture::new().await;
    team.smtp.behave(super::Manner::UnknownRecipient);
    team.queue().await;
    team.run_due_jobs().await;
    team.smtp.behave(super::Manner::Accepting);
    team.assign("Feira").await;
    team.create_notifications().await;
    team.wait(12 * MINUTE).await;
    assert_eq!(team.smtp.take().len(), 0);
    assert_eq!(team.states().await, ["devolvido", "descartado"]);
    // After another e-mail has arrived at the address, notifications are sent there again.
    team.queue().await;
    team.run_due_jobs().await;
    assert_eq!(team.smtp.take().len(), 1);
    team.assign("Missa").await;
    team.create_notifications().await;
    team.wait(12 * MINUTE).await;
    assert!(team.smtp.take_one().subject().contains("“Missa”"));
}

#[tokio::test]
async fn a_reminder_is_emailed_at_its_hour_despite_quiet_hours_and_digest() {
    let team = Fixture::new().await;
    let night = parse_instant("2036-08-22T22:30:00-03:00").expect("an instant");
    team.app.advance_clock(night - HOUR - team.app.now());
    let lead = team.app.add_member(Role::Lider).await;
    let client = team.app.session_client(&lead).await;
    let read = client.get(SETTINGS).await.expect(200).body;
    let times = json!({ "expected_revision": read["revision"], "ligados": read["ligados"],
        "silencio_de": 21, "silencio_ate": 7, "resumo": 9 });
    client.put(SETTINGS, times).await.expect(200);
    let variant = dated(json!({ "canal": "whatsapp" }), night);
    let id = write_piece(&client, "Feira", &[&lead], &[variant]).await;
    approve(&client, &id).await;
    let admin = team.app.session_client(&team.members[0]).await;
    let other = json!({ "title": "Missa", "assignee_id": lead.id });
    admin.create_demand(other).await;
    team.wait(HOUR - 2 * MINUTE).await;
    assert_eq!(team.smtp.take().len(), 0);
    team.wait(5 * MINUTE).await;
    let mail = team.smtp.take_one();
    assert!(mail.subject().contains("“Feira”"), "{}", mail.subject());
    assert!(!mail.text().contains("Missa"), "{}", mail.text());
    let link = format!("/eventos/{id}/canais/whatsapp/post/postar");
    assert!(mail.text().contains(&link), "{}", mail.text());
    team.wait(9 * HOUR).await;
    assert_eq!(team.smtp.take().len(), 0);
    team.wait(2 * HOUR).await;
    assert!(team.smtp.take_one().text().contains("Missa"));
}
