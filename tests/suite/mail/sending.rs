//! The outcomes of attempts to send an e-mail.

use domain::time::{DAY, HOUR, MINUTE, SECOND};

use super::{Fixture, Manner};
use crate::support::{Log, log_to};

#[tokio::test]
async fn an_email_is_sent_once_with_its_headers() {
    let team = Fixture::new().await;
    team.queue().await;
    team.run_due_jobs().await;
    team.app.advance_clock(HOUR);
    team.run_due_jobs().await;
    let sent = team.smtp.take_one();
    assert_eq!(sent.from, "MAIL FROM:<avisos@pauta.test>");
    assert_eq!(sent.to, format!("RCPT TO:<{}>", team.caio().email));
    assert_eq!(sent.header("Auto-Submitted"), "auto-generated");
    assert_eq!(sent.header("Date"), "Sat, 22 Aug 2026 15:00:00 +0000");
    assert!(sent.header("Message-ID").ends_with("@pauta.test>"));
    assert!(sent.header("From").contains("Pauta <avisos@pauta.test>"));
    assert_eq!(sent.subject(), "Sua senha em Pauta foi trocada");
    assert!(
        sent.text()
            .contains("http://127.0.0.1:8080/senha/esquecida")
    );
    assert!(sent.html().contains("color-scheme"), "{}", sent.html());
    assert_eq!(team.states().await, ["enviado"]);
}

#[tokio::test]
async fn an_email_that_was_not_accepted_is_sent_again_unchanged() {
    for manner in [
        Manner::Closed,
        Manner::Greylisting,
        Manner::RefusedSender,
        Manner::LaterAfterText,
        Manner::Dropping(0),
        Manner::Dropping(1),
        Manner::Dropping(2),
        Manner::Dropping(3),
        Manner::Dropping(4),
        Manner::Hanging(3),
    ] {
        let team = Fixture::new().await;
        team.queue().await;
        team.smtp.behave(manner);
        team.run_due_jobs().await;
        assert_eq!(team.states().await, ["pendente"], "{manner:?}");
        let first = team.smtp.take().pop();
        assert!(first.as_ref().is_none_or(|one| !one.accepted), "{manner:?}");
        team.smtp.behave(Manner::Accepting);
        team.app.advance_clock(10 * SECOND);
        team.run_due_jobs().await;
        let sent = team.smtp.take_one();
        if let Some(first) = first {
            assert_eq!(first.header("Message-ID"), sent.header("Message-ID"));
            assert_eq!(first.header("Date"), sent.header("Date"));
        }
        assert_eq!(team.states().await, ["enviado"], "{manner:?}");
    }
}

#[tokio::test]
async fn an_email_that_may_have_been_accepted_is_never_sent_again() {
    for manner in [Manner::Silent, Manner::HangingAfterText] {
        let team = Fixture::new().await;
        team.queue().await;
        team.smtp.behave(manner);
        team.run_due_jobs().await;
        team.smtp.behave(Manner::Accepting);
        assert_eq!(team.smtp.take().len(), 1, "{manner:?}");
        for _ in 0..4 {
            team.app.advance_clock(DAY);
            team.run_due_jobs().await;
        }
        assert_eq!(team.smtp.take().len(), 0, "{manner:?}");
        assert_eq!(team.states().await, ["incerto"], "{manner:?}");
    }
}

#[tokio::test]
async fn a_server_that_answers_byte_by_byte_times_out() {
    let team = Fixture::new().await;
    team.queue().await;
    team.smtp.behave(Manner::Slow);
    team.run_due_jobs().await;
    assert_eq!(team.states().await, ["pendente"]);
    assert_eq!(team.smtp.take().len(), 0);
}

#[tokio::test]
async fn an_email_is_tried_for_three_days() {
    let team = Fixture::new().await;
    team.queue().await;
    team.smtp.behave(Manner::Closed);
    team.smtp.take_connections();
    let begun = team.app.now();
    while team.states().await == ["pendente"] {
        team.run_due_jobs().await;
        team.app.advance_clock(HOUR);
        assert!(team.app.now() - begun < 4 * DAY);
    }
    assert_eq!(team.states().await, ["vencido"]);
    let tries = team.smtp.take_connections();
    assert!((8..=12).contains(&tries), "{tries}");
    assert!(team.app.now() - begun > 3 * DAY);
}

