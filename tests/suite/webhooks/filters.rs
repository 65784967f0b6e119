//! The events that a webhook sends, and changes of its settings.

use domain::time::{HOUR, MINUTE, Timestamp};
use serde_json::json;

use super::Fixture;
use crate::reminders::{approve, dated, put, write_piece};

#[test]
fn webhooks_can_send_every_kind_that_operations_announce() {
    let registry = tools::registry();
    let create = registry.find("create_webhook").expect("the operation");
    let accepts = |kind: &str| {
        let input = json!({ "url": "https://a.test/", "descricao": "x", "tipos": [kind] });
        create.validator().is_valid(&input)
    };
    let announced = tools::operations().flat_map(|entry| entry.spec.announces.unwrap_or_default());
    let kinds: Vec<&str> = announced.map(|one| one.kind).collect();
    assert!(kinds.len() > 5, "{kinds:?}");
    for kind in kinds {
        assert!(accepts(kind), "{kind}");
    }
    assert!(!accepts("webhook_failed") && !accepts("test"));
}

#[tokio::test]
async fn a_webhook_sends_that_a_post_is_due_and_that_it_was_recorded() {
    let mut team = Fixture::new().await;
    let mut settings = team.settings();
    settings["tipos"] = json!(["post_due", "piece_published"]);
    team.subscribe_with(settings).await;
    let hour = (team.app.now() / HOUR + 2) * HOUR;
    let channels = ["whatsapp", "bluesky"].map(|key| dated(json!({ "canal": key }), hour));
    let id = write_piece(&team.admin, "Feira", &[], &channels[..1]).await;
    put(&team.admin, &id, &channels[1..]).await.expect(200);
    approve(&team.admin, &id).await;
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take().len(), 0);
    team.app.advance_clock(hour - team.app.now() + MINUTE);
    team.sign_in().await;
    team.make_and_send_messages().await;
    team.app.advance_clock(MINUTE);
    team.make_and_send_messages().await;
    let mut sent = team.receiver.take();
    sent.sort_by_key(|one| one.body["data"]["facts"]["channel"].to_string());
    assert_eq!(sent.len(), 2, "{sent:?}");
    let data = &sent[1].body["data"];
    assert_eq!(sent[1].body["type"], "post_due");
    assert_eq!(data["resource"]["kind"], "event");
    assert_eq!(data["actor"]["kind"], "service");
    let facts = &data["facts"];
    assert_eq!(
        (&facts["channel"], &facts["format"]),
        (&json!("whatsapp"), &json!("post"))
    );
    assert_eq!(facts["due_at"], json!(Timestamp(hour)));
    let read = team
        .admin
        .get(&format!("/api/eventos/{id}"))
        .await
        .expect(200)
        .body;
    let input = json!({
        "expected_revision": read["evento"]["api_revision"], "variant_id": facts["variant_id"],
    });
    team.admin
        .post(&format!("/api/eventos/{id}/post"), input)
        .await
        .expect(200);
    team.make_and_send_messages().await;
    let sent = team.receiver.take_one();
    assert_eq!(sent.body["type"], "piece_published");
    assert_eq!(sent.body["data"]["facts"]["status"], "aprovado");
}

#[tokio::test]
async fn a_due_message_that_was_not_received_is_dropped_when_the_post_is_moved() {
    let mut team = Fixture::new().await;
    let mut settings = team.settings();
    settings["tipos"] = json!(["post_due"]);
    let webhook = team.subscribe_with(settings).await;
    let hour = (team.app.now() / HOUR + 2) * HOUR;
    let mut ids = vec![];
    for title in ["movida", "na hora"] {
        let variant = dated(json!({ "canal": "whatsapp" }), hour);
        let id = write_piece(&team.admin, title, &[], &[variant]).await;
        approve(&team.admin, &id).await;
        ids.push(id);
    }
    team.make_and_send_messages().await;
    team.receiver.answer_status(503);
    team.app.advance_clock(hour - team.app.now() + MINUTE);
    team.make_and_send_messages().await;
    assert!(!team.receiver.take().is_empty());
    team.sign_in().await;
    let later = dated(json!({ "canal": "whatsapp" }), hour + 9 * HOUR);
    put(&team.admin, &ids[0], &[later]).await.expect(200);
    team.receiver.answer_status(200);
    for _ in 0..40 {
        team.app.advance_clock(MINUTE);
        team.make_and_send_messages().await;
    }
    let sent = team.receiver.take();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(sent[0].body["data"]["resource"]["id"], json!(ids[1]));
    team.sign_in().await;
    let log = team.list_messages(&webhook).await;
    let mut states: Vec<_> = log.iter().map(|one| one["estado"].to_string()).collect();
    states.sort();
    assert_eq!(states, ["\"descartada\"", "\"recebida\""]);
}

