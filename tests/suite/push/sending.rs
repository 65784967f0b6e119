//! The effect of each answer of a push service on its message.

use std::sync::Arc;

use domain::time::{DAY, HOUR, MINUTE};
use tokio::sync::Notify;

use super::{Fixture, service::Manner};

#[tokio::test]
async fn a_device_that_its_push_service_no_longer_knows_is_removed() {
    for status in [404, 410] {
        let (team, _) = Fixture::with_device().await;
        let kept = team.push.open_browser();
        team.register(&team.caio, &kept).await;
        let other = team.push.open_browser();
        team.register(&team.caio, &other).await;
        team.push.answer_for(&other, status);
        team.assign("Feira").await;
        team.make_and_send_notifications().await;
        assert_eq!(team.push.take().len(), 3);
        assert_eq!(team.list_devices(&team.caio).await.len(), 2);
        let secrets = "secrets WHERE purpose = 'push subscription'";
        assert_eq!(team.app.count_rows(secrets).await, 2);
        assert_eq!(team.message_states().await, ["enviado", "enviado"]);
        team.assign("Missa").await;
        team.make_and_send_notifications().await;
        assert_eq!(team.push.take().len(), 2);
    }
}

#[tokio::test]
async fn a_refusal_ends_the_message_but_a_temporary_failure_does_not() {
    for status in [400, 401, 403, 413, 301] {
        let (team, _) = Fixture::with_device().await;
        team.push.answer(status);
        team.assign("Feira").await;
        team.make_and_send_notifications().await;
        team.pass_time(2 * HOUR).await;
        assert_eq!(team.push.take().len(), 1, "{status}");
        assert_eq!(team.message_states().await, ["recusado"], "{status}");
    }
    for status in [429, 500, 502] {
        let (team, browser) = Fixture::with_device().await;
        team.push.answer(status);
        team.assign("Feira").await;
        team.make_and_send_notifications().await;
        assert_eq!(team.message_states().await, ["pendente"], "{status}");
        team.push.take();
        team.push.answer(201);
        team.pass_time(HOUR).await;
        let told = team.push.take_one().open(&browser);
        assert!(told["texto"].to_string().contains("Feira"));
        assert_eq!(team.message_states().await, ["enviado"], "{status}");
    }
}

#[tokio::test]
async fn the_pause_that_a_push_service_requests_is_respected() {
    let (team, _) = Fixture::with_device().await;
    let wait = Manner::Status(429, vec![("retry-after", "3600")]);
    team.push.behave(wait);
    team.assign("Feira").await;
    team.make_and_send_notifications().await;
    assert_eq!(team.push.take().len(), 1);
    team.push.answer(201);
    team.pass_time(59 * MINUTE).await;
    assert_eq!(team.push.take().len(), 0);
    team.pass_time(2 * MINUTE).await;
    assert_eq!(team.push.take().len(), 1);
    // The requested pause is longer than the lifetime of the message, so the message expires.
    team.push
        .behave(Manner::Status(503, vec![("retry-after", "9999999999")]));
    team.assign("Missa").await;
    team.make_and_send_notifications().await;
    assert_eq!(team.message_states().await, ["enviado", "vencido"]);
}

#[tokio::test]
async fn a_message_that_is_not_accepted_for_a_day_is_not_sent_any_more() {
    let (team, _) = Fixture::with_device().await;
    team.push.answer(503);
    team.assign("Feira").await;
    team.make_and_send_notifications().await;
    for _ in 0..30 {
        team.app.advance_clock(50 * MINUTE);
        team.run_due_jobs().await;
    }
    assert!(team.push.take().len() > 3);
    assert_eq!(team.message_states().await, ["vencido"]);
    team.push.answer(201);
    team.app.advance_clock(DAY);
    team.run_due_jobs().await;
    assert_eq!(team.push.take().len(), 0);
}

#[tokio::test]
async fn a_message_to_an_unreachable_push_service_is_sent_again() {
    let (team, browser) = Fixture::with_device().await;
    let path = browser.endpoint.rsplit_once('/').expect("a path").1;
    // No server listens on this port.
    let away = format!("http://127.0.0.1:9/{path}");
    let mut moved = browser.subscription();
    moved["endpoint"] = away.clone().into();
    let origins = format!("{},http://127.0.0.1:9", team.push.origin);
    let mut settings = super::settings(&team.push);
    settings[0].1 = origins;
    let other = team.app.second_instance_with(settings).await;
    let caio = team.caio.at_instance(&other);
    caio.post(super::DEVICES, moved).await.expect(200);
    team.assign("Feira").await;
    other.app.worker().drain().await.expect("jobs");
    // The signal about new outbox rows reached only the first instance, so the other instance finds the
    // rows by its periodic check.
    team.app.advance_clock(61_000);
    other.app.worker().drain().await.expect("jobs");
    let mut states = team.message_states().await;
    states.sort();
    assert_eq!(states, ["enviado", "pendente"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_instances_send_each_message_once() {
    let (team, _) = Fixture::with_device().await;
    for _ in 0..4 {
        let browser = team.push.open_browser();
        team.register(&team.caio, &browser).await;
    }
    let other = team
        .app
        .second_instance_with(super::settings(&team.push))
        .await;
    for number in 0..3 {
        team.assign(&format!("Peça {number}")).await;
        let (mut one, mut two) = (team.app.app.worker(), other.app.worker());
        for _ in 0..2 {
            let (first, second) = tokio::join!(one.drain(), two.drain());
            first.expect("jobs");
            second.expect("jobs");
            team.app.advance_clock(super::SOON);
        }
        team.run_due_jobs().await;
        let mut endpoints: Vec<String> = team
            .push
            .take()
            .into_iter()
            .map(|one| one.endpoint)
            .collect();
        endpoints.sort();
        assert_eq!(endpoints.len(), 5, "{endpoints:?}");
        endpoints.dedup();
        assert_eq!(endpoints.len(), 5, "a device was told twice");
    }
}

#[tokio::test]
async fn a_device_whose_endpoint_is_replaced_while_the_old_one_ends_is_kept() {
    let (team, browser) = Fixture::with_device().await;
    team.assign("Feira").await;
    team.run_due_jobs().await;
    team.app.advance_clock(super::SOON);
    let told = Arc::new(Notify::new());
    team.push
        .behave(Manner::StatusWhenNotified(410, told.clone()));
    let fresh = team.push.open_browser();
    let renew = async {
        team.push.wait_for(1).await;
        let mut renewed = fresh.subscription();
        renewed["anterior"] = browser.endpoint.as_str().into();
        team.caio.post(super::DEVICES, renewed).await.expect(200);
        team.push.answer(201);
        told.notify_one();
    };
    tokio::join!(team.run_due_jobs(), renew);
    assert_eq!(team.list_devices(&team.caio).await.len(), 1);
    team.push.take();
    team.pass_time(HOUR).await;
    team.push.take_one().open(&fresh);
    assert_eq!(team.message_states().await, ["enviado"]);
}
