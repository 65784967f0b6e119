//! A video from the request to the attachment on its event.

use super::*;
use crate::support::video_file as file;

#[tokio::test]
async fn a_video_is_generated_downloaded_and_attached_to_its_event() {
    for dialect in DIALECTS {
        let (api, app, lead) = service_with_video_api(dialect).await;
        let event = lead.create_demand(json!({})).await;
        let id = start_video_for(&lead, &event).await;
        assert_eq!(lead.load_event(&event).await["status"], "processing");
        assert_eq!(load_video(&lead, &id).await["progress"], 0);
        run_due_jobs(&app).await;
        assert_eq!(load_video(&lead, &id).await["status"], "in_progress");
        let asked = &api.made_videos()[0].asked;
        assert_eq!(
            (&*asked.prompt, &*asked.aspect),
            ("Uma fogueira à noite", "9:16")
        );
        assert_eq!((asked.seconds, &asked.frame), (8, &None));
        let mut progress = vec![];
        for percent in [40, 20, 70] {
            api.set_phase(&Phase::Running(percent));
            pass_half_a_minute(&app).await;
            progress.push(
                load_video(&lead, &id).await["progress"]
                    .as_i64()
                    .expect("a number"),
            );
        }
        let expected = match dialect {
            Dialect::Gemini => [1, 1, 1],
            _ => [40, 40, 70],
        };
        assert_eq!(progress, expected, "{dialect:?}");
        let revision = lead.load_event(&event).await["api_revision"].clone();
        let early = json!({ "event_id": event, "expected_revision": revision });
        lead.post("/api/enviar", early)
            .await
            .expect_refusal(409, "MEDIA_PROCESSING");

        api.set_phase(&Phase::Done);
        pass_half_a_minute(&app).await;
        let made = load_video(&lead, &id).await;
        assert_eq!(
            (&made["status"], &made["progress"]),
            (&json!("completed"), &json!(100))
        );
        assert_eq!(made["media"]["media_type"], "video/mp4");
        assert_eq!(
            (&made["media"]["width"], &made["media"]["height"]),
            (&json!(1080), &json!(1920))
        );
        let url = made["media"]["url"].as_str().expect("a link");
        let path = url.trim_start_matches("http://127.0.0.1:8080");
        assert_eq!(
            app.anonymous().get(path).await.expect(200).bytes,
            file(4_000)
        );
        assert!(!api.received_key_at_signed_url());

        let after = lead.load_event(&event).await;
        assert_eq!(after["status"], "a fazer");
        assert_eq!(after["media"][0]["id"], made["media"]["id"]);
        let sent = json!({ "event_id": event, "expected_revision": after["api_revision"] });
        lead.post("/api/enviar", sent).await.expect(200);
        assert_eq!(api.count_calls(Call::Submit), 1);
        assert_eq!(count_open_jobs(&app).await, 0);
    }
}

#[tokio::test]
async fn an_agent_starts_follows_lists_and_cancels_videos() {
    let (api, app, lead) = service_with_video_api(Dialect::OpenAi).await;
    let started = lead
        .call_tool("start_video_generation", video_input())
        .await;
    let id = started.structured["id"].as_str().expect("an id").to_owned();
    run_due_jobs(&app).await;
    api.set_phase(&Phase::Done);
    pass_half_a_minute(&app).await;
    let made = lead
        .call_tool("get_video_generation", json!({ "id": id }))
        .await;
    assert_eq!(made.structured, load_video(&lead, &id).await);
    let other = start_video(&lead, video_input()).await;
    let canceled = lead
        .call_tool("cancel_video_generation", json!({ "id": other }))
        .await;
    assert_eq!(
        canceled.structured,
        json!({ "id": other, "status": "canceled" })
    );
    app.advance_clock(1);
    start_video(&lead, video_input()).await;
    let listed = lead
        .call_tool("list_video_generations", json!({ "limit": 2 }))
        .await;
    let next = &listed.structured["next_cursor"];
    let rest = json!({ "cursor": next });
    let rest = lead
        .call_tool("list_video_generations", rest)
        .await
        .structured;
    let videos = [&listed.structured["videos"], &rest["videos"]];
    let videos = videos
        .iter()
        .flat_map(|page| page.as_array().expect("a page"));
    let states: Vec<&Value> = videos.map(|video| &video["status"]).collect();
    assert_eq!(states, ["queued", "canceled", "completed"]);
    let last = &rest["videos"]
        .as_array()
        .expect("a page")
        .last()
        .expect("a video")["media"];
    assert_eq!(last["id"], made.structured["media"]["id"]);
    for status in ["queued", "canceled", "completed", "failed"] {
        let input = json!({ "status": status });
        let listed = lead.call_tool("list_video_generations", input).await;
        let videos = listed.structured["videos"].as_array().expect("a page");
        let states: Vec<&Value> = videos.iter().map(|video| &video["status"]).collect();
        assert_eq!(states.len(), usize::from(status != "failed"), "{status}");
        assert!(states.iter().all(|state| *state == status), "{states:?}");
    }
}