#[tokio::test]
async fn a_webhook_sends_only_its_kinds_and_channel() {
    let team = Fixture::new().await;
    let mut settings = team.settings();
    settings["channel"] = " Instagram ".into();
    settings["tipos"] = json!(["piece_created"]);
    team.subscribe_with(settings).await;
    let create = async |channel: &str| {
        let input = json!({ "title": "Feira", "channel": channel, "assignee_id": team.member.id });
        team.admin.create_demand(input).await
    };
    let sent = create("instagram").await;
    create("email").await;
    team.set_status(&sent, 1, "arquivado").await;
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take_one().resource(), sent);
}

#[tokio::test]
async fn a_webhook_of_a_project_sends_only_events_of_its_pieces() {
    let team = Fixture::new().await;
    let created = team
        .admin
        .post("/api/projects", json!({ "name": "Colheita" }))
        .await;
    let project = created.expect(201).body["project"]["id"].clone();
    let path = format!("/api/projects/{}", project.as_str().expect("an id"));
    let apply = async |kind: &str, payload: serde_json::Value, base: i64| {
        let input = json!({ "type": kind, "payload": payload, "expected_revision": base });
        let applied = team.admin.post(&format!("{path}/operations"), input).await;
        assert!(applied.status < 300, "{}", applied.text);
        team.admin.get(&path).await.expect(200).body["project"].clone()
    };
    let mut settings = team.settings();
    settings["project_id"] = project.clone();
    team.subscribe_with(settings).await;
    let made = apply("section.add", json!({ "title": "A" }), 1).await;
    let item = json!({ "section_id": made["sections"][0]["id"], "title": "B" });
    let made = apply("item.add", item, 2).await;
    let id = team.assign("Do projeto").await;
    let link = json!({ "item_id": made["sections"][0]["items"][0]["id"], "event_id": id });
    apply("item.link_event", link, 3).await;
    team.assign("Fora do projeto").await;
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take_one().resource(), id);
    let mut unknown = team.settings();
    unknown["project_id"] = "01990000-0000-7000-8000-000000000999".into();
    team.admin.post("/api/webhooks", unknown).await.expect(404);
}

#[tokio::test]
async fn settings_are_replaced_by_the_revision_that_was_read() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let mut settings = team.settings();
    settings["tipos"] = json!(["remark_added"]);
    settings["expected_revision"] = 1.into();
    let path = webhook.path("");
    let changed = team
        .admin
        .put(&path, settings.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(changed["webhook"]["tipos"], json!(["remark_added"]));
    assert_eq!(changed["webhook"]["revision"], 2);
    let stale = team.admin.put(&path, settings).await;
    stale.expect_refusal(409, "STALE_REVISION");
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take().len(), 0);
}

#[tokio::test]
async fn a_team_has_at_most_twenty_webhooks() {
    let team = Fixture::new().await;
    let mut last = team.subscribe().await;
    for _ in 1..20 {
        last = team.subscribe().await;
    }
    let refused = team.admin.post("/api/webhooks", team.settings()).await;
    refused.expect_refusal(409, "TOO_MANY_WEBHOOKS");
    team.admin.delete(&last.path("")).await.expect(200);
    team.subscribe().await;
    let secrets = "secrets WHERE purpose = 'webhook secret'";
    assert_eq!(team.app.count_rows(secrets).await, 20);
}

#[tokio::test]
async fn a_deleted_webhook_leaves_no_rows() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    team.admin
        .post(&webhook.path("/segredo"), json!({}))
        .await
        .expect(200);
    team.receiver.answer_status(500);
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    team.admin.delete(&webhook.path("")).await.expect(200);
    for table in ["webhooks", "webhook_messages", "webhook_attempts"] {
        assert_eq!(team.app.count_rows(table).await, 0, "{table}");
    }
    let secrets = "secrets WHERE purpose LIKE '%webhook secret%'";
    assert_eq!(team.app.count_rows(secrets).await, 0);
    team.receiver.take();
    team.app.advance_clock(60_000);
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take().len(), 0);
    team.admin
        .get(&webhook.path("/mensagens"))
        .await
        .expect(404);
}

#[tokio::test]
async fn a_webhook_sends_nothing_that_happened_before_its_creation() {
    let team = Fixture::new().await;
    team.assign("Feira").await;
    team.app.advance_clock(1);
    team.subscribe().await;
    let after = team.assign("Missa").await;
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take_one().resource(), after);
}
