//! The decisions of people about a publication: publish now, cancel, mark as online, try again, and
//! pause all publications.

use domain::{Format, Role};
use serde_json::{Value, json};

use super::{
    Stage,
    double::{Call, Fault},
    plain,
};
use crate::publishing::jpeg_image;

async fn create_approved_publication(stage: &Stage) -> (String, String) {
    let files = [jpeg_image(320, 320, 1)];
    let (piece, _) = stage
        .create_approved("pão", &files, &[(Format::Feed, plain())])
        .await;
    let listed = list_publications(stage, "").await;
    (piece, listed[0]["id"].as_str().expect("an id").to_owned())
}

async fn list_publications(stage: &Stage, query: &str) -> Vec<Value> {
    let path = format!("/api/publicacoes{query}");
    let listed = stage.lead.get(&path).await.expect(200).body;
    listed["publications"].as_array().expect("a list").clone()
}

async fn decide(stage: &Stage, id: &str, input: Value) -> crate::support::Answer {
    stage
        .lead
        .post(&format!("/api/publicacoes/{id}/decisao"), input)
        .await
}

/// 2027-08-21, 12:00 UTC.
const NOON: i64 = 1818849600000;

#[tokio::test]
async fn an_approval_says_what_is_published_by_itself() {
    let stage = Stage::new().await;
    let piece = stage.create_piece("pão", &[jpeg_image(320, 320, 1)]).await;
    stage.add_variant(&piece, Format::Feed, plain()).await;
    let sql = format!("UPDATE events SET due_at = {NOON} WHERE id = $1");
    stage.app.execute_statement(&sql, [piece.clone()]).await;
    let approved = stage.approve(&piece).await;
    assert_eq!(
        approved["avisos"],
        json!(["A Pauta publica sozinha: instagram/feed em 21/08/2027 09:00."])
    );
    // While everything is paused, and long after the hour.
    let pause = json!({ "paused": true });
    let paused = stage.lead.post("/api/publicacoes/pausa", pause).await;
    paused.expect(200);
    stage.reopen(&piece).await;
    let approved = stage.approve(&piece).await;
    let expected = "Depois da pausa de todas as publicações, a Pauta publica sozinha: \
        instagram/feed em 21/08/2027 09:00.";
    assert_eq!(approved["avisos"], json!([expected]));
    stage.reopen(&piece).await;
    let past = stage.app.now() - 2 * domain::time::HOUR;
    let sql = format!("UPDATE events SET due_at = {past} WHERE id = $1");
    stage.app.execute_statement(&sql, [piece.clone()]).await;
    let approved = stage.approve(&piece).await;
    let notice = approved["avisos"][0].as_str().expect("a notice");
    assert!(notice.contains("a Pauta não publica sozinha"), "{notice}");
}

/// Creates a publication whose response was lost, without evidence whether the post is online; returns
/// the ids of the piece and the publication.
async fn create_unknown_publication(stage: &Stage) -> (String, String) {
    let (piece, id) = create_approved_publication(stage).await;
    stage.pass_minutes(59).await;
    stage.api.fail_next(Call::Publish, Fault::GatewayBefore);
    stage.pass_minutes(14).await;
    assert_eq!(list_publications(stage, "?status=unknown").await.len(), 1);
    (piece, id)
}

#[tokio::test]
async fn the_list_of_waiting_publications_omits_ended_ones() {
    let stage = Stage::new().await;
    stage.api.lock_world().failures.push(("pão", "2207026"));
    let (piece, id) = create_approved_publication(&stage).await;
    let waiting = async || list_publications(&stage, "?esperam=true").await;
    assert_eq!(waiting().await[0]["id"], json!(id));
    assert!(
        waiting().await[0]["title"]
            .as_str()
            .is_some_and(|title| !title.is_empty())
    );
    // A publication with a refused file waits for a person as long as its piece is approved.
    stage.pass_minutes(50).await;
    assert_eq!(waiting().await[0]["status"], "failed");
    stage.reopen(&piece).await;
    assert!(waiting().await.is_empty());
    assert_eq!(list_publications(&stage, "").await.len(), 1);
}

