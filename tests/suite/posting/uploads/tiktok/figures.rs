//! The figures of posts, and the permission that they need.

use domain::time::HOUR;
use serde_json::{Value, json};

use super::{TikTokStage, TikTokWorld, create_ready, public_variant};
use crate::{posting::uploads::server::Call, support::video_file_of};

/// Publishes a video and returns its first reading, an hour later.
async fn read_first(stage: &TikTokStage) -> Value {
    let piece = create_ready(stage, &[video_file_of(600_000, 15)], public_variant()).await;
    stage.pass_minutes(5).await;
    assert_eq!(stage.status(&piece).await, "publicado");
    stage.app.advance_clock(HOUR);
    stage.pass_minutes(6).await;
    let path = format!("/api/resultados?event_id={piece}");
    let all = stage.lead.get(&path).await.expect(200).body["resultados"].clone();
    assert_eq!(all[0]["canal"], "tiktok");
    all[0]["leituras"][0].clone()
}

#[tokio::test]
async fn the_figures_of_a_post_are_read_and_unreported_ones_are_absent() {
    let stage = TikTokStage::with_network_double().await;
    let reading = read_first(&stage).await;
    let shown = ["visualizacoes", "curtidas", "compartilhamentos"].map(|name| &reading[name]);
    assert_eq!(shown, [&json!(120), &json!(8), &json!(2)]);
    for absent in ["alcance", "comentarios", "salvos", "motivo"] {
        assert!(reading.get(absent).is_none(), "{absent}: {reading}");
    }
    assert_eq!(stage.api.count_calls(Call::Figures), 1);
}

/// The account was connected before the service requested the permission to read figures.
#[tokio::test]
async fn without_the_figures_permission_posts_are_published_but_not_read() {
    let mut world = TikTokWorld::default();
    world.api.scope = "user.info.basic,video.publish,video.upload";
    let stage = TikTokStage::with_world(world).await;
    let reading = read_first(&stage).await;
    let reason = reading["motivo"].as_str().unwrap_or_default();
    assert!(reason.contains("permissão"), "{reading}");
    assert_eq!(stage.api.count_calls(Call::Figures), 0);
}

#[tokio::test]
async fn the_page_of_connections_says_what_each_permission_is_for_and_which_one_is_missing() {
    for (scope, misses) in [
        ("user.info.basic,video.publish,video.upload", true),
        (
            "user.info.basic,video.publish,video.upload,video.list",
            false,
        ),
    ] {
        let mut world = TikTokWorld::default();
        world.api.scope = scope;
        let stage = TikTokStage::with_world(world).await;
        let admin = stage.app.add_member(domain::Role::Admin).await;
        let page = stage
            .app
            .browser_client(&admin)
            .await
            .get("/conexoes")
            .await;
        let page = page.expect(200).text;
        assert!(page.contains("O que a conexão pede"), "{page}");
        assert!(page.contains("ler o que cada post deu"), "{page}");
        let notice = page.contains("não deu permissão para ler resultados");
        assert_eq!(notice, misses, "{scope}");
    }
}