#[tokio::test]
async fn a_server_that_does_not_relay_does_not_mark_the_address_as_refused() {
    let team = Fixture::new().await;
    team.smtp.behave(Manner::NoRelay);
    team.queue().await;
    team.run_due_jobs().await;
    assert_eq!(team.states().await, ["pendente"]);
    team.smtp.behave(Manner::Accepting);
    team.app.advance_clock(DAY);
    team.run_due_jobs().await;
    assert_eq!(team.states().await, ["enviado"]);
}

#[tokio::test]
async fn a_refused_address_is_shown_on_the_member_until_an_email_arrives() {
    let team = Fixture::new().await;
    let bounced = async || {
        let members = team.admin.get("/api/membros").await.expect(200).body;
        let members = members["membros"].as_array().expect("a list").clone();
        let mut members = members.into_iter();
        let caio = members.find(|one| one["id"] == team.caio().id.as_str());
        caio.expect("Caio")["email_devolvido_em"].clone()
    };
    team.smtp.behave(Manner::UnknownRecipient);
    team.queue().await;
    team.run_due_jobs().await;
    assert_eq!(team.states().await, ["devolvido"]);
    assert_eq!(bounced().await, "2026-08-22T15:00:00.000Z");
    let browser = team.app.browser_client(&team.members[0]).await;
    let path = format!("/equipe/{}", team.caio().id);
    let page = browser.get(&path).await.expect(200);
    assert!(
        page.text.contains("O último e-mail voltou"),
        "{}",
        page.text
    );
    team.smtp.behave(Manner::Accepting);
    team.app.advance_clock(MINUTE);
    team.queue().await;
    team.run_due_jobs().await;
    assert_eq!(team.smtp.take().len(), 1);
    assert_eq!(bounced().await, serde_json::Value::Null);
}

#[tokio::test]
async fn a_refused_text_is_not_sent_again() {
    let team = Fixture::new().await;
    team.smtp.behave(Manner::RefusedText);
    team.queue().await;
    team.run_due_jobs().await;
    team.app.advance_clock(DAY);
    team.run_due_jobs().await;
    assert_eq!(team.smtp.take().len(), 1);
    assert_eq!(team.states().await, ["recusado"]);
}

#[tokio::test]
async fn a_member_who_has_left_gets_no_email() {
    let team = Fixture::new().await;
    team.queue().await;
    let path = format!("/api/membros/{}", team.caio().id);
    team.admin.delete(&path).await.expect(200);
    team.run_due_jobs().await;
    assert_eq!(team.smtp.take_connections(), 0);
    assert_eq!(team.states().await, ["descartado"]);
}

#[tokio::test]
async fn without_starttls_no_credential_is_sent_if_tls_is_required() {
    let smtp = super::SmtpServer::start().await;
    let mut settings = super::settings(&smtp);
    settings[0].1 = format!(
        "smtp://ana:segredo-da-conta@127.0.0.1:{}?tls=required",
        smtp.port
    );
    let team = Fixture::new().await;
    let app = team.app.second_instance_with(settings).await;
    team.queue().await;
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(log.clone())
        .with_max_level(tracing::Level::TRACE);
    let logged = log_to(subscriber.finish());
    app.app.worker().drain().await.expect("jobs");
    drop(logged);
    assert_eq!(team.states().await, ["pendente"]);
    assert_eq!(smtp.take().len(), 0);
    assert_eq!(smtp.take_connections(), 1);
    assert!(
        !log.captured_text().contains("segredo-da-conta"),
        "{}",
        log.captured_text()
    );
}

#[tokio::test]
async fn two_instances_send_each_email_once() {
    let team = Fixture::new().await;
    let other = team.app.second_instance().await;
    for _ in 0..20 {
        team.queue().await;
    }
    let mut both = [team.app.app.worker(), other.app.worker()];
    for _ in 0..10 {
        let drained = futures::future::join_all(both.iter_mut().map(gateway::jobs::Worker::drain));
        drained
            .await
            .into_iter()
            .for_each(|drained| drained.expect("jobs"));
    }
    let sent = team.smtp.take();
    let ids: std::collections::HashSet<_> =
        sent.iter().map(|one| one.header("Message-ID")).collect();
    assert_eq!((sent.len(), ids.len()), (20, 20));
}

