//! The record of what a person posted.

use domain::time::HOUR;
use serde_json::{Value, json};

use super::{Team, approve, dated, put, record, revision, variants, write_piece};

const LINK: &str = "https://www.linkedin.com/feed/update/urn:li:share:1/";

#[tokio::test]
async fn a_piece_is_published_when_all_its_variants_are() {
    let team = Team::new().await;
    let ana = team.client(&team.ana).await;
    let channels = ["whatsapp", "linkedin"].map(|key| dated(json!({ "canal": key }), team.hour()));
    let id = write_piece(&ana, "Feira", &[], &channels).await;
    approve(&ana, &id).await;
    let before = revision(&ana, &id).await.as_i64().expect("a number");
    let answer = record(&ana, &id, "whatsapp", None).await.expect(200).body;
    assert_eq!(answer["status"], "aprovado");
    assert_eq!(answer["post_url"], Value::Null);
    assert_eq!(answer["api_revision"], before + 1);
    let all = variants(&ana, &id).await;
    assert!(all[0]["no_ar_desde"].is_null(), "{all:?}");
    assert!(all[1]["no_ar_desde"].is_string(), "{all:?}");
    // Recorded again, nothing changes.
    let answer = record(&ana, &id, "whatsapp", None).await.expect(200).body;
    assert_eq!(answer["api_revision"], before + 1);
    let answer = record(&ana, &id, "linkedin", Some(LINK))
        .await
        .expect(200)
        .body;
    assert_eq!(answer["status"], "publicado");
    let piece = ana.load_event(&id).await;
    assert_eq!(piece["post_url"], LINK);
    assert_eq!(
        team.app
            .count_rows("publications WHERE state = 'published'")
            .await,
        2
    );
    // The link is corrected afterwards.
    let other = "https://www.linkedin.com/feed/update/urn:li:share:2/";
    record(&ana, &id, "linkedin", Some(other)).await.expect(200);
    assert_eq!(variants(&ana, &id).await[0]["link_do_post"], other);
    assert_eq!(ana.load_event(&id).await["post_url"], other);
    let history = ana
        .get(&format!("/api/eventos/{id}"))
        .await
        .expect(200)
        .body;
    let line = &history["historico"][0];
    assert_eq!(line["action"], "record_post");
    assert_eq!(
        line["changes"]["variante_publicada"]["after"]["canal"],
        "linkedin"
    );
}

#[tokio::test]
async fn the_post_of_a_whole_piece_is_refused_while_a_channel_waits() {
    let team = Team::new().await;
    let id = team.post("Feira", &[]).await;
    let ana = team.client(&team.ana).await;
    let input = json!({ "expected_revision": revision(&ana, &id).await, "post_url": LINK });
    let refused = ana.post(&format!("/api/eventos/{id}/post"), input).await;
    assert_eq!(refused.expect(400).invalid_fields(), ["variant_id"]);
    assert_eq!(ana.load_event(&id).await["status"], "aprovado");
    // The page offers the channel, and no button for the whole piece.
    let browser = team.app.browser_client(&team.ana).await;
    let page = browser
        .get(&format!("/eventos/{id}"))
        .await
        .expect(200)
        .text;
    assert!(page.contains("Publicar à mão: WhatsApp") && !page.contains("Já publiquei"));
}

#[tokio::test]
async fn a_piece_whose_last_waiting_variant_is_taken_away_is_published() {
    let team = Team::new().await;
    let ana = team.client(&team.ana).await;
    let channels = ["whatsapp", "linkedin"].map(|key| dated(json!({ "canal": key }), team.hour()));
    let id = write_piece(&ana, "Feira", &[], &channels).await;
    approve(&ana, &id).await;
    let taken = json!({ "canal": "whatsapp", "remover": true });
    // Nothing is online yet, so nothing is published.
    let restated = [
        taken.clone(),
        dated(json!({ "canal": "threads" }), team.hour()),
    ];
    put(&ana, &id, &restated).await.expect(200);
    assert_eq!(ana.load_event(&id).await["status"], "aprovado");
    record(&ana, &id, "linkedin", Some(LINK)).await.expect(200);
    assert_eq!(ana.load_event(&id).await["status"], "aprovado");
    let taken = json!({ "canal": "threads", "remover": true });
    put(&ana, &id, &[taken]).await.expect(200);
    let piece = ana.load_event(&id).await;
    assert_eq!(piece["status"], "publicado");
    assert_eq!(piece["post_url"], LINK);
}

#[tokio::test]
async fn a_repeated_call_is_one_and_a_stale_one_changes_nothing() {
    let team = Team::new().await;
    let id = team.post("Feira", &[]).await;
    let ana = team.client(&team.ana).await;
    let variant = variants(&ana, &id).await[0]["id"].clone();
    let seen = revision(&ana, &id).await;
    let input = json!({ "expected_revision": seen, "variant_id": variant });
    let path = format!("/api/eventos/{id}/post");
    let keyed = ana.with_idempotency_key("postei-no-zap-0001");
    let first = keyed.post(&path, input.clone()).await.expect(200).body;
    let again = keyed.post(&path, input.clone()).await.expect(200).body;
    assert_eq!(first, again);
    let stale = ana.post(&path, input).await;
    stale.expect_refusal(409, "STALE_REVISION");
    assert_eq!(team.app.count_rows("publications").await, 1);
}

