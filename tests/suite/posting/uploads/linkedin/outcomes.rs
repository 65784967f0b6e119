//! The service's reaction to each answer of LinkedIn.

use domain::variant::VariantContent;
use serde_json::{Value, json};

use super::{LinkedInStage, create, ready, world::LinkedInWorld};
use crate::{
    posting::{
        captioned, plain,
        uploads::server::{Call, Fault, World},
    },
    publishing::jpeg_image,
    support::video_file_of,
};

/// The size, in bytes, of a video that is uploaded in three parts of at most 256 KiB.
const THREE_PARTS: usize = 600_000;

async fn stage() -> LinkedInStage {
    let world = LinkedInWorld {
        part: 256 << 10,
        ..LinkedInWorld::default()
    };
    LinkedInStage::with_world(world).await
}

async fn evidence(stage: &LinkedInStage) -> Value {
    let sql = "SELECT evidence FROM publications WHERE variant_id IS NOT NULL";
    let rows = stage.app.query_rows(sql.into()).await;
    let text: Option<String> = rows[0].try_get("", "evidence").expect("text");
    serde_json::from_str(&text.expect("evidence")).expect("JSON")
}

/// Returns the only publication in the list of publications.
async fn shown(stage: &LinkedInStage) -> Value {
    let answer = stage.lead.get("/api/publicacoes").await.expect(200).body;
    answer["publications"][0].clone()
}

async fn try_again(stage: &LinkedInStage) {
    let id = shown(stage).await["id"].as_str().expect("an id").to_owned();
    let path = format!("/api/publicacoes/{id}/decisao");
    let decided = json!({ "action": "tentar_de_novo" });
    stage.lead.post(&path, decided).await.expect(200);
    stage.run_due_jobs().await;
}

#[tokio::test]
async fn a_text_goes_out_as_it_was_written() {
    let stage = stage().await;
    let text = "Pão (quente) às 6h: #pão #pão_quente, 50% *hoje* @ana <3 C# a_b ~";
    let content = VariantContent {
        first_comment: Some("veja (aqui)".into()),
        ..captioned(text)
    };
    let piece = create(&stage, &[], content).await;
    stage.pass_minutes(62).await;
    let row = stage.publication().await;
    assert_eq!(
        (&*row.state, &*row.comment),
        ("published", "added"),
        "{row:?}"
    );
    assert_eq!(
        row.link.as_deref(),
        Some("https://www.linkedin.com/feed/update/urn:li:share:7100000001/")
    );
    assert_eq!(stage.status(&piece).await, "publicado");
    let world = stage.api.lock_world();
    assert_eq!(world.posts.len(), 1);
    assert_eq!(world.posts[0].text, text);
    assert_eq!(world.posts[0].author, "urn:li:person:782bbtaQ");
    assert_eq!(world.posts[0].visibility, "PUBLIC");
    assert_eq!(world.posts[0].comments, ["veja (aqui)"]);
}

#[tokio::test]
async fn images_and_videos_arrive_whole() {
    let images: Vec<Vec<u8>> = (1..=3).map(|n| jpeg_image(320, 320, n)).collect();
    for (files, kind) in [
        (&images[..1], "media"),
        (&images[..], "multiImage"),
        (&[video_file_of(THREE_PARTS, 15)][..], "media"),
    ] {
        let stage = stage().await;
        create(&stage, files, plain()).await;
        stage.pass_minutes(62).await;
        let row = stage.publication().await;
        assert_eq!(row.state, "published", "{row:?}");
        let world = stage.api.lock_world();
        assert!(world.posts[0].content.get(kind).is_some());
        let mut arrived: Vec<Vec<u8>> = world.images.values().flatten().cloned().collect();
        arrived.extend(world.videos.values().map(super::world::Video::bytes));
        assert!(arrived == files, "other bytes");
    }
}

