//! A process that is killed at each step. Dropping its worker leaves its rows leased, and runs
//! nothing more.

use super::*;

/// Runs the due job until it has called the provider, then kills the worker.
async fn killed_at(api: &VideoApi, app: &TestApp, call: Call) {
    let before = api.calls(call);
    api.fails(call, &[Fault::Silence]);
    let mut worker = app.app.worker();
    worker.turn().await.expect("a turn");
    api.called(call, before + 1).await;
    drop(worker);
}

#[tokio::test]
async fn a_process_killed_while_it_submits_never_submits_again() {
    for dialect in DIALECTS {
        let (api, app, lead) = studio(dialect).await;
        let other = app.second_instance().await;
        let event = lead.demand(json!({})).await;
        let id = start_for(&lead, &event).await;
        killed_at(&api, &app, Call::Submit).await;
        assert_eq!(video(&lead, &id).await["status"], "in_progress");
        work(&other).await;
        assert_eq!(
            video(&lead, &id).await["status"],
            "in_progress",
            "the lease holds"
        );
        app.pass(PAST_THE_LEASE);
        work(&other).await;
        let video = video(&lead, &id).await;
        assert_eq!(failure(&video)["code"], "OUTCOME_UNKNOWN");
        assert_eq!((api.calls(Call::Submit), api.made().len()), (1, 1));
        assert_eq!(lead.event(&event).await["status"], "a fazer");
    }
}

#[tokio::test]
async fn a_process_killed_while_it_follows_or_copies_is_taken_over() {
    for dialect in DIALECTS {
        let (api, app, lead) = studio(dialect).await;
        let other = app.second_instance().await;
        let event = lead.demand(json!({})).await;
        let id = start_for(&lead, &event).await;
        work(&app).await;
        app.pass(5 * SECOND);
        killed_at(&api, &app, Call::Progress).await;
        api.brings(&Phase::Done);
        app.pass(PAST_THE_LEASE);
        // One turn reads the state of the video. The copy is the next job.
        let fetched = api.calls(Call::Fetch);
        api.fails(Call::Fetch, &[Fault::Silence]);
        let mut worker = other.app.worker();
        let drained = worker.drain();
        tokio::select! {
            _ = drained => panic!("the copy never arrives"),
            () = api.called(Call::Fetch, fetched + 1) => {}
        }
        drop(worker);
        app.pass(PAST_THE_LEASE);
        work(&app).await;
        let made = video(&lead, &id).await;
        assert_eq!(made["status"], "completed", "{dialect:?}: {made}");
        assert_eq!((app.count("media").await, app.stored_files()), (1, 1));
        assert_eq!(
            lead.event(&event).await["media"][0]["id"],
            made["media"]["id"]
        );
        assert_eq!(api.calls(Call::Submit), 1);
    }
}

#[tokio::test]
async fn a_video_canceled_while_it_is_submitted_is_stopped_at_the_provider() {
    let (api, app, lead) = studio(Dialect::Runway).await;
    let id = start(&lead, wish()).await;
    killed_at(&api, &app, Call::Submit).await;
    let canceled = cancel(&lead, &id).await.expect(200).body;
    let told = canceled["avisos"][0].as_str().expect("a notice");
    assert!(told.contains("pode cobrá-lo"), "{told}");
    app.pass(PAST_THE_LEASE);
    work(&app).await;
    assert_eq!(video(&lead, &id).await["status"], "canceled");
    assert_eq!(api.calls(Call::Submit), 1);

    // The answer arrives after the cancellation.
    let id = start(&lead, wish()).await;
    api.fails(Call::Submit, &[Fault::Held]);
    let mut worker = app.app.worker();
    worker.turn().await.expect("a turn");
    api.called(Call::Submit, 2).await;
    cancel(&lead, &id).await.expect(200);
    api.releases();
    drain(&mut worker).await;
    assert_eq!(video(&lead, &id).await["status"], "canceled");
    let last = api.made().pop().expect("it was made");
    assert_eq!(last.phase, Phase::Canceled);
    assert_eq!(api.calls(Call::Submit), 2);
}

#[tokio::test]
async fn a_video_canceled_while_it_is_copied_leaves_no_medium() {
    let (api, app, lead) = studio(Dialect::Gemini).await;
    let event = lead.demand(json!({})).await;
    let id = start_for(&lead, &event).await;
    work(&app).await;
    api.brings(&Phase::Done);
    app.pass(5 * SECOND);
    api.fails(Call::Fetch, &[Fault::Held]);
    let mut worker = app.app.worker();
    let copying = async { drain(&mut worker).await };
    let canceling = async {
        api.called(Call::Fetch, 1).await;
        cancel(&lead, &id).await.expect(200);
        api.releases();
    };
    tokio::join!(copying, canceling);
    assert_eq!(video(&lead, &id).await["status"], "canceled");
    assert_eq!((app.count("media").await, app.stored_files()), (0, 0));
    let after = lead.event(&event).await;
    assert_eq!(
        (&after["status"], &after["media"]),
        (&json!("a fazer"), &json!([]))
    );
}