#[tokio::test]
async fn a_post_recorded_by_hand_is_neither_tried_again_nor_recorded_twice() {
    let stage = Stage::new().await;
    stage.api.lock_world().failures.push(("pão", "2207026"));
    let (piece, id) = create_approved_publication(&stage).await;
    stage.pass_minutes(50).await;
    assert_eq!(list_publications(&stage, "?status=failed").await.len(), 1);
    let read = stage.lead.get(&format!("/api/eventos/{piece}")).await;
    let read = read.expect(200).body;
    let input = json!({
        "expected_revision": read["evento"]["api_revision"],
        "variant_id": read["variantes"][0]["id"],
        "post_url": "https://www.instagram.com/p/x/",
    });
    let path = format!("/api/eventos/{piece}/post");
    stage.lead.post(&path, input).await.expect(200);
    let again = json!({ "action": "tentar_de_novo" });
    decide(&stage, &id, again).await.expect(409);
    let online = json!({ "action": "no_ar", "link": "https://www.instagram.com/p/y/" });
    decide(&stage, &id, online).await.expect(409);
    assert_eq!(
        list_publications(&stage, "?status=published").await.len(),
        1
    );
}

#[tokio::test]
async fn a_person_publishes_now() {
    let stage = Stage::new().await;
    let (piece, id) = create_approved_publication(&stage).await;
    let now = json!({ "action": "publicar_agora" });
    let decided = decide(&stage, &id, now.clone()).await.expect(200).body;
    assert_eq!(decided["publication"]["status"], "scheduled");
    stage.pass_minutes(2).await;
    assert_eq!(stage.status(&piece).await, "publicado");
    decide(&stage, &id, now)
        .await
        .expect_refusal(409, "PUBLICATION_STATE");
}

#[tokio::test]
async fn a_canceled_publication_is_neither_posted_nor_scheduled_again() {
    let stage = Stage::new().await;
    let (_, id) = create_approved_publication(&stage).await;
    stage.pass_minutes(50).await;
    let cancel = json!({ "action": "cancelar" });
    let decided = decide(&stage, &id, cancel).await.expect(200).body;
    assert_eq!(decided["publication"]["status"], "canceled");
    stage.pass_minutes(20).await;
    assert_eq!(list_publications(&stage, "").await.len(), 1);
    assert_eq!(stage.api.lock_world().posts.len(), 0);
}

#[tokio::test]
async fn an_unknown_publication_whose_post_a_person_finds_gets_its_link() {
    let stage = Stage::new().await;
    let (piece, id) = create_unknown_publication(&stage).await;
    decide(&stage, &id, json!({ "action": "no_ar" }))
        .await
        .expect_refusal(400, "INVALID_INPUT");
    let link = "https://www.instagram.com/p/abc/";
    let online = json!({ "action": "no_ar", "link": link });
    decide(&stage, &id, online).await.expect(200);
    stage.run_due_jobs().await;
    let event = stage.lead.load_event(&piece).await;
    assert_eq!(
        (&event["status"], &event["post_url"]),
        (&json!("publicado"), &json!(link))
    );
    assert_eq!(stage.api.count_calls(Call::Publish), 1);
}

#[tokio::test]
async fn trying_again_publishes_the_prepared_container_and_never_twice() {
    for was_online in [false, true] {
        let stage = Stage::new().await;
        let (_, id) = create_unknown_publication(&stage).await;
        if was_online {
            // Makes the person's decision wrong: the network processed the first request after all.
            let container = {
                let mut world = stage.api.lock_world();
                let (id, container) = world.containers.iter_mut().next().expect("a container");
                container.published = true;
                id.clone()
            };
            stage.api.lock_world().add_post(&container);
        }
        let again = json!({ "action": "tentar_de_novo" });
        decide(&stage, &id, again).await.expect(200);
        stage.pass_minutes(2).await;
        assert_eq!(stage.publication().await.state, "published");
        let world = stage.api.lock_world();
        assert_eq!(world.posts.len(), 1, "{was_online}");
        assert_eq!(world.containers.len(), 1);
    }
}

