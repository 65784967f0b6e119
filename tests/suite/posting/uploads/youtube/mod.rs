//! Videos and Shorts of YouTube.

mod figures;
mod outcomes;
mod playlists;
mod quota;
mod world;

pub use world::YouTubeWorld;

use domain::{Format, variant::VariantContent};

use super::server::Api;
use crate::{posting::Stage, support::video_file_of};

/// The size, in bytes, of a video that needs three chunks if the double accepts at most 256 KiB of each.
const THREE_CHUNKS: usize = 600_000;

type YouTubeStage = Stage<Api<YouTubeWorld>>;

fn titled(title: &str) -> VariantContent {
    VariantContent {
        title: Some(title.into()),
        ..VariantContent::default()
    }
}

/// Creates an approved video, due in an hour. Sends nothing to YouTube yet. Returns the id of the piece.
async fn create(stage: &YouTubeStage, content: VariantContent) -> String {
    let files = [video_file_of(THREE_CHUNKS, 15)];
    let piece = stage.create_piece("filme", &files).await;
    stage.add_variant(&piece, Format::Video, content).await;
    stage.approve(&piece).await;
    piece
}

/// Creates an approved video, and lets time pass until its publication is ready. Returns the id of the
/// piece.
async fn create_ready(stage: &YouTubeStage, content: VariantContent) -> String {
    let piece = create(stage, content).await;
    stage.pass_minutes(59).await;
    let row = stage.publication().await;
    assert_eq!(row.state, "ready", "{row:?}");
    piece
}
