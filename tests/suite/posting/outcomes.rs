//! The service's reaction to each answer of the network.

use domain::Format;

use super::{
    Stage,
    double::{Call, Fault},
    plain,
};
use crate::publishing::jpeg_image;

async fn create_ready_piece(stage: &Stage, first_comment: Option<&str>) -> String {
    let content = domain::variant::VariantContent {
        first_comment: first_comment.map(str::to_owned),
        ..plain()
    };
    let files = [jpeg_image(320, 320, 1)];
    let (piece, _) = stage
        .create_approved("pão", &files, &[(Format::Feed, content)])
        .await;
    stage.pass_minutes(59).await;
    assert_eq!(stage.publication().await.state, "ready");
    piece
}

#[tokio::test]
async fn a_post_that_is_online_is_found_after_a_lost_answer() {
    for fault in [
        Fault::ResetAfter,
        Fault::GatewayAfter,
        Fault::Nonsense,
        Fault::Cut,
        Fault::HangAfter,
        Fault::ErrorAfter(4, 2_207_051, false),
        Fault::ErrorAfter(1, 0, false),
        Fault::ErrorAfter(-1, 2_207_001, false),
    ] {
        let stage = Stage::new().await;
        let piece = create_ready_piece(&stage, None).await;
        stage.api.fail_next(Call::Publish, fault);
        stage.pass_minutes(2).await;
        let row = stage.publication().await;
        assert_eq!(row.state, "published", "{fault:?}: {row:?}");
        assert!(row.link.is_some(), "{fault:?}");
        assert_eq!(stage.api.lock_world().posts.len(), 1, "{fault:?}");
        assert_eq!(stage.api.count_calls(Call::Publish), 1, "{fault:?}");
        assert_eq!(stage.status(&piece).await, "publicado");
    }
}

