//! Order, retries, and what the answers of receivers do.

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
    team.tell().await;
    team.set_status(&held, 1, "arquivado").await;
    let other = team.assign("Missa").await;
    team.tell().await;
    let sent = team.receiver.take();
    let first = &sent[0];
    let of_held = sent.iter().filter(|one| one.resource() == held);
    assert!(
        of_held.clone().all(|one| one.id() == first.id()),
        "{sent:?}"
    );
    assert_eq!(sent.iter().filter(|one| one.resource() == other).count(), 1);
    // Once it is received, the next one follows at once.
    team.receiver.answer_status(200);
    team.app.advance_clock(10 * MINUTE);
    team.work().await;
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
    team.tell().await;
    team.app.advance_clock(MINUTE);
    team.work().await;
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

/// The receiver answers about one piece only when it has the messages of all others.
#[tokio::test]
async fn a_piece_whose_message_takes_long_does_not_hold_back_the_others() {
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
    team.tell().await;
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
    team.tell().await;
    let begun = team.app.now();
    let first = team.receiver.take_one();
    let mut attempts = vec![0];
    while team.state(&webhook).await == "ativo" {
        let next = team.log(&webhook).await[0]["proxima"].clone();
        let Timestamp(next) = next.as_str().expect("a time").parse().expect("a time");
        team.app.advance_clock(next - team.app.now() - 1);
        team.work().await;
        assert_eq!(team.receiver.take().len(), 0);
        team.app.advance_clock(1);
        team.work().await;
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
    assert_eq!(team.state(&webhook).await, "pausado_por_falhas");
    team.tell().await;
    let audit = team
        .admin
        .get("/api/access/audit?action=stop_webhook")
        .await;
    let row = audit.expect(200).body["audit"][0].clone();
    assert_eq!(row["metadata"]["state"], "pausado_por_falhas");
    let told = team.admin.get("/api/notificacoes?tipo=webhook").await;
    let told = told.expect(200).body["notificacoes"].clone();
    assert_eq!(told[0]["link"], "http://127.0.0.1:8080/webhooks");
    // What happens meanwhile waits. It is sent when an admin resumes the webhook; the two messages are of
    // two pieces, so any of them may arrive first.
    let other = team.assign("Missa").await;
    team.tell().await;
    assert_eq!(team.receiver.take().len(), 0);
    assert_eq!(team.load(&webhook).await["esperando"], 2);
    team.receiver.answer_status(202);
    let resume = webhook.path("/retomada");
    team.admin.post(&resume, json!({})).await.expect(200);
    team.work().await;
    let mut sent = team.receiver.take();
    sent.sort_by(|one, other| one.id().cmp(other.id()));
    assert_eq!((sent.len(), sent[0].id()), (2, first.id()));
    assert_eq!(sent[1].resource(), other);
}

#[tokio::test]
async fn a_receiver_that_is_gone_ends_the_webhook() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    team.receiver.answer_status(410);
    let id = team.assign("Feira").await;
    team.set_status(&id, 1, "arquivado").await;
    team.tell().await;
    assert_eq!(team.receiver.take().len(), 1);
    assert_eq!(team.state(&webhook).await, "encerrado");
    team.assign("Missa").await;
    team.tell().await;
    assert_eq!(team.receiver.take().len(), 0);
    let log = team.log(&webhook).await;
    let states: Vec<_> = log.iter().map(|one| one["estado"].clone()).collect();
    assert_eq!(states, ["descartada", "descartada"]);
    // A person can start it again; what happened meanwhile was not kept.
    team.receiver.answer_status(200);
    let resume = webhook.path("/retomada");
    team.admin.post(&resume, json!({})).await.expect(200);
    team.assign("Sopa").await;
    team.tell().await;
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
    team.tell().await;
    assert_eq!(team.receiver.take().len(), 1);
    let attempt = team.log(&webhook).await[0]["tentativas"][0].clone();
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
    team.tell().await;
    team.receiver.take_one();
    team.app.advance_clock(HOUR - SECOND);
    team.work().await;
    assert_eq!(team.receiver.take().len(), 0);
    asked.store(usize::MAX, Ordering::SeqCst);
    team.app.advance_clock(2 * SECOND);
    team.work().await;
    team.receiver.take_one();
    team.app.advance_clock(DAY - SECOND);
    team.work().await;
    assert_eq!(team.receiver.take().len(), 0);
    team.app.advance_clock(2 * SECOND);
    team.work().await;
    team.receiver.take_one();
}

#[tokio::test]
async fn of_a_long_answer_only_the_beginning_is_kept() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    team.receiver.answer_with(|_| async {
        let long = format!("ok\0{}", "é".repeat(4_000_000));
        Response::new(Body::from(long))
    });
    team.assign("Feira").await;
    team.tell().await;
    let attempt = team.log(&webhook).await[0]["tentativas"][0].clone();
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
    team.tell().await;
    let first = team.log(&webhook).await[0].clone();
    assert_eq!(first["estado"], "recebida", "{first}");
}

