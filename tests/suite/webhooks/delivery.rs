//! The order of messages, retries, and the effects of the receivers' answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::{body::Body, http::Response};
use domain::time::{DAY, HOUR, MINUTE, SECOND, Timestamp};
use serde_json::json;
use tokio::sync::watch;

use super::{Fixture, receiver::answer};

#[tokio::test]
async fn a_failed_message_holds_back_the_later_ones_of_its_piece_only() {
    let team = Fixture::new().await;
    team.subscribe().await;
    let held = team.assign("Feira").await;
    let bad = held.clone();
    team.receiver.answer_with(move |message| {
        let status = if message.resource() == bad { 500 } else { 204 };
        async move { answer(status) }
    });
    team.make_and_send_messages().await;
    team.set_status(&held, 1, "arquivado").await;
    let other = team.assign("Missa").await;
    team.make_and_send_messages().await;
    let sent = team.receiver.take();
    let first = &sent[0];
    let of_held = sent.iter().filter(|one| one.resource() == held);
    assert!(
        of_held.clone().all(|one| one.id() == first.id()),
        "{sent:?}"
    );
    assert_eq!(sent.iter().filter(|one| one.resource() == other).count(), 1);
    // As soon as the receiver accepts the held message, the next message of the piece is sent.
    team.receiver.answer_status(200);
    team.app.advance_clock(10 * MINUTE);
    team.run_due_jobs().await;
    let sent = team.receiver.take();
    let kinds: Vec<_> = sent.iter().map(|one| one.body["type"].clone()).collect();
    assert_eq!(kinds, ["piece_created", "piece_updated"]);
    assert_eq!(sent[0].id(), first.id());
    assert_eq!(sent[0].text, first.text);
    assert_ne!(
        sent[0].header("webhook-timestamp"),
        first.header("webhook-timestamp")
    );
}

#[tokio::test]
async fn many_pieces_are_sent_once_each_and_in_their_order() {
    let team = Fixture::new().await;
    team.subscribe().await;
    let mut pieces = vec![];
    for number in 0..12 {
        pieces.push(team.assign(&format!("Peça {number}")).await);
    }
    for (revision, status) in [(1, "arquivado"), (2, "a fazer"), (3, "arquivado")] {
        for id in &pieces {
            team.set_status(id, revision, status).await;
        }
    }
    team.make_and_send_messages().await;
    team.app.advance_clock(MINUTE);
    team.run_due_jobs().await;
    let sent = team.receiver.take();
    assert_eq!(sent.len(), 48);
    for id in &pieces {
        let of_piece = sent.iter().filter(|one| one.resource() == id);
        let revisions: Vec<_> = of_piece
            .map(|one| one.body["data"]["revision"].as_i64())
            .collect();
        assert_eq!(revisions, [Some(1), Some(2), Some(3), Some(4)]);
    }
}

/// The receiver answers the message about one piece only after it has received the messages about all
/// other pieces.
#[tokio::test]
async fn a_slow_message_about_one_piece_does_not_delay_other_pieces() {
    const OTHERS: usize = 12;
    let team = Fixture::new().await;
    team.subscribe().await;
    let slow = team.assign("Lenta").await;
    for number in 0..OTHERS {
        team.assign(&format!("Peça {number}")).await;
    }
    let counted = Arc::new(watch::Sender::new(0));
    let id = slow.clone();
    team.receiver.answer_with(move |received| {
        let (counted, is_slow) = (counted.clone(), received.resource() == id);
        async move {
            match is_slow {
                true => {
                    let mut others = counted.subscribe();
                    let all = others.wait_for(|count| *count == OTHERS).await;
                    all.expect("the receiver counts");
                }
                false => counted.send_modify(|count| *count += 1),
            }
            answer(204)
        }
    });
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take().len(), OTHERS + 1);
    let received = "webhook_messages WHERE state = 'recebida' AND attempts = 1";
    assert_eq!(team.app.count_rows(received).await, 13);
}

