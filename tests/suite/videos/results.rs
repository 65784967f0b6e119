//! Downloading a result: its URL and its bytes are checked.

use axum::{Router, routing::any};
use tokio::{net::TcpListener, sync::watch};

use super::*;

async fn start_finished_video(dialect: Dialect) -> (VideoApi, TestApp, Client, String) {
    let (api, app, lead) = service_with_video_api(dialect).await;
    let id = start_video(&lead, video_input()).await;
    run_due_jobs(&app).await;
    api.set_phase(&Phase::Done);
    (api, app, lead, id)
}

#[tokio::test]
async fn a_failed_download_is_repeated_from_a_new_url() {
    for dialect in DIALECTS {
        let (api, app, lead, id) = start_finished_video(dialect).await;
        let faults = [
            Fault::Refused(403, "expired"),
            Fault::Page(502),
            Fault::ResetAfter,
            Fault::Nonsense,
            Fault::Refused(404, "gone"),
        ];
        api.fail_next(Call::Fetch, &faults);
        let video = run_until_ended(&app, &lead, &id).await;
        assert_eq!(video["status"], "completed", "{dialect:?}: {video}");
        assert_eq!(app.count_rows("media").await, 1);
        assert_eq!(app.stored_file_count(), 1);
    }
}

#[tokio::test]
async fn a_result_that_is_not_a_complete_video_fails_after_all_attempts() {
    let whole = crate::support::video_file(4_000);
    let page = b"<html>".repeat(20);
    let picture = [b"\x89PNG\r\n\x1a\n".to_vec(), vec![0; 100]].concat();
    for file in [
        whole[..3_000].to_vec(),
        page,
        picture,
        vec![],
        b"x".to_vec(),
    ] {
        let (api, app, lead, id) = start_finished_video(Dialect::OpenAi).await;
        api.set_result_file(file);
        let video = run_until_ended(&app, &lead, &id).await;
        assert_eq!(expect_failure(&video)["code"], "PROVIDER_FAILED");
        assert_eq!(api.count_calls(Call::Fetch), 8);
        assert_eq!(
            (app.count_rows("media").await, app.stored_file_count()),
            (0, 0)
        );
    }
}

#[tokio::test]
async fn a_result_inside_the_answer_is_stored_too() {
    let (api, app, lead, id) = start_finished_video(Dialect::Gemini).await;
    api.return_results_inline();
    let video = run_until_ended(&app, &lead, &id).await;
    assert_eq!(video["media"]["bytes"], 4_000);
    assert_eq!(api.count_calls(Call::Fetch), 0);
}

/// A server inside the service's network that counts requests.
async fn start_inner_server() -> (String, watch::Receiver<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (count, counted) = watch::channel(0);
    let answer = any(move || {
        count.send_modify(|n| *n += 1);
        async { "secret" }
    });
    let router = Router::new().fallback(answer);
    tokio::spawn(axum::serve(listener, router).into_future());
    (address.to_string(), counted)
}

#[tokio::test]
async fn a_result_url_in_the_network_of_the_service_is_never_requested() {
    let (address, counted) = start_inner_server().await;
    let port = address.rsplit(':').next().expect("a port").to_owned();
    for dialect in DIALECTS {
        for url in [
            format!("http://{address}/a.mp4"),
            format!("https://{address}/a.mp4"),
            format!("https://localhost:{port}/a.mp4"),
            "https://169.254.169.254/latest/meta-data".into(),
            "file:///etc/passwd".into(),
            "data:video/mp4;base64,AAAA".into(),
            "gs://bucket/a.mp4".into(),
            "//".into(),
        ] {
            let (api, app, lead, id) = start_finished_video(dialect).await;
            api.set_result_url(&url);
            let video = run_until_ended(&app, &lead, &id).await;
            assert_eq!(
                expect_failure(&video)["code"],
                "PROVIDER_FAILED",
                "{dialect:?} {url}"
            );
        }
    }
    assert_eq!(*counted.borrow(), 0);
}