#[tokio::test]
async fn the_messages_of_one_piece_are_sent_in_their_order_whatever_they_are_about() {
    let team = Fixture::new().await;
    let mut settings = team.settings();
    settings["tipos"] = json!(["piece_created", "remark_added"]);
    team.subscribe_with(settings).await;
    let id = team.assign("Feira").await;
    let remark = json!({ "texto": "Veja", "mencoes": [team.member.id] });
    let path = format!("/api/eventos/{id}/comentarios");
    team.admin.post(&path, remark).await.expect(200);
    team.receiver.answer_status(500);
    team.tell().await;
    let kinds = |list: Vec<super::receiver::Received>| -> Vec<_> {
        list.iter().map(|one| one.body["type"].clone()).collect()
    };
    assert_eq!(kinds(team.receiver.take()), ["piece_created"]);
    team.receiver.answer_status(200);
    team.app.advance_clock(MINUTE);
    team.work().await;
    assert_eq!(
        kinds(team.receiver.take()),
        ["piece_created", "remark_added"]
    );
}

#[tokio::test]
async fn a_message_that_alone_is_refused_for_three_days_ends_without_the_webhook() {
    let mut team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let refused = team.assign("Feira").await;
    let bad = refused.clone();
    team.receiver.answer_with(move |message| {
        let status = if message.resource() == bad { 422 } else { 204 };
        async move { answer(status) }
    });
    team.tell().await;
    team.set_status(&refused, 1, "arquivado").await;
    team.assign("Missa").await;
    for _ in 0..80 {
        team.app.advance_clock(HOUR);
        team.work().await;
    }
    team.sign_in().await;
    assert_eq!(team.state(&webhook).await, "ativo");
    let log = team.log(&webhook).await;
    let states = |id: &str| -> Vec<_> {
        let of_piece = log.iter().filter(|one| one["recurso_id"] == id);
        of_piece.map(|one| one["estado"].clone()).collect()
    };
    // The next message of the piece has its own three days.
    assert_eq!(states(&refused), ["pendente", "recusada"]);
    team.tell().await;
    let told = team.admin.get("/api/notificacoes?tipo=webhook").await;
    let told = told.expect(200).body["notificacoes"].clone();
    assert_eq!(told.as_array().map(Vec::len), Some(1), "{told}");
}

#[tokio::test]
async fn a_test_that_fails_is_not_sent_again_and_stops_nothing() {
    let mut team = Fixture::new().await;
    let webhook = team.subscribe().await;
    team.receiver.answer_status(400);
    let test = webhook.path("/teste");
    team.admin.post(&test, json!({})).await.expect(200);
    team.work().await;
    assert_eq!(team.receiver.take().len(), 1);
    team.app.advance_clock(HOUR);
    team.work().await;
    assert_eq!(team.receiver.take().len(), 0);
    team.sign_in().await;
    assert_eq!(team.state(&webhook).await, "ativo");
    assert_eq!(team.log(&webhook).await[0]["estado"], "recusada");
}

#[tokio::test]
async fn an_asked_pause_holds_for_all_messages_of_the_webhook() {
    let team = Fixture::new().await;
    team.subscribe().await;
    team.receiver.answer_with(|_| async {
        let answer = Response::builder().status(503).header("retry-after", 3600);
        answer.body(Body::empty()).expect("an answer")
    });
    team.assign("Feira").await;
    team.tell().await;
    team.receiver.take_one();
    team.receiver.answer_status(200);
    team.assign("Missa").await;
    team.app.advance_clock(HOUR - 10 * SECOND);
    team.work().await;
    assert_eq!(team.receiver.take().len(), 0);
    team.app.advance_clock(20 * SECOND);
    team.work().await;
    assert_eq!(team.receiver.take().len(), 2);
}

#[tokio::test]
async fn an_answer_of_an_earlier_address_does_not_end_the_webhook() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let (client, path) = (team.admin.clone(), webhook.path(""));
    let mut moved = team.settings();
    moved["url"] = format!("{}/nova", team.receiver.origin).into();
    moved["expected_revision"] = json!(1);
    team.receiver.answer_with(move |_| {
        let (client, path, moved) = (client.clone(), path.clone(), moved.clone());
        async move {
            // An admin corrects the address while the old one answers.
            client.put(&path, moved).await.expect(200);
            answer(410)
        }
    });
    team.assign("Feira").await;
    team.tell().await;
    assert_eq!(team.state(&webhook).await, "ativo");
    let url = team.load(&webhook).await["url"].clone();
    assert!(url.as_str().is_some_and(|url| url.ends_with("/nova")));
}

#[tokio::test]
async fn a_call_that_changed_nothing_is_not_told_and_a_change_says_of_what() {
    let team = Fixture::new().await;
    team.subscribe().await;
    let id = team.assign("Feira").await;
    team.tell().await;
    team.receiver.take_one();
    let path = format!("/api/eventos/{id}");
    let same = json!({ "expected_revision": 1, "assignee_ids": [team.member.id] });
    team.admin.patch(&path, same).await.expect(200);
    team.app.advance_clock(MINUTE);
    team.tell().await;
    assert_eq!(team.receiver.take().len(), 0);
    let other = json!({ "expected_revision": 1, "title": "Feira de outono" });
    team.admin.patch(&path, other).await.expect(200);
    team.app.advance_clock(MINUTE);
    team.tell().await;
    let told = team.receiver.take_one();
    assert_eq!(told.body["data"]["changed"], json!(["title"]));
    assert!(!told.text.contains("outono"), "no text that people write");
}