#[tokio::test]
async fn a_message_is_sent_again_for_three_days_and_then_the_webhook_is_paused() {
    let mut team = Fixture::new().await;
    let webhook = team.subscribe().await;
    team.receiver.answer_status(503);
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    let begun = team.app.now();
    let first = team.receiver.take_one();
    let mut attempts = vec![0];
    while team.load_state(&webhook).await == "ativo" {
        let next = team.list_messages(&webhook).await[0]["proxima"].clone();
        let Timestamp(next) = next.as_str().expect("a time").parse().expect("a time");
        team.app.advance_clock(next - team.app.now() - 1);
        team.run_due_jobs().await;
        assert_eq!(team.receiver.take().len(), 0);
        team.app.advance_clock(1);
        team.run_due_jobs().await;
        let sent = team.receiver.take_one();
        assert_eq!((sent.id(), &sent.text), (first.id(), &first.text));
        attempts.push(team.app.now() - begun);
        team.sign_in().await;
    }
    assert!((10..=11).contains(&attempts.len()), "{attempts:?}");
    let pauses: Vec<_> = attempts.windows(2).map(|two| two[1] - two[0]).collect();
    let usual = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR];
    for (pause, usual) in pauses.iter().zip(usual) {
        assert!((pause - usual).abs() <= usual / 10, "{pauses:?}");
    }
    assert_eq!(attempts.last(), Some(&(3 * DAY)));
    assert_eq!(team.load_state(&webhook).await, "pausado_por_falhas");
    team.make_and_send_messages().await;
    let audit = team
        .admin
        .get("/api/access/audit?action=stop_webhook")
        .await;
    let row = audit.expect(200).body["audit"][0].clone();
    assert_eq!(row["metadata"]["state"], "pausado_por_falhas");
    let told = team.admin.get("/api/notificacoes?tipo=webhook").await;
    let told = told.expect(200).body["notificacoes"].clone();
    assert_eq!(told[0]["link"], "http://127.0.0.1:8080/webhooks");
    // Messages about later changes wait until an admin resumes the webhook. The two messages are about
    // two pieces, so either may arrive first.
    let other = team.assign("Missa").await;
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take().len(), 0);
    assert_eq!(team.load_webhook(&webhook).await["esperando"], 2);
    team.receiver.answer_status(202);
    let resume = webhook.path("/retomada");
    team.admin.post(&resume, json!({})).await.expect(200);
    team.run_due_jobs().await;
    let mut sent = team.receiver.take();
    sent.sort_by(|one, other| one.id().cmp(other.id()));
    assert_eq!((sent.len(), sent[0].id()), (2, first.id()));
    assert_eq!(sent[1].resource(), other);
}

#[tokio::test]
async fn a_receiver_that_answers_410_ends_the_webhook() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    team.receiver.answer_status(410);
    let id = team.assign("Feira").await;
    team.set_status(&id, 1, "arquivado").await;
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take().len(), 1);
    assert_eq!(team.load_state(&webhook).await, "encerrado");
    team.assign("Missa").await;
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take().len(), 0);
    let log = team.list_messages(&webhook).await;
    let states: Vec<_> = log.iter().map(|one| one["estado"].clone()).collect();
    assert_eq!(states, ["descartada", "descartada"]);
    // A person can activate the webhook again. Changes since its end were not stored, so they are not
    // sent.
    team.receiver.answer_status(200);
    let resume = webhook.path("/retomada");
    team.admin.post(&resume, json!({})).await.expect(200);
    team.assign("Sopa").await;
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take().len(), 1);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let target = format!("{}/outro", team.receiver.origin);
    team.receiver.answer_with(move |_| {
        let answer = Response::builder().status(307).header("location", &target);
        let answer = answer.body(Body::empty()).expect("an answer");
        async move { answer }
    });
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take().len(), 1);
    let attempt = team.list_messages(&webhook).await[0]["tentativas"][0].clone();
    assert_eq!(attempt["status"], 307);
    assert_eq!(attempt["erro"], "redirecionamentos não são seguidos");
}

