//! Failed requests to the provider: some failures are final, others are retried, and a submission
//! with an unknown outcome is never repeated.

use super::*;

/// Starts a video whose submission has this fault; returns the video once it has ended.
async fn run_with_fault(dialect: Dialect, fault: Fault) -> (VideoApi, TestApp, Value) {
    let api = VideoApi::new(dialect).await;
    let mut settings = api.settings();
    settings.push(("PAUTA_VIDEO_TIMEOUT", "1".into()));
    let app = TestApp::with_settings(settings).await;
    let lead = app.token_client(&app.add_member(Role::Lider).await).await;
    api.fail_next(Call::Submit, &[fault]);
    let event = lead.create_demand(json!({})).await;
    let id = start_video_for(&lead, &event).await;
    run_due_jobs(&app).await;
    pass_half_a_minute(&app).await;
    api.set_phase(&Phase::Done);
    let video = run_until_ended(&app, &lead, &id).await;
    assert_eq!(lead.load_event(&event).await["status"], "a fazer");
    (api, app, video)
}

#[tokio::test]
async fn a_submission_without_a_certain_answer_is_never_repeated() {
    for dialect in DIALECTS {
        for fault in [
            Fault::ResetBefore,
            Fault::ResetAfter,
            Fault::Silence,
            Fault::Nonsense,
            Fault::Page(502),
            Fault::Refused(500, "server_error"),
            Fault::Refused(503, "UNAVAILABLE"),
        ] {
            let (api, app, video) = run_with_fault(dialect, fault).await;
            let error = expect_failure(&video);
            assert_eq!(error["code"], "OUTCOME_UNKNOWN", "{dialect:?} {fault:?}");
            let next = error["details"]["next"].as_str().expect("a next step");
            assert!(next.contains("Confira na conta do provedor"));
            assert_eq!(api.count_calls(Call::Submit), 1, "{dialect:?} {fault:?}");
            let unknown = "jobs WHERE name = 'submit_video' AND state = 'unknown'";
            assert_eq!(app.count_rows(unknown).await, 1);
        }
    }
}

#[tokio::test]
async fn a_rate_limited_submission_waits_and_is_sent_again() {
    for dialect in DIALECTS {
        let limited = Fault::Refused(429, "rate_limit_exceeded");
        let (api, app, video) = run_with_fault(dialect, limited).await;
        assert_eq!(video["status"], "completed", "{dialect:?}: {video}");
        assert_eq!(
            (api.count_calls(Call::Submit), api.made_videos().len()),
            (2, 1)
        );
        assert_eq!(
            app.count_rows("jobs WHERE state IN ('failed', 'unknown')")
                .await,
            0
        );
    }
}

#[tokio::test]
async fn an_unreachable_provider_is_called_again_later() {
    let (api, app, lead) = service_with_video_api(Dialect::OpenAi).await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let nowhere = format!("http://{}", port.local_addr().expect("an address"));
    drop(port);
    let mut settings = api.settings();
    settings[1].1 = nowhere;
    let cut_off = app.second_instance_with(settings).await;
    let id = start_video(&lead, video_input()).await;
    run_due_jobs(&cut_off).await;
    assert_eq!(load_video(&lead, &id).await["status"], "queued");
    app.advance_clock(MINUTE);
    run_due_jobs(&app).await;
    assert_eq!(load_video(&lead, &id).await["status"], "in_progress");
    assert_eq!(api.count_calls(Call::Submit), 1);
}

#[tokio::test]
async fn refusals_of_the_provider_are_distinguished() {
    for (fault, code, told) in [
        (
            Fault::Refused(400, "moderation_blocked"),
            "moderation_blocked",
            "conteúdo",
        ),
        (
            Fault::Refused(429, "insufficient_quota"),
            "insufficient_quota",
            "crédito",
        ),
        (
            Fault::Refused(401, "invalid_api_key"),
            "invalid_api_key",
            "chave",
        ),
        (
            Fault::Refused(404, "model_not_found"),
            "model_not_found",
            "modelo",
        ),
        (
            Fault::Refused(422, "invalid_value"),
            "invalid_value",
            "recusou",
        ),
    ] {
        let (api, _app, video) = run_with_fault(Dialect::OpenAi, fault).await;
        let error = expect_failure(&video);
        assert_eq!(error["code"], "PROVIDER_FAILED");
        assert_eq!(error["details"]["provider_code"], code);
        assert!(
            error["error"].as_str().expect("text").contains(told),
            "{error}"
        );
        assert_eq!(
            (api.count_calls(Call::Submit), api.made_videos().len()),
            (1, 0)
        );
    }
}

