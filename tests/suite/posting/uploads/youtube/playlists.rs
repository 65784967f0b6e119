//! The playlist of a video.

use domain::variant::VariantContent;
use serde_json::json;

use super::{YouTubeStage, create, create_ready, titled};
use crate::posting::uploads::server::{Call, Fault};

fn variant_with_playlist(playlist: &str) -> VariantContent {
    VariantContent {
        playlist: Some(playlist.into()),
        ..titled("Pão")
    }
}

/// The videos of the playlist of the double.
fn videos_of_list(stage: &YouTubeStage) -> usize {
    stage.api.lock_world().playlists["PL_receitas"].len()
}

#[tokio::test]
async fn a_video_is_added_to_its_playlist_once_even_if_the_answer_is_lost() {
    for fault in Fault::ALL.into_iter().filter(|fault| !fault.hangs()) {
        let stage = YouTubeStage::with_network_double().await;
        stage.api.fail_next(Call::Finish, fault);
        create_ready(&stage, variant_with_playlist("PL_receitas")).await;
        assert_eq!(videos_of_list(&stage), 1, "{fault:?}");
        stage.pass_minutes(3).await;
        assert_eq!(stage.publication().await.state, "published", "{fault:?}");
        assert_eq!(videos_of_list(&stage), 1, "{fault:?}");
    }
}

#[tokio::test]
async fn an_unknown_playlist_fails_the_publication_before_its_time() {
    let stage = YouTubeStage::with_network_double().await;
    create(&stage, variant_with_playlist("PL_alheia")).await;
    stage.pass_minutes(30).await;
    let row = stage.publication().await;
    let shown = (row.state.as_str(), row.code.as_deref());
    assert_eq!(shown, ("failed", Some("PLAYLIST_REJECTED")));
    // The account has no video of the failed publication.
    assert_eq!(stage.api.lock_world().videos.len(), 0);
}

#[tokio::test]
async fn a_playlist_is_accepted_only_for_youtube() {
    let stage = YouTubeStage::with_network_double().await;
    let piece = stage.create_piece("filme", &[]).await;
    let put = async |channel: &str| {
        let revision = stage.lead.load_event(&piece).await["api_revision"].clone();
        let variant = json!({ "canal": channel, "publicacao": "automatica", "playlist": "PL_receitas",
            "titulo": "Pão" });
        let input = json!({ "expected_revision": revision, "variantes": [variant] });
        let path = format!("/api/eventos/{piece}/variantes");
        stage.lead.put(&path, input).await
    };
    put("youtube").await.expect(200);
    let refused = put("linkedin").await.expect(400);
    assert_eq!(refused.invalid_fields(), ["variantes.0.playlist"]);
}