#[tokio::test]
async fn the_preparation_is_repeated_after_any_temporary_failure() {
    for call in [Call::Begin, Call::Chunk, Call::Finish, Call::State] {
        for fault in Fault::ALL.into_iter().filter(|fault| !fault.hangs()) {
            let stage = stage().await;
            create(&stage, &[video_file_of(THREE_PARTS, 15)], plain()).await;
            stage.api.fail_next(call, fault);
            stage.pass_minutes(64).await;
            let row = stage.publication().await;
            assert_eq!(row.state, "published", "{call:?} {fault:?}: {row:?}");
            assert_eq!(stage.api.lock_world().posts.len(), 1);
        }
    }
}

#[tokio::test]
async fn after_a_lost_answer_a_person_decides() {
    for fault in [
        Fault::ResetAfter,
        Fault::ResetBefore,
        Fault::GatewayAfter,
        Fault::BusyBefore,
        Fault::BusyAfter,
        Fault::Nonsense,
        Fault::HangAfter,
    ] {
        let stage = stage().await;
        let piece = ready(&stage, &[jpeg_image(320, 320, 1)], plain()).await;
        stage.api.fail_next(Call::Publish, fault);
        stage.pass_minutes(14).await;
        let row = stage.publication().await;
        assert_eq!(
            (&*row.state, row.code.as_deref()),
            ("unknown", Some("OUTCOME_UNKNOWN")),
            "{fault:?}"
        );
        let seen = evidence(&stage).await;
        assert_eq!(seen["prepared_post"], Value::Null);
        assert_eq!(seen["posts_with_this_caption"], Value::Null);
        let next = shown(&stage).await["next"].to_string();
        assert!(next.contains("segundo post"), "{next}");
        // The outcome stays unknown, however much time passes.
        stage.app.advance_clock(30 * domain::time::HOUR);
        stage.run_due_jobs().await;
        assert_eq!(stage.publication().await.state, "unknown");
        assert_eq!(stage.api.count_calls(Call::Publish), 1, "{fault:?}");
        assert_eq!(stage.status(&piece).await, "aprovado");
    }
}

#[tokio::test]
async fn a_person_who_tries_again_after_nothing_was_posted_gets_one_post() {
    let stage = stage().await;
    ready(&stage, &[jpeg_image(320, 320, 1)], plain()).await;
    stage.api.fail_next(Call::Publish, Fault::ResetBefore);
    stage.pass_minutes(14).await;
    try_again(&stage).await;
    stage.pass_minutes(2).await;
    assert_eq!(stage.publication().await.state, "published");
    assert_eq!(stage.api.lock_world().posts.len(), 1);
}

#[tokio::test]
async fn a_duplicate_after_a_lost_answer_asks_a_person_again_with_the_link() {
    let stage = stage().await;
    stage.api.lock_world().refuses_duplicates = true;
    ready(&stage, &[], plain()).await;
    stage.api.fail_next(Call::Publish, Fault::ResetAfter);
    stage.pass_minutes(14).await;
    try_again(&stage).await;
    stage.pass_minutes(2).await;
    let row = stage.publication().await;
    assert_eq!(row.state, "unknown", "{row:?}");
    let seen = evidence(&stage).await;
    assert_eq!(
        seen["links"],
        json!(["https://www.linkedin.com/feed/update/urn:li:share:7100000001/"])
    );
    assert_eq!(stage.api.lock_world().posts.len(), 1);
}

#[tokio::test]
async fn a_duplicate_of_another_post_fails_with_its_reason() {
    let stage = stage().await;
    ready(&stage, &[], plain()).await;
    stage
        .api
        .fail_next(Call::Publish, Fault::Refuse(422, "DUPLICATE_POST"));
    stage.pass_minutes(2).await;
    let row = stage.publication().await;
    assert_eq!(
        (&*row.state, row.code.as_deref()),
        ("failed", Some("DUPLICATE_POST"))
    );
}