#[tokio::test]
async fn a_video_that_fails_at_the_provider_fails_with_its_reason() {
    for (dialect, code, told) in [
        (Dialect::OpenAi, "moderation_blocked", "recusou o conteúdo"),
        (Dialect::OpenAi, "video_generation_failed", "não conseguiu"),
        (Dialect::Runway, "SAFETY.INPUT.TEXT", "recusou o conteúdo"),
        (Dialect::Runway, "INTERNAL.BAD_OUTPUT", "não conseguiu"),
        (Dialect::Gemini, "PROHIBITED_CONTENT", "recusou o conteúdo"),
        (Dialect::Gemini, "INTERNAL", "não conseguiu"),
    ] {
        let (api, app, lead) = service_with_video_api(dialect).await;
        let event = lead.create_demand(json!({})).await;
        let id = start_video_for(&lead, &event).await;
        run_due_jobs(&app).await;
        api.set_phase(&Phase::Failed(code));
        let video = run_until_ended(&app, &lead, &id).await;
        let error = expect_failure(&video);
        assert_eq!(error["details"]["provider_code"], code);
        assert!(
            error["error"].as_str().expect("text").contains(told),
            "{error}"
        );
        assert_eq!(lead.load_event(&event).await["status"], "a fazer");
        cancel_video(&lead, &id)
            .await
            .expect_refusal(409, "JOB_FINISHED");
    }
}

#[tokio::test]
async fn failed_status_requests_are_repeated() {
    for dialect in DIALECTS {
        let api = VideoApi::new(dialect).await;
        let mut settings = api.settings();
        settings.push(("PAUTA_VIDEO_TIMEOUT", "1".into()));
        let app = TestApp::with_settings(settings).await;
        let lead = app.token_client(&app.add_member(Role::Lider).await).await;
        let id = start_video(&lead, video_input()).await;
        run_due_jobs(&app).await;
        let faults = [
            Fault::Refused(404, "not_found"),
            Fault::Page(502),
            Fault::ResetBefore,
            Fault::Silence,
            Fault::Nonsense,
            Fault::Refused(429, "rate_limit_exceeded"),
            Fault::Refused(401, "invalid_api_key"),
        ];
        api.fail_next(Call::Progress, &faults);
        api.set_phase(&Phase::Done);
        let video = run_until_ended(&app, &lead, &id).await;
        assert_eq!(video["status"], "completed", "{dialect:?}: {video}");
        assert_eq!(api.count_calls(Call::Submit), 1);
    }
}

#[tokio::test]
async fn a_video_that_the_provider_has_forgotten_fails() {
    let (api, app, lead) = service_with_video_api(Dialect::Runway).await;
    let id = start_video(&lead, video_input()).await;
    run_due_jobs(&app).await;
    api.delete_videos();
    let video = run_until_ended(&app, &lead, &id).await;
    assert_eq!(expect_failure(&video)["code"], "PROVIDER_FAILED");
    assert_eq!(api.count_calls(Call::Progress), 4);
}

#[tokio::test]
async fn a_video_that_never_becomes_ready_fails_after_six_hours_and_is_stopped() {
    let (api, app, lead) = service_with_video_api(Dialect::Runway).await;
    let event = lead.create_demand(json!({})).await;
    let id = start_video_for(&lead, &event).await;
    run_due_jobs(&app).await;
    app.advance_clock(6 * 60 * MINUTE - MINUTE);
    run_due_jobs(&app).await;
    assert_eq!(load_video(&lead, &id).await["status"], "in_progress");
    app.advance_clock(2 * MINUTE);
    run_due_jobs(&app).await;
    assert_eq!(
        expect_failure(&load_video(&lead, &id).await)["code"],
        "PROVIDER_TIMEOUT"
    );
    assert_eq!(api.made_videos()[0].phase, Phase::Canceled);
    assert_eq!(lead.load_event(&event).await["status"], "a fazer");
}

#[tokio::test]
async fn a_video_waits_for_its_provider_to_be_configured_again() {
    let (api, app, lead) = service_with_video_api(Dialect::OpenAi).await;
    let id = start_video(&lead, video_input()).await;
    run_due_jobs(&app).await;
    api.set_phase(&Phase::Done);
    let without = app.second_instance_with(vec![]).await;
    app.advance_clock(MINUTE);
    run_due_jobs(&without).await;
    assert_eq!(load_video(&lead, &id).await["status"], "in_progress");
    assert_eq!(
        run_until_ended(&app, &lead, &id).await["status"],
        "completed"
    );
}