#[tokio::test]
async fn rows_are_deleted_after_thirty_days() {
    let team = Fixture::new().await;
    team.queue().await;
    team.run_due_jobs().await;
    team.app.advance_clock(30 * DAY - HOUR);
    team.run_due_jobs().await;
    assert_eq!(team.app.count_rows("mails").await, 1);
    team.app.advance_clock(2 * HOUR);
    team.run_due_jobs().await;
    assert_eq!(team.app.count_rows("mails").await, 0);
}

#[tokio::test]
async fn the_credentials_of_the_url_sign_in_to_the_server() {
    let team = Fixture::new().await;
    let mut settings = super::settings(&team.smtp);
    settings[0].1 = format!("smtp://ana:se%40gredo@127.0.0.1:{}", team.smtp.port);
    settings[1].1 = "Avisos da Equipe <avisos@pauta.test>".into();
    let app = team.app.second_instance_with(settings).await;
    team.queue().await;
    app.app.worker().drain().await.expect("jobs");
    let sent = team.smtp.take_one();
    // The base64 of NUL, the user, NUL and the password.
    assert_eq!(sent.auth, "AUTH PLAIN AGFuYQBzZUBncmVkbw==");
    let from = sent.header("From");
    assert_eq!(from, "\"Avisos da Equipe\" <avisos@pauta.test>");
}

#[tokio::test]
async fn an_unreadable_email_does_not_block_other_emails() {
    let team = Fixture::new().await;
    for _ in 0..6 {
        team.queue().await;
    }
    // Makes the secrets of five e-mails undecryptable.
    let broken = "UPDATE mails SET kind = 'convite' WHERE id IN (
        SELECT m.id FROM mails m ORDER BY m.id LIMIT 5)";
    team.app.execute_statement(broken, []).await;
    let forged = "INSERT INTO secrets (purpose, id, kid, sealed)
        SELECT 'mail', m.id, 'nenhuma', 'x' FROM mails m WHERE m.kind = 'convite'";
    team.app.execute_statement(forged, []).await;
    let log = Log::default();
    let logged = log_to(tracing_subscriber::fmt().with_writer(log.clone()).finish());
    team.run_due_jobs().await;
    drop(logged);
    assert_eq!(team.smtp.take().len(), 1);
    let waiting = "mails WHERE state = 'pendente' AND kind = 'convite' AND attempts > 0";
    assert_eq!(team.app.count_rows(waiting).await, 5);
    let rows = team
        .app
        .query_rows("SELECT id FROM mails WHERE kind = 'convite'".into())
        .await;
    for row in rows {
        let id: String = row.try_get("", "id").expect("an id");
        assert!(log.captured_text().contains(&id), "{id}");
    }
    // These e-mails end in the state of e-mails that no server has accepted for three days.
    for _ in 0..40 {
        team.app.advance_clock(2 * HOUR);
        team.run_due_jobs().await;
    }
    assert_eq!(
        team.app.count_rows("mails WHERE state = 'vencido'").await,
        5
    );
}

#[tokio::test]
async fn an_email_of_an_unknown_kind_stays_pending() {
    let team = Fixture::new().await;
    team.queue().await;
    let renamed = "UPDATE mails SET kind = 'de_outra_versao'";
    team.app.execute_statement(renamed, []).await;
    team.app.advance_clock(MINUTE);
    team.queue().await;
    team.run_due_jobs().await;
    assert_eq!(team.smtp.take().len(), 1);
    assert_eq!(team.states().await, ["pendente", "enviado"]);
}

#[tokio::test]
async fn an_email_that_waited_for_three_days_is_not_sent() {
    let team = Fixture::new().await;
    team.queue().await;
    team.app.advance_clock(3 * DAY + MINUTE);
    team.run_due_jobs().await;
    assert_eq!(team.smtp.take().len(), 0);
    assert_eq!(team.states().await, ["vencido"]);
}