#[tokio::test]
async fn a_failed_publication_is_tried_again_from_the_start() {
    let stage = Stage::new().await;
    stage.api.lock_world().failures.push(("pão", "2207026"));
    let (piece, id) = create_approved_publication(&stage).await;
    stage.pass_minutes(50).await;
    let [failed] = &list_publications(&stage, "?status=failed").await[..] else {
        panic!("none failed");
    };
    assert_eq!(failed["code"], "MEDIA_REJECTED");
    assert!(failed["message"].is_string() && failed["next"].is_string());
    stage.api.lock_world().failures.clear();
    let again = json!({ "action": "tentar_de_novo" });
    decide(&stage, &id, again).await.expect(200);
    // The publication is not due yet.
    stage.pass_minutes(3).await;
    assert_eq!(stage.publication().await.state, "ready");
    assert_eq!(stage.api.lock_world().posts.len(), 0);
    stage.pass_minutes(8).await;
    assert_eq!(stage.status(&piece).await, "publicado");
}

#[tokio::test]
async fn each_publication_lists_the_allowed_decisions() {
    let stage = Stage::new().await;
    let (_, id) = create_unknown_publication(&stage).await;
    let listed = list_publications(&stage, "").await;
    let actions = json!(["no_ar", "tentar_de_novo", "cancelar"]);
    assert_eq!(listed[0]["actions"], actions);
    let now = decide(&stage, &id, json!({ "action": "publicar_agora" })).await;
    let refused = now.expect_refusal(409, "PUBLICATION_STATE").body.clone();
    assert_eq!(refused["details"]["actions"], actions, "{refused}");
}

#[tokio::test]
async fn one_call_pauses_all_publications_and_one_call_resumes_them() {
    let stage = Stage::new().await;
    create_approved_publication(&stage).await;
    let pause = json!({ "paused": true, "reason": "Crise" });
    let paused = stage.lead.call_tool("pause_publishing", pause).await;
    assert!(!paused.is_error, "{}", paused.text);
    stage.pass_minutes(65).await;
    assert_eq!(stage.api.count_calls(Call::Publish), 0);
    let listed = stage.lead.get("/api/publicacoes").await.expect(200).body;
    assert_eq!(listed["pause_reason"], "Crise");
    assert_eq!(listed["publications"][0]["code"], "PUBLISHING_PAUSED");
    let resume = json!({ "paused": false });
    let resumed = stage.lead.post("/api/publicacoes/pausa", resume).await;
    assert_eq!(resumed.expect(200).body["paused_at"], Value::Null);
    stage.pass_minutes(1).await;
    assert_eq!(stage.publication().await.state, "published");
}

#[tokio::test]
async fn only_members_who_may_publish_decide_or_pause() {
    let stage = Stage::new().await;
    let (_, id) = create_approved_publication(&stage).await;
    let criador = stage.app.as_member(Role::Criador).await;
    let path = format!("/api/publicacoes/{id}/decisao");
    for (path, input) in [
        (path.as_str(), json!({ "action": "cancelar" })),
        ("/api/publicacoes/pausa", json!({ "paused": true })),
    ] {
        criador
            .post(path, input)
            .await
            .expect_refusal(403, "CAPABILITY_REQUIRED");
    }
}