#[tokio::test]
async fn the_pause_that_a_receiver_asks_for_is_respected_up_to_a_day() {
    let team = Fixture::new().await;
    team.subscribe().await;
    let asked = Arc::new(AtomicUsize::new(3600));
    let asks = asked.clone();
    team.receiver.answer_with(move |_| {
        let seconds = asks.load(Ordering::SeqCst);
        let answer = Response::builder()
            .status(429)
            .header("retry-after", seconds);
        let answer = answer.body(Body::empty()).expect("an answer");
        async move { answer }
    });
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    team.receiver.take_one();
    team.app.advance_clock(HOUR - SECOND);
    team.run_due_jobs().await;
    assert_eq!(team.receiver.take().len(), 0);
    asked.store(usize::MAX, Ordering::SeqCst);
    team.app.advance_clock(2 * SECOND);
    team.run_due_jobs().await;
    team.receiver.take_one();
    team.app.advance_clock(DAY - SECOND);
    team.run_due_jobs().await;
    assert_eq!(team.receiver.take().len(), 0);
    team.app.advance_clock(2 * SECOND);
    team.run_due_jobs().await;
    team.receiver.take_one();
}

#[tokio::test]
async fn only_the_beginning_of_a_long_answer_is_stored() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    team.receiver.answer_with(|_| async {
        let long = format!("ok\0{}", "é".repeat(4_000_000));
        Response::new(Body::from(long))
    });
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    let attempt = team.list_messages(&webhook).await[0]["tentativas"][0].clone();
    let kept = attempt["resposta"].as_str().expect("a text");
    assert!(
        kept.starts_with("ok\u{fffd}é") && kept.len() < 1_100,
        "{}",
        kept.len()
    );
    assert_eq!(attempt["status"], 200);
}

#[tokio::test]
async fn a_receiver_may_call_the_service_while_it_receives() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let client = team.admin.clone();
    team.receiver.answer_with(move |message| {
        let client = client.clone();
        async move {
            let path = format!("/api/eventos/{}", message.resource());
            let read = client.get(&path).await.expect(200).body;
            let input = json!({
                "expected_revision": read["evento"]["api_revision"],
                "status": "arquivado",
            });
            let written = client.patch(&path, input).await;
            answer(written.status)
        }
    });
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    let first = team.list_messages(&webhook).await[0].clone();
    assert_eq!(first["estado"], "recebida", "{first}");
}

#[tokio::test]
async fn all_messages_about_one_piece_are_sent_in_order() {
    let team = Fixture::new().await;
    let mut settings = team.settings();
    settings["tipos"] = json!(["piece_created", "remark_added"]);
    team.subscribe_with(settings).await;
    let id = team.assign("Feira").await;
    let remark = json!({ "texto": "Veja", "mencoes": [team.member.id] });
    let path = format!("/api/eventos/{id}/comentarios");
    team.admin.post(&path, remark).await.expect(200);
    team.receiver.answer_status(500);
    team.make_and_send_messages().await;
    let kinds = |list: Vec<super::receiver::Received>| -> Vec<_> {
        list.iter().map(|one| one.body["type"].clone()).collect()
    };
    assert_eq!(kinds(team.receiver.take()), ["piece_created"]);
    team.receiver.answer_status(200);
    team.app.advance_clock(MINUTE);
    team.run_due_jobs().await;
    assert_eq!(
        kinds(team.receiver.take()),
        ["piece_created", "remark_added"]
    );
}