#[tokio::test]
async fn a_refusal_after_a_lost_answer_does_not_say_that_nothing_was_posted() {
    let stage = stage().await;
    ready(&stage, &[], plain()).await;
    stage.api.fail_next(Call::Publish, Fault::ResetAfter);
    stage.pass_minutes(14).await;
    stage
        .api
        .fail_next(Call::Publish, Fault::Refuse(422, "VALIDATION"));
    try_again(&stage).await;
    stage.pass_minutes(2).await;
    assert_eq!(stage.publication().await.state, "unknown");
}

#[tokio::test]
async fn a_retired_api_version_is_reported_and_the_publication_waits() {
    let stage = stage().await;
    create(&stage, &[jpeg_image(320, 320, 1)], plain()).await;
    stage.api.lock_world().versions = vec!["202709"];
    stage.pass_minutes(50).await;
    let row = stage.publication().await;
    assert_eq!(
        (&*row.state, row.code.as_deref()),
        ("preparing", Some("API_VERSION_RETIRED"))
    );
    stage.api.lock_world().versions = vec!["202609"];
    stage.pass_minutes(12).await;
    assert_eq!(stage.publication().await.state, "published");
}

#[tokio::test]
async fn temporary_refusals_are_repeated_and_other_refusals_are_reported() {
    for (fault, state, code) in [
        (Fault::Limit, "published", None),
        (
            Fault::Refuse(401, "EXPIRED_ACCESS_TOKEN"),
            "published",
            None,
        ),
        (
            Fault::Refuse(422, "FIELD_LENGTH_TOO_LONG"),
            "failed",
            Some("PUBLISHING_REFUSED"),
        ),
    ] {
        let stage = stage().await;
        ready(&stage, &[], plain()).await;
        stage.api.fail_next(Call::Publish, fault);
        stage.pass_minutes(4).await;
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
async fn an_upload_whose_addresses_expired_begins_again() {
    let stage = stage().await;
    create(&stage, &[video_file_of(THREE_PARTS, 15)], plain()).await;
    stage
        .api
        .set_faults(|call| (call == Call::Chunk).then_some(Fault::ResetAfter));
    stage.pass_minutes(1).await;
    stage.api.clear_faults();
    stage.api.lock_world().expired.insert("1".into());
    stage.pass_minutes(63).await;
    assert_eq!(stage.publication().await.state, "published");
    assert_eq!(stage.api.lock_world().videos.len(), 2);
}

#[tokio::test]
async fn an_expired_token_or_a_changed_account_during_the_upload_is_reported() {
    let stage = stage().await;
    create(&stage, &[video_file_of(THREE_PARTS, 15)], plain()).await;
    stage
        .api
        .set_faults(|call| (call == Call::Chunk).then_some(Fault::ResetAfter));
    stage.pass_minutes(1).await;
    stage.api.clear_faults();
    stage.api.lock_world().tokens().revoke();
    stage.connect_account("outra").await;
    stage.pass_minutes(3).await;
    assert_eq!(
        stage.publication().await.code.as_deref(),
        Some("ACCOUNT_CHANGED")
    );
    stage.connect_account(LinkedInWorld::ACCOUNT).await;
    stage.pass_minutes(62).await;
    assert_eq!(stage.publication().await.state, "published");
    let world = stage.api.lock_world();
    assert_eq!(world.posts[0].author, "urn:li:person:782bbtaQ");
}

#[tokio::test]
async fn a_failed_first_comment_does_not_fail_the_post_and_is_not_repeated() {
    for (fault, comment, added) in [
        (Fault::Refuse(403, "ACCESS_DENIED"), "failed", 0),
        (Fault::ResetAfter, "unknown", 1),
        (Fault::ResetBefore, "unknown", 0),
    ] {
        let stage = stage().await;
        let content = VariantContent {
            first_comment: Some("primeiro".into()),
            ..plain()
        };
        ready(&stage, &[], content).await;
        stage.api.fail_next(Call::Comment, fault);
        stage.pass_minutes(4).await;
        let row = stage.publication().await;
        assert_eq!(
            (&*row.state, &*row.comment),
            ("published", comment),
            "{fault:?}"
        );
        assert_eq!(stage.api.lock_world().posts[0].comments.len(), added);
    }
}
