//! Failed submissions: which of them are known to have had no effect, and which must not be
//! repeated.

use serde_json::json;

use super::{
    Stage, create_approved_event,
    double::{Call, Fault},
    jpeg_image, photos_input, publish_media,
};
use crate::support::video_file_of;

/// Asserts that the outcome is unknown and that the media cannot be published again before a person
/// has checked, with or without a key.
async fn assert_stays_unknown(stage: &Stage, media: &[String], call: Call) {
    let input = || match call {
        Call::Video => json!({ "type": "VIDEO", "mediaIds": media, "privacy_level": "SELF_ONLY" }),
        _ => photos_input(media),
    };
    let seen = stage.api.count_calls(call);
    let keyed = stage.lead.with_idempotency_key("chave-0001");
    publish_media(&keyed, input())
        .await
        .expect_refusal(409, "OUTCOME_UNKNOWN");
    let again = publish_media(&stage.lead, input())
        .await
        .expect_refusal(409, "OUTCOME_UNKNOWN");
    let tool = stage.lead.call_tool("publish_shortvideo", input()).await;
    assert!(
        tool.is_error && tool.text.contains("OUTCOME_UNKNOWN"),
        "{}",
        tool.text
    );
    let next = again.body["details"]["next"]
        .as_str()
        .expect("what to check");
    assert!(
        next.contains("TikTok") && next.contains("despite_publication_id"),
        "{next}"
    );
    let publication = stage.only_publication().await;
    assert_eq!(
        (
            &publication["status"],
            &publication["code"],
            &publication["id"]
        ),
        (
            &json!("unknown"),
            &json!("OUTCOME_UNKNOWN"),
            &again.body["details"]["publication_id"]
        )
    );
    assert!(publication["next"].is_string());
    assert_eq!(stage.api.count_calls(call), seen);
}

#[tokio::test]
async fn a_submission_without_an_answer_is_unknown_and_never_repeated() {
    for call in [Call::Photos, Call::Video] {
        for fault in Fault::ALL {
            if fault == Fault::TooMany {
                continue;
            }
            let stage = Stage::for_fault(fault).await;
            let file = match call {
                Call::Video => video_file_of(4_000, 15),
                _ => jpeg_image(64, 64, 0),
            };
            let (event, media) = create_approved_event(&stage.lead, "pão", &[file]).await;
            let input = match call {
                Call::Video => {
                    json!({ "type": "VIDEO", "mediaIds": media, "privacy_level": "SELF_ONLY" })
                }
                _ => photos_input(&media),
            };
            stage.api.fail_next(call, fault);
            let keyed = stage.lead.with_idempotency_key("chave-0001");
            let lost = publish_media(&keyed, input.clone()).await;
            lost.expect_refusal(409, "OUTCOME_UNKNOWN");
            assert_stays_unknown(&stage, &media, call).await;
            assert_eq!(stage.lead.load_event(&event).await["status"], "aprovado");
            let effects = stage.api.lock_world().effects.len();
            assert_eq!(
                effects,
                usize::from(fault.has_effect()),
                "{call:?} {fault:?}"
            );
            // After a person has checked, the media can be published again.
            let mut checked = input;
            checked["despite_publication_id"] = stage.only_publication().await["id"].clone();
            publish_media(&stage.lead, checked.clone())
                .await
                .expect(200);
            publish_media(&stage.lead, checked)
                .await
                .expect_refusal(409, "PUBLICATION_OPEN");
            stage.run_due_jobs().await;
            stage.pass_minutes(3).await;
            assert_eq!(stage.lead.load_event(&event).await["status"], "publicado");
        }
    }
}