#[tokio::test]
async fn after_a_lost_answer_without_evidence_a_person_decides() {
    for fault in [
        Fault::ResetBefore,
        Fault::GatewayBefore,
        Fault::ErrorBefore(2, 0, true),
        Fault::ErrorBefore(4, 2_207_051, false),
    ] {
        let stage = Stage::new().await;
        create_ready_piece(&stage, None).await;
        stage.api.fail_next(Call::Publish, fault);
        stage.pass_minutes(9).await;
        assert_eq!(stage.publication().await.state, "checking", "{fault:?}");
        stage.pass_minutes(4).await;
        let row = stage.publication().await;
        assert_eq!(
            (&*row.state, row.code.as_deref()),
            ("unknown", Some("OUTCOME_UNKNOWN"))
        );
        let sql = "SELECT evidence FROM publications WHERE variant_id IS NOT NULL";
        let rows = stage.app.query_rows(sql.into()).await;
        let evidence: String = rows[0].try_get("", "evidence").expect("evidence");
        assert!(
            evidence.contains(r#""prepared_post":"ready""#),
            "{evidence}"
        );
        // The container has expired unpublished, which proves that nothing was posted.
        stage.app.advance_clock(25 * domain::time::HOUR);
        stage.run_due_jobs().await;
        let row = stage.publication().await;
        assert_eq!(
            (&*row.state, row.code.as_deref()),
            ("failed", Some("NOT_PUBLISHED"))
        );
        assert_eq!(stage.api.count_calls(Call::Publish), 1, "{fault:?}");
    }
}

#[tokio::test]
async fn after_a_refusal_without_effect_the_call_is_repeated_or_the_publication_fails() {
    for (fault, state, code) in [
        (
            Fault::ErrorBefore(9_007, 2_207_027, false),
            "published",
            None,
        ),
        (Fault::ErrorBefore(9, 2_207_042, false), "published", None),
        (Fault::ErrorBefore(24, 2_207_006, false), "published", None),
        (Fault::ErrorBefore(190, 463, false), "published", None),
        (
            Fault::ErrorBefore(25, 2_207_050, false),
            "failed",
            Some("ACCOUNT_RESTRICTED"),
        ),
    ] {
        let stage = Stage::new().await;
        create_ready_piece(&stage, None).await;
        stage.api.fail_next(Call::Publish, fault);
        stage.pass_minutes(5).await;
        let row = stage.publication().await;
        assert_eq!(
            (&*row.state, row.code.as_deref()),
            (state, code),
            "{fault:?}"
        );
        let online = usize::from(state == "published");
        assert_eq!(stage.api.lock_world().posts.len(), online, "{fault:?}");
    }
}

#[tokio::test]
async fn the_preparation_is_repeated_after_any_temporary_failure() {
    for call in [Call::Create, Call::State, Call::Quota] {
        for fault in Fault::ALL.into_iter().filter(|fault| !fault.hangs()) {
            let stage = Stage::new().await;
            let files = [jpeg_image(320, 320, 1)];
            stage
                .create_approved("pão", &files, &[(Format::Feed, plain())])
                .await;
            stage.api.fail_next(call, fault);
            stage.pass_minutes(62).await;
            let row = stage.publication().await;
            assert_eq!(row.state, "published", "{call:?} {fault:?}: {row:?}");
            assert_eq!(stage.api.lock_world().posts.len(), 1);
        }
    }
}

#[tokio::test]
async fn a_file_that_the_network_refuses_fails_with_the_reason() {
    let stage = Stage::new().await;
    stage.api.lock_world().failures.push(("pão", "2207026"));
    let files = [jpeg_image(320, 320, 1)];
    stage
        .create_approved("pão", &files, &[(Format::Feed, plain())])
        .await;
    stage.pass_minutes(50).await;
    let row = stage.publication().await;
    assert_eq!(
        (&*row.state, row.code.as_deref()),
        ("failed", Some("MEDIA_REJECTED"))
    );
    assert_eq!(row.provider_code.as_deref(), Some("2207026"));
}

#[tokio::test]
async fn a_file_that_the_network_cannot_fetch_is_retried_a_few_times() {
    let stage = Stage::new().await;
    stage.api.lock_world().failures.push(("pão", "2207052"));
    let files = [jpeg_image(320, 320, 1)];
    stage
        .create_approved("pão", &files, &[(Format::Feed, plain())])
        .await;
    stage.pass_minutes(60).await;
    let row = stage.publication().await;
    assert_eq!(
        (&*row.state, row.code.as_deref()),
        ("failed", Some("MEDIA_NOT_FETCHED"))
    );
    assert_eq!(stage.api.count_calls(Call::Create), 5);
}

#[tokio::test]
async fn a_failed_first_comment_does_not_fail_the_post_and_is_not_repeated() {
    for (fault, comment, added) in [
        (Fault::ErrorBefore(10, 0, false), "failed", 0),
        (Fault::ResetAfter, "unknown", 1),
        (Fault::ResetBefore, "unknown", 0),
        (Fault::Nonsense, "unknown", 1),
    ] {
        let stage = Stage::new().await;
        let piece = create_ready_piece(&stage, Some("primeiro")).await;
        stage.api.fail_next(Call::Comment, fault);
        stage.pass_minutes(10).await;
        let row = stage.publication().await;
        assert_eq!(
            (&*row.state, &*row.comment),
            ("published", comment),
            "{fault:?}"
        );
        assert_eq!(stage.status(&piece).await, "publicado");
        let world = stage.api.lock_world();
        assert_eq!(world.posts[0].comments.len(), added, "{fault:?}");
    }
}

#[tokio::test]
async fn a_piece_is_published_even_if_the_link_cannot_be_read() {
    let stage = Stage::new().await;
    let piece = create_ready_piece(&stage, None).await;
    stage
        .api
        .set_faults(|call| (call == Call::Link).then_some(Fault::GatewayBefore));
    stage.pass_minutes(12).await;
    let row = stage.publication().await;
    assert_eq!((&*row.state, row.link), ("published", None));
    assert_eq!(stage.status(&piece).await, "publicado");
}

#[tokio::test]
async fn a_refused_token_is_renewed_before_the_publication() {
    let stage = Stage::new().await;
    create_ready_piece(&stage, None).await;
    stage
        .api
        .fail_next(Call::State, Fault::ErrorBefore(190, 463, false));
    stage.pass_minutes(3).await;
    assert_eq!(stage.publication().await.state, "published");
}
