//! Posts of LinkedIn.

mod figures;
mod outcomes;
mod world;

pub use world::LinkedInWorld;

use domain::{Format, variant::VariantContent};

use super::server::Api;
use crate::posting::Stage;

type LinkedInStage = Stage<Api<LinkedInWorld>>;

/// Creates an approved post with these files, due in an hour. Nothing of it is sent yet.
async fn create(stage: &LinkedInStage, files: &[Vec<u8>], content: VariantContent) -> String {
    let piece = stage.create_piece("pão", files).await;
    stage.add_variant(&piece, Format::Post, content).await;
    stage.approve(&piece).await;
    piece
}

/// Creates an approved post, and passes the time until it is ready.
async fn ready(stage: &LinkedInStage, files: &[Vec<u8>], content: VariantContent) -> String {
    let piece = create(stage, files, content).await;
    stage.pass_minutes(59).await;
    let row = stage.publication().await;
    assert_eq!(row.state, "ready", "{row:?}");
    piece
}
