//! Posts on LinkedIn.

mod documents;
mod figures;
mod outcomes;
mod world;

pub use world::LinkedInWorld;

use domain::{Format, variant::VariantContent};

use super::server::Api;
use crate::posting::Stage;

type LinkedInStage = Stage<Api<LinkedInWorld>>;

/// Creates an approved post with these files, due in an hour. Sends nothing to LinkedIn yet. Returns the
/// id of the piece.
async fn create(stage: &LinkedInStage, files: &[Vec<u8>], content: VariantContent) -> String {
    let piece = stage.create_piece("pão", files).await;
    stage.add_variant(&piece, Format::Post, content).await;
    stage.approve(&piece).await;
    piece
}

/// Creates an approved post, and lets time pass until its publication is ready. Returns the id of the
/// piece.
async fn ready(stage: &LinkedInStage, files: &[Vec<u8>], content: VariantContent) -> String {
    let piece = create(stage, files, content).await;
    stage.pass_minutes(59).await;
    let row = stage.publication().await;
    assert_eq!(row.state, "ready", "{row:?}");
    piece
}