#[tokio::test]
async fn a_single_message_refused_for_three_days_does_not_pause_the_webhook() {
    let mut team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let refused = team.assign("Feira").await;
    let bad = refused.clone();
    team.receiver.answer_with(move |message| {
        let status = if message.resource() == bad { 422 } else { 204 };
        async move { answer(status) }
    });
    team.make_and_send_messages().await;
    team.set_status(&refused, 1, "arquivado").await;
    team.assign("Missa").await;
    for _ in 0..80 {
        team.app.advance_clock(HOUR);
        team.run_due_jobs().await;
    }
    team.sign_in().await;
    assert_eq!(team.load_state(&webhook).await, "ativo");
    let log = team.list_messages(&webhook).await;
    let states = |id: &str| -> Vec<_> {
        let of_piece = log.iter().filter(|one| one["recurso_id"] == id);
        of_piece.map(|one| one["estado"].clone()).collect()
    };
    // The next message of the piece has its own three days.
    assert_eq!(states(&refused), ["pendente", "recusada"]);
    team.make_and_send_messages().await;
    let told = team.admin.get("/api/notificacoes?tipo=webhook").await;
    let told = told.expect(200).body["notificacoes"].clone();
    assert_eq!(told.as_array().map(Vec::len), Some(1), "{told}");
}

#[tokio::test]
async fn a_failed_test_message_is_not_repeated_and_does_not_pause_the_webhook() {
    let mut team = Fixture::new().await;
    let webhook = team.subscribe().await;
    team.receiver.answer_status(400);
    let test = webhook.path("/teste");
    team.admin.post(&test, json!({})).await.expect(200);
    team.run_due_jobs().await;
    assert_eq!(team.receiver.take().len(), 1);
    team.app.advance_clock(HOUR);
    team.run_due_jobs().await;
    assert_eq!(team.receiver.take().len(), 0);
    team.sign_in().await;
    assert_eq!(team.load_state(&webhook).await, "ativo");
    assert_eq!(team.list_messages(&webhook).await[0]["estado"], "recusada");
}

#[tokio::test]
async fn a_requested_pause_applies_to_all_messages_of_the_webhook() {
    let team = Fixture::new().await;
    team.subscribe().await;
    team.receiver.answer_with(|_| async {
        let answer = Response::builder().status(503).header("retry-after", 3600);
        answer.body(Body::empty()).expect("an answer")
    });
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    team.receiver.take_one();
    team.receiver.answer_status(200);
    team.assign("Missa").await;
    team.app.advance_clock(HOUR - 10 * SECOND);
    team.run_due_jobs().await;
    assert_eq!(team.receiver.take().len(), 0);
    team.app.advance_clock(20 * SECOND);
    team.run_due_jobs().await;
    assert_eq!(team.receiver.take().len(), 2);
}

#[tokio::test]
async fn an_answer_from_the_former_url_does_not_end_the_webhook() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let (client, path) = (team.admin.clone(), webhook.path(""));
    let mut moved = team.settings();
    moved["url"] = format!("{}/nova", team.receiver.origin).into();
    moved["expected_revision"] = json!(1);
    team.receiver.answer_with(move |_| {
        let (client, path, moved) = (client.clone(), path.clone(), moved.clone());
        async move {
            // An admin corrects the URL while the receiver at the old URL answers.
            client.put(&path, moved).await.expect(200);
            answer(410)
        }
    });
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    assert_eq!(team.load_state(&webhook).await, "ativo");
    let url = team.load_webhook(&webhook).await["url"].clone();
    assert!(url.as_str().is_some_and(|url| url.ends_with("/nova")));
}

#[tokio::test]
async fn a_call_without_changes_sends_nothing_and_a_change_names_its_fields() {
    let team = Fixture::new().await;
    team.subscribe().await;
    let id = team.assign("Feira").await;
    team.make_and_send_messages().await;
    team.receiver.take_one();
    let path = format!("/api/eventos/{id}");
    let same = json!({ "expected_revision": 1, "assignee_ids": [team.member.id] });
    team.admin.patch(&path, same).await.expect(200);
    team.app.advance_clock(MINUTE);
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take().len(), 0);
    let other = json!({ "expected_revision": 1, "title": "Feira de outono" });
    team.admin.patch(&path, other).await.expect(200);
    team.app.advance_clock(MINUTE);
    team.make_and_send_messages().await;
    let told = team.receiver.take_one();
    assert_eq!(told.body["data"]["changed"], json!(["title"]));
    assert!(!told.text.contains("outono"), "no text that people write");
}