#[tokio::test]
async fn the_end_of_a_publication_is_announced() {
    let stage = Stage::new().await;
    create_approved_publication(&stage).await;
    stage.pass_minutes(62).await;
    let told = "outbox WHERE kind = 'publication_ended' AND resource_kind = 'publication'";
    assert_eq!(stage.app.count_rows(told).await, 1);
    let late = Stage::new().await;
    create_approved_publication(&late).await;
    late.disconnect_account().await;
    late.pass_minutes(92).await;
    assert_eq!(late.app.count_rows(told).await, 1);
}

#[tokio::test]
async fn a_retry_that_is_too_late_leaves_the_publication_unknown_and_the_search_continues() {
    let stage = Stage::new().await;
    let (_, id) = create_unknown_publication(&stage).await;
    let pause = json!({ "paused": true, "reason": "Crise" });
    let paused = stage.lead.post("/api/publicacoes/pausa", pause).await;
    paused.expect(200);
    let again = json!({ "action": "tentar_de_novo" });
    decide(&stage, &id, again).await.expect(200);
    stage.pass_minutes(40).await;
    assert_eq!(stage.publication().await.state, "unknown");
    decide(&stage, &id, json!({ "action": "publicar_agora" }))
        .await
        .expect_refusal(409, "PUBLICATION_STATE");
    // The network processed the first request after all.
    let container = {
        let mut world = stage.api.lock_world();
        let (id, container) = world.containers.iter_mut().next().expect("a container");
        container.published = true;
        id.clone()
    };
    stage.api.lock_world().add_post(&container);
    stage.pass_minutes(61).await;
    assert_eq!(stage.publication().await.state, "published");
    assert_eq!(stage.api.lock_world().posts.len(), 1);
}

#[tokio::test]
async fn a_failed_publication_is_scheduled_again_when_its_corrected_piece_is_approved() {
    let stage = Stage::new().await;
    stage.api.lock_world().failures.push(("pão", "2207026"));
    let (piece, _) = create_approved_publication(&stage).await;
    stage.pass_minutes(50).await;
    assert_eq!(list_publications(&stage, "?status=failed").await.len(), 1);
    stage.api.lock_world().failures.clear();
    stage.reopen(&piece).await;
    stage.approve(&piece).await;
    stage.pass_minutes(15).await;
    assert_eq!(stage.status(&piece).await, "publicado");
    assert_eq!(stage.api.lock_world().posts.len(), 1);
}

#[tokio::test]
async fn a_post_that_is_online_is_not_published_again_by_another_publication() {
    let stage = Stage::new().await;
    stage.api.lock_world().failures.push(("pão", "2207026"));
    let files = [jpeg_image(320, 320, 1)];
    let variants = [(Format::Feed, plain()), (Format::Story, plain())];
    let (_, ids) = stage.create_approved("pão", &files, &variants).await;
    // A second variant, a story, is due on another day, so the piece stays approved.
    let due = stage.app.now() + 48 * domain::time::HOUR;
    let sql = format!("UPDATE event_variants SET due_at = {due} WHERE id = $1");
    let story = ids[1].as_str().to_owned();
    stage.app.execute_statement(&sql, [story]).await;
    stage.pass_minutes(50).await;
    let failed = list_publications(&stage, "?status=failed").await;
    assert_eq!(failed.len(), 1);
    // The publication of the changed variant is not due yet.
    stage.api.lock_world().failures.clear();
    stage.change_variant(&ids[0], "pão novo").await;
    stage.approve_variant(&ids[0]).await;
    stage.pass_minutes(2).await;
    assert_eq!(list_publications(&stage, "").await.len(), 3);
    // A person has posted the changed variant by hand.
    let online = json!({ "action": "no_ar", "link": "https://www.instagram.com/p/abc/" });
    let failed = failed[0]["id"].as_str().expect("an id");
    decide(&stage, failed, online).await.expect(200);
    stage.pass_minutes(20).await;
    assert_eq!(stage.api.count_calls(Call::Publish), 0);
    assert_eq!(list_publications(&stage, "?status=canceled").await.len(), 1);
}
