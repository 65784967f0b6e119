//! The figures of videos: the times of their readings, and the reasons why a reading fails.

use domain::time::{DAY, HOUR};
use serde_json::{Value, json};

use super::{YouTubeStage, create_ready, titled, world::YouTubeWorld};
use crate::posting::uploads::server::{Call, Fault};

/// Creates a stage with a published video; returns the stage and the id of the piece.
async fn create_published_video() -> (YouTubeStage, String) {
    let stage = YouTubeStage::with_world(YouTubeWorld::default()).await;
    let piece = create_ready(&stage, titled("Como fazer pão")).await;
    stage.pass_minutes(5).await;
    assert_eq!(stage.status(&piece).await, "publicado");
    (stage, piece)
}

async fn pass_time(stage: &YouTubeStage, time: i64) {
    stage.app.advance_clock(time);
    stage.pass_minutes(6).await;
}

async fn load_readings(stage: &YouTubeStage, piece: &str) -> Vec<Value> {
    let lead = stage.app.as_member(domain::Role::Lider).await;
    let path = format!("/api/resultados?event_id={piece}");
    let all = lead.get(&path).await.expect(200).body["resultados"].clone();
    assert_eq!(all[0]["canal"], "youtube");
    all[0]["leituras"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn a_video_is_read_at_four_ages_and_unreported_figures_are_absent() {
    let (stage, piece) = create_published_video().await;
    pass_time(&stage, HOUR).await;
    let first = load_readings(&stage, &piece).await.remove(0);
    assert_eq!(first["idade"], "1h");
    let shown = ["visualizacoes", "curtidas", "comentarios"].map(|name| first[name].clone());
    assert_eq!(shown, [json!(120), json!(8), json!(3)]);
    for absent in ["alcance", "compartilhamentos", "salvos", "motivo"] {
        assert!(first.get(absent).is_none(), "{absent}: {first}");
    }
    // The video hides its ratings and has no comments, so YouTube omits these figures.
    stage.api.lock_world().statistics = json!({ "viewCount": "0", "favoriteCount": "0" });
    pass_time(&stage, DAY).await;
    pass_time(&stage, 6 * DAY).await;
    pass_time(&stage, 23 * DAY).await;
    pass_time(&stage, 30 * DAY).await;
    let all = load_readings(&stage, &piece).await;
    let ages: Vec<_> = all.iter().map(|one| one["idade"].clone()).collect();
    assert_eq!(ages, ["1h", "24h", "7d", "30d"]);
    assert_eq!(all[3]["visualizacoes"], 0);
    assert!(all[3].get("curtidas").is_none() && all[3].get("comentarios").is_none());
    assert_eq!(stage.api.count_calls(Call::Figures), 4);
    let admin = stage.app.add_member(domain::Role::Admin).await;
    let browser = stage.app.browser_client(&admin).await;
    for path in [
        format!("/eventos/{piece}"),
        "/resultados?inicio=2026-01-01".to_owned(),
    ] {
        let answer = browser.get(&path).await;
        if answer.status == 200 {
            assert!(answer.text.contains("não disponível"), "{path}");
        }
    }
}

#[tokio::test]
async fn one_call_reads_many_videos() {
    let (stage, piece) = create_published_video().await;
    // Sixty more videos went online at the same moment.
    let copy = "INSERT INTO publications (id, network, kind, state, open, guard, account_id, event_id,
            variant_id, variant_revision, due_at, post, bytes, uploaded, finishing, polls,
            comment_state, followed, created_by, created_at, updated_at, finished_at, post_id)
        SELECT 'copia-' || CAST(n.i AS TEXT), network, kind, state, open,
            guard || CAST(n.i AS TEXT), account_id, event_id, variant_id, variant_revision, due_at, post,
            bytes, uploaded, finishing, polls, comment_state, followed, created_by, created_at,
            updated_at, finished_at, 'outro' || CAST(n.i AS TEXT)
        FROM publications CROSS JOIN (WITH RECURSIVE many (i) AS (
            SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < 60) SELECT i FROM many) n";
    stage.app.execute_statement(copy, []).await;
    let world_has = |stage: &YouTubeStage| {
        let mut world = stage.api.lock_world();
        let video = world.videos.values().next().expect("a video").clone();
        for number in 1..60 {
            world.videos.insert(format!("outro{number}"), video.clone());
        }
    };
    world_has(&stage);
    pass_time(&stage, HOUR).await;
    pass_time(&stage, 0).await;
    let lead = stage.app.as_member(domain::Role::Lider).await;
    let path = format!("/api/resultados?event_id={piece}&limit=100");
    let all = lead.get(&path).await.expect(200).body["resultados"].clone();
    let all = all.as_array().expect("a list");
    assert_eq!(all.len(), 61);
    let read = all
        .iter()
        .filter(|one| one["leituras"][0]["visualizacoes"] == 120);
    // The last video was deleted at YouTube.
    assert_eq!(read.count(), 60);
    let gone = all
        .iter()
        .find(|one| one["leituras"][0]["lida_em"].is_null());
    let reason = gone.expect("one")["leituras"][0]["motivo"].clone();
    assert!(reason.as_str().expect("a reason").contains("apagado"));
    let asked = stage.api.lock_world().asked.clone();
    let most = asked.iter().map(|ids| ids.split(',').count()).max();
    assert_eq!((asked.len(), most), (2, Some(50)), "{asked:?}");
}

#[tokio::test]
async fn a_failed_reading_states_its_reason_and_a_later_reading_succeeds() {
    for (fault, words) in [
        (Fault::Refuse(403, "quotaExceeded"), "limitou as chamadas"),
        (Fault::Refuse(403, "insufficientPermissions"), "permissão"),
        (Fault::Refuse(404, "videoNotFound"), "apagado"),
        (Fault::Refuse(400, "invalidPart"), "não dá números"),
        (Fault::GatewayBefore, "não respondeu"),
        (Fault::ResetBefore, "não respondeu"),
    ] {
        let (stage, piece) = create_published_video().await;
        stage
            .api
            .set_faults(move |call| (call == Call::Figures).then_some(fault));
        pass_time(&stage, HOUR).await;
        let first = load_readings(&stage, &piece).await.remove(0);
        assert!(first["lida_em"].is_null(), "{fault:?}: {first}");
        let reason = first["motivo"].as_str().unwrap_or_default();
        assert!(reason.contains(words), "{fault:?}: {reason}");
        stage.api.clear_faults();
        pass_time(&stage, HOUR).await;
        let all = load_readings(&stage, &piece).await;
        assert_eq!(all.len(), 1, "{fault:?}");
        assert_eq!(all[0]["visualizacoes"], 120, "{fault:?}: {all:?}");
    }
}

#[tokio::test]
async fn a_refused_token_is_renewed_once_before_the_reading_fails() {
    let (stage, piece) = create_published_video().await;
    stage.api.lock_world().tokens.revoke();
    pass_time(&stage, HOUR).await;
    let first = load_readings(&stage, &piece).await.remove(0);
    assert_eq!(first["visualizacoes"], 120, "{first}");
}

#[tokio::test]
async fn figures_are_not_requested_without_the_read_permission() {
    let (stage, piece) = create_published_video().await;
    let old = r#"UPDATE connections SET scopes =
        '["https://www.googleapis.com/auth/youtube.upload"]'"#;
    stage.app.execute_statement(old, []).await;
    pass_time(&stage, HOUR).await;
    let first = load_readings(&stage, &piece).await.remove(0);
    let reason = first["motivo"].as_str().expect("a reason");
    assert!(reason.contains("permissão"), "{reason}");
    assert_eq!(stage.api.count_calls(Call::Figures), 0);
}