#[tokio::test]
async fn a_repeated_key_requests_one_video() {
    let (api, app, lead) = service_with_video_api(Dialect::Runway).await;
    let keyed = lead.with_idempotency_key("chave-0001");
    let first = keyed.post("/api/reels", video_input()).await.expect(202);
    let again = keyed.post("/api/reels", video_input()).await.expect(202);
    assert_eq!(first.body, again.body);
    run_due_jobs(&app).await;
    assert_eq!(
        (api.made_videos().len(), app.count_rows("videos").await),
        (1, 1)
    );
    let other = json!({ "prompt": "Outra", "aspect": "9:16" });
    let other = keyed.post("/api/reels", other).await;
    other.expect_refusal(409, "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn a_canceled_video_is_stopped_at_the_provider_and_releases_its_event() {
    for dialect in DIALECTS {
        let (api, app, lead) = service_with_video_api(dialect).await;
        let event = lead.create_demand(json!({})).await;
        // Cancels before the call to the provider.
        let id = start_video_for(&lead, &event).await;
        let canceled = cancel_video(&lead, &id).await.expect(200).body;
        assert_eq!(canceled, json!({ "id": id, "status": "canceled" }));
        assert_eq!(lead.load_event(&event).await["status"], "a fazer");
        run_due_jobs(&app).await;
        assert_eq!(api.count_calls(Call::Submit), 0);
        // Cancels while the provider works.
        let id = start_video_for(&lead, &event).await;
        run_due_jobs(&app).await;
        api.set_phase(&Phase::Running(30));
        pass_half_a_minute(&app).await;
        cancel_video(&lead, &id).await.expect(200);
        assert_eq!(
            cancel_video(&lead, &id).await.expect(200).body["status"],
            "canceled"
        );
        pass_half_a_minute(&app).await;
        assert_eq!(api.made_videos()[0].phase, Phase::Canceled, "{dialect:?}");
        assert_eq!(lead.load_event(&event).await["status"], "a fazer");
        assert_eq!(load_video(&lead, &id).await["status"], "canceled");
        // Tries to cancel after the video has ended.
        let id = start_video_for(&lead, &event).await;
        run_due_jobs(&app).await;
        api.set_phase(&Phase::Done);
        pass_half_a_minute(&app).await;
        cancel_video(&lead, &id)
            .await
            .expect_refusal(409, "JOB_FINISHED");
        assert_eq!(count_open_jobs(&app).await, 0);
    }
}

#[tokio::test]
async fn a_video_belongs_to_the_team_and_needs_a_visible_editable_event() {
    let (_api, app, lead) = service_with_video_api(Dialect::OpenAi).await;
    let id = start_video(&lead, video_input()).await;
    let creator = app.as_member(Role::Criador).await;
    // Every member may see and cancel the videos of others.
    load_video(&creator, &id).await;
    cancel_video(&creator, &id).await.expect(200);
    let unknown = "/api/reels/0198c0de-0000-7000-8000-00000000000a";
    for client in [&lead, &creator] {
        client.get(unknown).await.expect_refusal(404, "NOT_FOUND");
        client
            .delete(unknown)
            .await
            .expect_refusal(404, "NOT_FOUND");
    }
    let event = lead.create_demand(json!({})).await;
    let mut input = video_input();
    input["event_id"] = event.clone().into();
    creator
        .post("/api/reels", input.clone())
        .await
        .expect_refusal(404, "NOT_FOUND");
    let revision = lead.load_event(&event).await["api_revision"].clone();
    let sent = json!({ "event_id": event, "expected_revision": revision });
    lead.post("/api/enviar", sent).await.expect(200);
    lead.post("/api/reels", input)
        .await
        .expect_refusal(409, "EVENT_NOT_EDITABLE");
}

#[tokio::test]
async fn without_a_provider_a_video_is_refused() {
    let app = TestApp::new().await;
    let lead = app.token_client(&app.add_member(Role::Lider).await).await;
    let refused = lead.post("/api/reels", video_input()).await;
    refused.expect_refusal(500, "PROVIDER_NOT_CONFIGURED");
    assert_eq!(
        lead.get("/api/reels").await.expect(200).body["videos"],
        json!([])
    );
}

#[tokio::test]
async fn the_steps_of_videos_are_in_the_metrics() {
    let (_api, app, lead) = service_with_video_api(Dialect::OpenAi).await;
    start_video(&lead, video_input()).await;
    let metrics = app.app.gateway.render_metrics().await;
    assert!(metrics.contains(r#"pauta_jobs{job="submit_video",state="queued"} 1"#));
    run_due_jobs(&app).await;
    let metrics = app.app.gateway.render_metrics().await;
    assert!(metrics.contains(r#"pauta_jobs{job="follow_video",state="queued"} 1"#));
    assert!(metrics.contains(r#"pauta_job_runs_total{job="submit_video",outcome="done"} 1"#));
}
