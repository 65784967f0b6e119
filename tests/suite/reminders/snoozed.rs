//! Reminders that a member puts off for an hour.

use domain::time::{HOUR, MINUTE};
use serde_json::{Value, json};

use super::{Team, dated, put, record, revision};
use crate::support::{Answer, Client};

async fn snooze(client: &Client, id: &str) -> Answer {
    let input = json!({ "canal": "whatsapp", "formato": "post" });
    let path = format!("/api/eventos/{id}/lembrete");
    client.post(&path, input).await
}

async fn unread(team: &Team, member: &store::members::Member) -> Vec<Value> {
    let all = team.reminders(member).await.into_iter();
    all.filter(|one| one["lida"] == json!(false)).collect()
}

#[tokio::test]
async fn who_puts_a_reminder_off_is_reminded_in_an_hour_and_nobody_else_is() {
    let team = Team::new().await;
    let hour = team.hour();
    let id = team.post("Feira", &[&team.bia]).await;
    let ana = team.client(&team.ana).await;
    snooze(&ana, &id)
        .await
        .expect_refusal(409, "PUBLICATION_STATE");
    team.pass(hour).await;
    let ana = team.client(&team.ana).await;
    let snoozed = snooze(&ana, &id).await.expect(200).body;
    let again = domain::time::Timestamp(team.app.now() + HOUR);
    assert_eq!(snoozed["lembra_em"], json!(again));
    assert!(unread(&team, &team.ana).await.is_empty());
    assert_eq!(unread(&team, &team.bia).await.len(), 1);
    // Pressed again, it moves: one reminder follows.
    team.app.advance_clock(10 * MINUTE);
    let ana = team.client(&team.ana).await;
    snooze(&ana, &id).await.expect(200);
    let at = team.app.now() + HOUR;
    team.pass(at - 10 * MINUTE).await;
    assert!(unread(&team, &team.ana).await.is_empty());
    team.pass(at).await;
    assert_eq!(unread(&team, &team.ana).await.len(), 1);
    assert_eq!(team.reminders(&team.ana).await.len(), 2);
    assert_eq!(team.reminders(&team.bia).await.len(), 1);
    team.pass(at + 3 * HOUR).await;
    assert_eq!(team.reminders(&team.ana).await.len(), 2);
    assert_eq!(team.app.count_rows("post_snoozes").await, 0);
}

#[tokio::test]
async fn a_snoozed_reminder_of_a_published_or_moved_post_is_not_sent_again() {
    let team = Team::new().await;
    let hour = team.hour();
    let posted = team.post("postada", &[]).await;
    let moved = team.post("movida", &[]).await;
    team.pass(hour).await;
    let ana = team.client(&team.ana).await;
    for id in [&posted, &moved] {
        snooze(&ana, id).await.expect(200);
    }
    record(&ana, &posted, "whatsapp", None).await.expect(200);
    let later = dated(json!({ "canal": "whatsapp" }), hour + 9 * HOUR);
    put(&ana, &moved, &[later]).await.expect(200);
    let decision =
        json!({ "expected_revision": revision(&ana, &moved).await, "action": "aprovar" });
    let path = format!("/api/eventos/{moved}/variantes/decisao");
    ana.post(&path, decision).await.expect(200);
    team.pass(hour + 2 * HOUR).await;
    assert!(unread(&team, &team.ana).await.is_empty());
    let ana = team.client(&team.ana).await;
    snooze(&ana, &posted)
        .await
        .expect_refusal(409, "PUBLICATION_STATE");
}

/// The post was unapproved when the snooze ended, and is approved again at the same hour.
#[tokio::test]
async fn a_post_that_is_approved_again_after_its_reminder_was_put_off_is_told() {
    let team = Team::new().await;
    let hour = team.hour();
    let id = team.post("mudada", &[]).await;
    team.pass(hour).await;
    let ana = team.client(&team.ana).await;
    snooze(&ana, &id).await.expect(200);
    let other = json!({ "canal": "whatsapp", "legenda": "Outra" });
    put(&ana, &id, &[dated(other, hour)]).await.expect(200);
    team.pass(hour + 2 * HOUR).await;
    assert!(unread(&team, &team.ana).await.is_empty());
    let ana = team.client(&team.ana).await;
    let decision = json!({ "expected_revision": revision(&ana, &id).await, "action": "aprovar" });
    let path = format!("/api/eventos/{id}/variantes/decisao");
    ana.post(&path, decision).await.expect(200);
    team.pass(hour + 2 * HOUR + 5 * MINUTE).await;
    assert_eq!(unread(&team, &team.ana).await.len(), 1);
}

#[tokio::test]
async fn only_who_may_publish_and_sees_the_piece_puts_its_reminder_off() {
    let team = Team::new().await;
    let hour = team.hour();
    let id = team.post("Feira", &[&team.caio]).await;
    team.pass(hour).await;
    let caio = team.client(&team.caio).await;
    snooze(&caio, &id)
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    let ana = team.client(&team.ana).await;
    snooze(&ana, "01990000-0000-7000-8000-00000000dead")
        .await
        .expect(404);
    let path = format!("/api/eventos/{id}/lembrete");
    let other = json!({ "canal": "threads", "formato": "post" });
    ana.post(&path, other)
        .await
        .expect_refusal(409, "PUBLICATION_STATE");
}

#[tokio::test]
async fn the_page_and_the_notification_have_the_button_while_the_post_is_due() {
    let team = Team::new().await;
    let hour = team.hour();
    let id = team.post("Feira", &[]).await;
    let pages = [
        format!("/eventos/{id}/canais/whatsapp/post/postar"),
        "/notificacoes".to_owned(),
    ];
    let shows = async || {
        let browser = team.app.browser_client(&team.ana).await;
        let mut shows = vec![];
        for page in &pages {
            let page = browser.get(page).await.expect(200).text;
            shows.push(page.contains("/acao/snooze_post_reminder"));
        }
        shows
    };
    assert_eq!(shows().await, [false, false]);
    team.pass(hour).await;
    assert_eq!(shows().await, [true, true]);
    let fields = [
        ("eventId", id.as_str()),
        ("canal", "whatsapp"),
        ("formato", "post"),
        ("_volta", "/notificacoes"),
        ("idempotency_key", "lembrar-em-uma-hora"),
    ];
    let browser = team.app.browser_client(&team.ana).await;
    browser
        .post_form("/acao/snooze_post_reminder", &fields)
        .await
        .expect(303);
    assert_eq!(shows().await, [true, false]);
    let ana = team.client(&team.ana).await;
    record(&ana, &id, "whatsapp", None).await.expect(200);
    assert_eq!(shows().await, [false, false]);
}
