//! Processes killed at each step of a video. Dropping a worker simulates the kill: its rows stay
//! leased, and its runs end.

use super::*;
use crate::faults::server_away::service_behind_proxy_with;

/// Runs the due job until the provider has received this call, then drops the worker.
async fn kill_during(api: &VideoApi, app: &TestApp, call: Call) {
    let before = api.count_calls(call);
    api.fail_next(call, &[Fault::Silence]);
    let mut worker = app.app.worker();
    worker.run_turn().await.expect("a turn");
    api.wait_for_calls(call, before + 1).await;
    drop(worker);
}

#[tokio::test]
async fn a_process_killed_while_it_submits_never_submits_again() {
    for dialect in DIALECTS {
        let (api, app, lead) = service_with_video_api(dialect).await;
        let other = app.second_instance().await;
        let event = lead.create_demand(json!({})).await;
        let id = start_video_for(&lead, &event).await;
        kill_during(&api, &app, Call::Submit).await;
        assert_eq!(load_video(&lead, &id).await["status"], "in_progress");
        run_due_jobs(&other).await;
        assert_eq!(
            load_video(&lead, &id).await["status"],
            "in_progress",
            "the video must not advance while the lease holds"
        );
        app.advance_clock(PAST_THE_LEASE);
        run_due_jobs(&other).await;
        let video = load_video(&lead, &id).await;
        assert_eq!(expect_failure(&video)["code"], "OUTCOME_UNKNOWN");
        assert_eq!(
            (api.count_calls(Call::Submit), api.made_videos().len()),
            (1, 1)
        );
        assert_eq!(lead.load_event(&event).await["status"], "a fazer");
    }
}

#[tokio::test]
async fn a_video_whose_process_is_killed_while_polling_or_downloading_is_taken_over() {
    for dialect in DIALECTS {
        let (api, app, lead) = service_with_video_api(dialect).await;
        let other = app.second_instance().await;
        let event = lead.create_demand(json!({})).await;
        let id = start_video_for(&lead, &event).await;
        run_due_jobs(&app).await;
        app.advance_clock(5 * SECOND);
        kill_during(&api, &app, Call::Progress).await;
        api.set_phase(&Phase::Done);
        app.advance_clock(PAST_THE_LEASE);
        // One job polls the status of the video, and the next job downloads it. Drops the worker
        // during the download.
        let fetched = api.count_calls(Call::Fetch);
        api.fail_next(Call::Fetch, &[Fault::Silence]);
        let mut worker = other.app.worker();
        let drained = worker.drain();
        tokio::select! {
            _ = drained => panic!("the worker ended although the download never responds"),
            () = api.wait_for_calls(Call::Fetch, fetched + 1) => {}
        }
        drop(worker);
        app.advance_clock(PAST_THE_LEASE);
        run_due_jobs(&app).await;
        let made = load_video(&lead, &id).await;
        assert_eq!(made["status"], "completed", "{dialect:?}: {made}");
        assert_eq!(
            (app.count_rows("media").await, app.stored_file_count()),
            (1, 1)
        );
        assert_eq!(
            lead.load_event(&event).await["media"][0]["id"],
            made["media"]["id"]
        );
        assert_eq!(api.count_calls(Call::Submit), 1);
    }
}

#[tokio::test]
async fn a_video_canceled_while_it_is_submitted_is_stopped_at_the_provider() {
    let (api, app, lead) = service_with_video_api(Dialect::Runway).await;
    let id = start_video(&lead, video_input()).await;
    kill_during(&api, &app, Call::Submit).await;
    let canceled = cancel_video(&lead, &id).await.expect(200).body;
    let told = canceled["avisos"][0].as_str().expect("a notice");
    assert!(told.contains("pode cobrá-lo"), "{told}");
    app.advance_clock(PAST_THE_LEASE);
    run_due_jobs(&app).await;
    assert_eq!(load_video(&lead, &id).await["status"], "canceled");
    assert_eq!(api.count_calls(Call::Submit), 1);

    // The provider's response to the submission arrives after the cancellation.
    let id = start_video(&lead, video_input()).await;
    api.fail_next(Call::Submit, &[Fault::Held]);
    let mut worker = app.app.worker();
    worker.run_turn().await.expect("a turn");
    api.wait_for_calls(Call::Submit, 2).await;
    cancel_video(&lead, &id).await.expect(200);
    api.release_responses();
    drain_worker(&mut worker).await;
    assert_eq!(load_video(&lead, &id).await["status"], "canceled");
    let last = api.made_videos().pop().expect("a video");
    assert_eq!(last.phase, Phase::Canceled);
    assert_eq!(api.count_calls(Call::Submit), 2);
}

#[tokio::test]
async fn a_video_canceled_while_it_is_downloaded_leaves_no_medium() {
    let (api, app, lead) = service_with_video_api(Dialect::Gemini).await;
    let event = lead.create_demand(json!({})).await;
    let id = start_video_for(&lead, &event).await;
    run_due_jobs(&app).await;
    api.set_phase(&Phase::Done);
    app.advance_clock(5 * SECOND);
    api.fail_next(Call::Fetch, &[Fault::Held]);
    let mut worker = app.app.worker();
    let copying = async { drain_worker(&mut worker).await };
    let canceling = async {
        api.wait_for_calls(Call::Fetch, 1).await;
        cancel_video(&lead, &id).await.expect(200);
        api.release_responses();
    };
    tokio::join!(copying, canceling);
    assert_eq!(load_video(&lead, &id).await["status"], "canceled");
    assert_eq!(
        (app.count_rows("media").await, app.stored_file_count()),
        (0, 0)
    );
    let after = lead.load_event(&event).await;
    assert_eq!(
        (&after["status"], &after["media"]),
        (&json!("a fazer"), &json!([]))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_video_goes_on_if_the_answer_to_a_commit_of_its_state_is_lost() {
    for value in [b"submitting".as_slice(), b"in_progress", b"storing"] {
        let api = VideoApi::new(Dialect::OpenAi).await;
        // With the embedded database no answer can be lost.
        let Some((direct, app, proxy)) = service_behind_proxy_with(api.settings()).await else {
            return;
        };
        let lead = app.token_client(&app.add_member(Role::Lider).await).await;
        let id = start_video(&lead, video_input()).await;
        proxy.lose_answer_to_commit_with(value);
        run_due_jobs(&app).await;
        api.set_phase(&Phase::Done);
        let video = run_until_ended(&app, &lead, &id).await;
        assert!(proxy.has_lost_answer());
        assert_eq!(video["status"], "completed", "{video}");
        let calls = [Call::Submit, Call::Cancel].map(|call| api.count_calls(call));
        let value = String::from_utf8_lossy(value);
        assert_eq!(
            (calls, count_open_jobs(&direct).await),
            ([1, 0], 0),
            "{value}"
        );
    }
}
