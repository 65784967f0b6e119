//! Notifications by e-mail.

use domain::{
    Role,
    time::{DAY, HOUR, MINUTE, parse_instant},
};
use serde_json::{Value, json};

use super::{Fixture, server::Received};
use crate::reminders::{approve, dated, write_piece};

const SETTINGS: &str = "/api/notificacoes/preferencias";
/// A second and a bit, after which the readers of the outbox run.
const SOON: i64 = 2_000;

impl Fixture {
    /// A piece that the admin assigns to Caio.
    async fn assign(&self, title: &str) -> String {
        let input = json!({ "title": title, "assignee_id": self.caio().id });
        // Sessions end while a test waits.
        let admin = self.app.session_client(&self.members[0]).await;
        admin.create_demand(input).await
    }

    /// Makes the notifications.
    async fn tell(&self) {
        self.work().await;
        self.app.advance_clock(SOON);
        self.work().await;
    }

    /// Lets a time pass minute by minute, as the recurring jobs do.
    async fn wait(&self, time: i64) {
        let until = self.app.now() + time;
        while self.app.now() < until {
            self.app.advance_clock(MINUTE.min(until - self.app.now()));
            self.work().await;
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
    team.tell().await;
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
async fn several_changes_are_one_email_and_read_ones_are_left_out() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    team.assign("Missa").await;
    let remark = json!({ "texto": "Veja", "mencoes": [team.caio().id] });
    let path = format!("/api/eventos/{id}/comentarios");
    for _ in 0..3 {
        team.admin.post(&path, remark.clone()).await.expect(200);
    }
    team.tell().await;
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
async fn a_storm_is_one_email() {
    let team = Fixture::new().await;
    for number in 0..60 {
        team.assign(&format!("Peça {number}")).await;
    }
    team.tell().await;
    team.wait(15 * MINUTE).await;
    let mail = team.smtp.take_one();
    let items = mail.text().matches("\n- ").count() + usize::from(mail.text().starts_with("- "));
    assert!(items <= 20, "{}", mail.text());
}

#[tokio::test]
async fn what_is_no_longer_seen_is_not_told() {
    let team = Fixture::new().await;
    let id = team.assign("Segredo da feira").await;
    team.tell().await;
    let path = format!("/api/eventos/{id}");
    let input = json!({ "expected_revision": 1, "assignee_ids": [] });
    team.admin.patch(&path, input).await.expect(200);
    team.wait(HOUR).await;
    for mail in team.smtp.take() {
        assert!(!mail.text().contains("Segredo da feira"), "{}", mail.text());
    }
}

#[tokio::test]
async fn a_member_who_has_left_is_told_nothing() {
    let team = Fixture::new().await;
    team.assign("Feira").await;
    team.tell().await;
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
    team.tell().await;
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
    team.tell().await;
    let read = async |path: &str| team.caio.get(path).await.expect(200).body;
    let listed = read("/api/notificacoes?todas=true").await;
    assert_eq!(listed["notificacoes"], json!([]));
    assert_eq!(listed["nao_lidas"], 0);
    assert_eq!(read("/api/espera").await["notificacoes"], 0);
    // Whoever marks the list as read has not read what is not in it.
    let all = json!({ "ate": 1_000 });
    let marked = team.caio.post("/api/notificacoes/lidas", all).await;
    assert_eq!(marked.expect(200).body["marcadas"], 0);
    team.wait(12 * MINUTE).await;
    assert!(team.smtp.take_one().subject().contains("“Feira”"));
}

#[tokio::test]
async fn quiet_hours_and_the_hour_of_a_digest_are_respected() {
    let team = Fixture::new().await;
    // It is noon in Brasilia.
    team.set(json!({ "silencio_de": 11, "silencio_ate": 14 }))
        .await;
    team.assign("Feira").await;
    team.tell().await;
    let two = parse_instant("2026-08-22T14:00:00-03:00").expect("an instant");
    team.wait(two - team.app.now() - MINUTE).await;
    assert_eq!(team.smtp.take().len(), 0);
    team.wait(2 * MINUTE).await;
    assert_eq!(team.smtp.take().len(), 1);
    team.set(json!({ "resumo": 18 })).await;
    for title in ["Missa", "Sopa"] {
        team.assign(title).await;
        team.tell().await;
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
    team.tell().await;
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
    // Opening the page has changed nothing.
    let by_email = async || team.caio.get(SETTINGS).await.expect(200).body["por_email"].clone();
    assert!(
        by_email()
            .await
            .as_array()
            .expect("a list")
            .contains(&json!("atribuicao"))
    );
    // Programs send one of both (RFC 8058).
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
    team.tell().await;
    team.wait(HOUR).await;
    assert_eq!(team.smtp.take().len(), 0);
    // Neither another kind nor another member has this secret.
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
    team.tell().await;
    team.wait(20 * MINUTE).await;
    team.app.advance_clock(DAY);
    team.smtp.behave(super::Manner::Accepting);
    team.work().await;
    assert_eq!(team.smtp.take().len(), 1);
}

#[tokio::test]
async fn notifications_that_have_waited_for_three_days_are_not_sent() {
    let team = Fixture::new().await;
    team.assign("Feira").await;
    team.tell().await;
    team.app.advance_clock(3 * DAY + HOUR);
    team.work().await;
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
        team.tell().await;
        team.wait(25 * MINUTE).await;
    }
    team.smtp.behave(super::Manner::Accepting);
    team.app.advance_clock(DAY);
    team.work().await;
    assert_eq!(team.smtp.take_one().subject(), "4 avisos de Pauta");
    assert_eq!(team.states().await, ["enviado"]);
}

#[tokio::test]
async fn times_that_are_set_later_hold_for_what_already_waits() {
    let team = Fixture::new().await;
    // It is noon in Brasilia.
    team.assign("Feira").await;
    team.tell().await;
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
    // The e-mail itself waits too.
    team.set(json!({ "silencio_de": 14, "silencio_ate": 16 }))
        .await;
    team.smtp.behave(super::Manner::Accepting);
    team.wait(30 * MINUTE).await;
    assert_eq!(team.smtp.take().len(), 0);
    team.app.advance_clock(2 * HOUR);
    team.work().await;
    assert_eq!(team.smtp.take().len(), 1);
}

#[tokio::test]
async fn a_digest_is_tried_again_within_its_hour() {
    let team = Fixture::new().await;
    team.set(json!({ "resumo": 13 })).await;
    team.assign("Feira").await;
    team.tell().await;
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
async fn a_change_after_the_email_goes_by_the_next_email() {
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
    team.tell().await;
    team.wait(4 * MINUTE).await;
    assert_eq!(team.smtp.take().len(), 1);
    mention().await;
    team.tell().await;
    team.app.advance_clock(DAY - 4 * MINUTE);
    team.wait(5 * MINUTE).await;
    assert!(team.smtp.take_one().subject().contains("“Feira”"));
}

#[tokio::test]
async fn a_member_whose_address_was_refused_gets_no_notifications_there() {
    let team = Fixture::new().await;
    team.smtp.behave(super::Manner::UnknownRecipient);
    team.queue().await;
    team.work().await;
    team.smtp.behave(super::Manner::Accepting);
    team.assign("Feira").await;
    team.tell().await;
    team.wait(12 * MINUTE).await;
    assert_eq!(team.smtp.take().len(), 0);
    assert_eq!(team.states().await, ["devolvido", "descartado"]);
    // An e-mail that arrives ends this.
    team.queue().await;
    team.work().await;
    assert_eq!(team.smtp.take().len(), 1);
    team.assign("Missa").await;
    team.tell().await;
    team.wait(12 * MINUTE).await;
    assert!(team.smtp.take_one().subject().contains("“Missa”"));
}

#[tokio::test]
async fn a_reminder_goes_by_email_at_its_hour_whatever_the_times_of_the_member() {
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