#[tokio::test]
async fn only_who_may_publish_records_and_only_an_approved_variant_of_the_piece() {
    let team = Team::new().await;
    let id = team.post("Feira", &[&team.caio]).await;
    let other = team.post("Missa", &[&team.caio]).await;
    let ana = team.client(&team.ana).await;
    let (caio, davi) = (team.client(&team.caio).await, team.client(&team.davi).await);
    let path = format!("/api/eventos/{id}/post");
    let variant = variants(&ana, &id).await[0]["id"].clone();
    let input = json!({ "expected_revision": revision(&ana, &id).await, "variant_id": variant });
    caio.post(&path, input.clone()).await.expect(403);
    davi.post(&path, input.clone()).await.expect(403);
    let foreign = variants(&ana, &other).await[0]["id"].clone();
    let mut wrong = input.clone();
    wrong["variant_id"] = foreign;
    let refused = ana.post(&path, wrong).await.expect(400);
    assert_eq!(refused.invalid_fields(), ["variant_id"]);
    let mut nothing = input.clone();
    nothing
        .as_object_mut()
        .expect("an object")
        .remove("variant_id");
    let refused = ana.post(&path, nothing).await.expect(400);
    assert_eq!(refused.invalid_fields(), ["post_url"]);
    let changed = dated(
        json!({ "canal": "whatsapp", "legenda": "Outra" }),
        team.hour(),
    );
    put(&ana, &id, &[changed]).await.expect(200);
    let waits = record(&ana, &id, "whatsapp", None).await;
    waits.expect_refusal(409, "NOT_APPROVED");
    assert_eq!(team.app.count_rows("publications").await, 0);
}

#[tokio::test]
async fn a_late_publication_is_the_post_by_hand_and_one_at_this_moment_is_not() {
    let team = Team::new().await;
    let id = team.post("Feira", &[]).await;
    let ana = team.client(&team.ana).await;
    let automatic = json!({ "canal": "instagram", "formato": "story", "publicacao": "automatica" });
    let ready = dated(automatic, team.hour() + 90 * HOUR);
    let second = write_piece(&ana, "Missa", &[], &[ready]).await;
    // The rules of a story ask for a medium, which does not matter here.
    let sql = "UPDATE events SET status = 'aprovado' WHERE id = $1";
    team.app.execute_statement(sql, [second.clone()]).await;
    let sql = "UPDATE event_variants SET approved_revision = revision WHERE event_id = $1";
    team.app.execute_statement(sql, [second.clone()]).await;
    insert_publication(&team, &second, "publishing").await;
    let busy = record(&ana, &second, "instagram", None).await;
    busy.expect_refusal(409, "PUBLICATION_STATE");
    assert!(variants(&ana, &second).await[0]["no_ar_desde"].is_null());
    let late = "UPDATE publications SET state = 'late' WHERE event_id = $1";
    team.app.execute_statement(late, [second.clone()]).await;
    record(
        &ana,
        &second,
        "instagram",
        Some("https://www.instagram.com/p/1/"),
    )
    .await
    .expect(200);
    assert_eq!(ana.load_event(&second).await["status"], "publicado");
    assert_eq!(team.app.count_rows("publications").await, 1);
    assert_eq!(team.app.count_rows("publications WHERE open = 1").await, 0);
    // One that waits for its hour is canceled, and not published after the post by hand.
    let waits = dated(json!({ "canal": "whatsapp" }), team.hour() + 80 * HOUR);
    put(&ana, &id, &[waits]).await.expect(200);
    let sql = "UPDATE event_variants SET approved_revision = revision WHERE event_id = $1";
    team.app.execute_statement(sql, [id.clone()]).await;
    insert_publication(&team, &id, "scheduled").await;
    record(&ana, &id, "whatsapp", None).await.expect(200);
    let canceled = "publications WHERE state = 'canceled' AND open = 0";
    assert_eq!(team.app.count_rows(canceled).await, 1);
}

/// A publication of the only variant of a piece in this state.
async fn insert_publication(team: &Team, piece: &str, state: &str) {
    let tx = team.app.begin().await;
    let db = tx.conn();
    let all = store::variants::list(&db, &piece.into())
        .await
        .expect("a list");
    let now = team.app.now();
    let id = domain::PublicationId::new(now);
    let hour = ("", team.hour() + 90 * HOUR);
    let inserted = store::scheduled_posts::insert(&db, &id, &all[0], hour, now).await;
    assert!(inserted.expect("the database"));
    tx.commit().await.expect("committed");
    let sql = format!("UPDATE publications SET state = '{state}' WHERE id = $1");
    team.app
        .execute_statement(&sql, [id.as_str().to_owned()])
        .await;
}