#[tokio::test]
async fn a_refused_submission_had_no_effect_and_may_be_repeated() {
    let cases = [
        ("rate_limit_exceeded", 429, "RATE_LIMITED"),
        ("access_token_invalid", 409, "ACCOUNT_DISCONNECTED"),
        ("scope_not_authorized", 409, "ACCOUNT_DISCONNECTED"),
        ("scope_permission_missed", 409, "ACCOUNT_DISCONNECTED"),
        ("privacy_level_option_mismatch", 409, "PUBLISHING_REFUSED"),
        (
            "spam_risk_too_many_pending_share",
            409,
            "PUBLISHING_REFUSED",
        ),
        ("reached_active_user_cap", 409, "PUBLISHING_REFUSED"),
        ("url_ownership_unverified", 409, "PUBLISHING_REFUSED"),
        (
            "unaudited_client_can_only_post_to_private_accounts",
            409,
            "PUBLISHING_REFUSED",
        ),
        ("invalid_params", 409, "PUBLISHING_REFUSED"),
        ("invalid_file_upload", 409, "MEDIA_REJECTED"),
        ("<script>", 409, "PUBLISHING_REFUSED"),
    ];
    let stage = Stage::new().await;
    let (event, media) = create_approved_event(&stage.lead, "pão", &[jpeg_image(64, 64, 0)]).await;
    let keyed = stage.lead.with_idempotency_key("chave-0001");
    for (provider_code, status, code) in cases {
        stage
            .api
            .fail_next(Call::Photos, Fault::ErrorIn200(provider_code));
        let refused = publish_media(&keyed, photos_input(&media)).await;
        if provider_code == "<script>" {
            // The API has no such error code, so the response may come from a proxy.
            refused.expect_refusal(409, "OUTCOME_UNKNOWN");
            continue;
        }
        let refused = refused.expect_refusal(status, code);
        assert_eq!(refused.body["details"]["provider_code"], provider_code);
        assert!(refused.body["details"]["next"].is_string());
        let id = refused.body["details"]["publication_id"]
            .as_str()
            .expect("an id")
            .to_owned();
        let query = format!("?publication_id={id}");
        let told = super::list_publications(&stage.lead, &query)
            .await
            .remove(0);
        assert_eq!(
            (&told["status"], &told["code"], &told["provider_code"]),
            (&json!("failed"), &json!(code), &json!(provider_code))
        );
        stage.app.advance_clock(60_000);
    }
    assert!(stage.api.lock_world().effects.is_empty());
    assert_eq!(stage.lead.load_event(&event).await["status"], "aprovado");
}

#[tokio::test]
async fn a_provider_that_cannot_be_reached_has_received_nothing() {
    let stage = Stage::new().await;
    let (_, media) = create_approved_event(&stage.lead, "pão", &[jpeg_image(64, 64, 0)]).await;
    let nobody =
        super::stage::tiktok_adapter("http://127.0.0.1:9", std::time::Duration::from_secs(5));
    let away = stage.second_instance_with_adapter(nobody).await;
    let keyed = stage
        .lead
        .at_instance(&away)
        .with_idempotency_key("chave-0001");
    publish_media(&keyed, photos_input(&media))
        .await
        .expect_refusal(500, "PROVIDER_FAILED");
    let here = stage.lead.with_idempotency_key("chave-0001");
    publish_media(&here, photos_input(&media)).await.expect(200);
}

/// Shutting down the runtime simulates a killed process: the call does not continue.
#[tokio::test]
async fn a_process_that_dies_during_a_submission_leaves_it_unknown() {
    for fault in [Fault::KillBefore, Fault::KillAfter] {
        let stage = Stage::new().await;
        let second = stage.second_instance().await;
        let (event, media) =
            create_approved_event(&stage.lead, "pão", &[jpeg_image(64, 64, 0)]).await;
        stage.api.fail_next(Call::Photos, fault);
        let dying = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let client = stage
            .lead
            .with_idempotency_key("chave-0001")
            .at_instance(&second);
        let input = photos_input(&media);
        let call = dying.spawn(async move { publish_media(&client, input).await });
        stage.api.wait_for_kill().await;
        dying.shutdown_background();
        drop(call);
        // Until the claim of the dead process expires, every other call is refused.
        let here = stage.lead.with_idempotency_key("chave-0002");
        publish_media(&here, photos_input(&media))
            .await
            .expect_refusal(409, "PUBLICATION_OPEN");
        stage.pass_minutes(6).await;
        let keyed = stage.lead.with_idempotency_key("chave-0001");
        publish_media(&keyed, photos_input(&media))
            .await
            .expect_refusal(409, "OUTCOME_UNKNOWN");
        assert_stays_unknown(&stage, &media, Call::Photos).await;
        assert_eq!(stage.lead.load_event(&event).await["status"], "aprovado");
        assert_eq!(
            stage.api.lock_world().effects.len(),
            usize::from(fault.has_effect())
        );
        assert_eq!(
            stage
                .app
                .count_rows("jobs WHERE name = 'abandon_publication'")
                .await,
            0
        );
    }
}
