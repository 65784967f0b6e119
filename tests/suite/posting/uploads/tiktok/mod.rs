//! Posts of photos and videos on TikTok.

mod figures;
mod outcomes;
mod photos;
mod world;

pub use world::TikTokWorld;

use domain::{Format, variant::VariantContent};

use super::server::Api;
use crate::posting::Stage;

type TikTokStage = Stage<Api<TikTokWorld>>;

/// A variant whose post everybody can see.
fn public_variant() -> VariantContent {
    variant_with_privacy("PUBLIC_TO_EVERYONE")
}

fn variant_with_privacy(privacy: &str) -> VariantContent {
    VariantContent {
        privacy: Some(privacy.into()),
        ..VariantContent::default()
    }
}

/// Creates an approved post with these files, due in an hour. Sends nothing to TikTok yet. Returns the
/// id of the piece.
async fn create(stage: &TikTokStage, files: &[Vec<u8>], content: VariantContent) -> String {
    let piece = stage.create_piece("pão", files).await;
    stage.add_variant(&piece, Format::Post, content).await;
    stage.approve(&piece).await;
    piece
}

/// Creates an approved post, and lets time pass until its publication is ready. Returns the id of the
/// piece.
async fn create_ready(stage: &TikTokStage, files: &[Vec<u8>], content: VariantContent) -> String {
    let piece = create(stage, files, content).await;
    stage.pass_minutes(59).await;
    let row = stage.publication().await;
    assert_eq!(row.state, "ready", "{row:?}");
    piece
}

/// Sends a person's decision about the only publication.
async fn decide(stage: &TikTokStage, action: &str) -> crate::support::Answer {
    let listed = stage.lead.get("/api/publicacoes").await.expect(200).body;
    let id = listed["publications"][0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let path = format!("/api/publicacoes/{id}/decisao");
    stage
        .lead
        .post(&path, serde_json::json!({ "action": action }))
        .await
}

/// The number of posts with the caption of [`create`] that are or will be online.
fn count_online(stage: &TikTokStage) -> usize {
    stage.api.lock_world().api.online_effects("pão").len()
}
