//! Videos that an external provider generates in the background, tested with a double of the
//! providers' APIs.

mod crashes;
pub mod double;
mod events;
mod flow;
mod many;
mod offers;
mod outcomes;
mod results;
mod tasks;

use domain::{
    Role,
    time::{MINUTE, SECOND},
};
use gateway::jobs::Worker;
use serde_json::{Value, json};

use crate::support::{Client, TestApp};
pub use double::Dialect;
use double::{Call, DIALECTS, Fault, Phase, VideoApi};

/// A duration longer than a lease.
const PAST_THE_LEASE: i64 = MINUTE + 1;

/// A double of a provider, a service that uses it, and a client of a member who may generate
/// videos.
pub async fn service_with_video_api(dialect: Dialect) -> (VideoApi, TestApp, Client) {
    let api = VideoApi::new(dialect).await;
    let app = TestApp::with_settings(api.settings()).await;
    let lead = app.token_client(&app.add_member(Role::Lider).await).await;
    (api, app, lead)
}

pub fn video_input() -> Value {
    json!({ "prompt": "Uma fogueira à noite", "aspect": "9:16", "duration_s": 8 })
}

/// Starts a video; returns its id.
pub async fn start_video(client: &Client, input: Value) -> String {
    let started = client.post("/api/reels", input).await.expect(202).body;
    assert_eq!(started["status"], "queued");
    started["id"].as_str().expect("an id").to_owned()
}

async fn start_video_for(client: &Client, event: &str) -> String {
    let mut input = video_input();
    input["event_id"] = event.into();
    start_video(client, input).await
}

async fn load_video(client: &Client, id: &str) -> Value {
    client
        .get(&format!("/api/reels/{id}"))
        .await
        .expect(200)
        .body
}

async fn cancel_video(client: &Client, id: &str) -> crate::support::Answer {
    client.delete(&format!("/api/reels/{id}")).await
}

/// Runs every job that is due.
async fn run_due_jobs(app: &TestApp) {
    drain_worker(&mut app.app.worker()).await;
}

async fn drain_worker(worker: &mut Worker) {
    let drained = tokio::time::timeout(std::time::Duration::from_secs(60), worker.drain()).await;
    drained
        .expect("the jobs end in time")
        .expect("the database is there");
}

/// Moves the clock by half a minute, so that every poll of the provider is due, and runs the jobs.
async fn pass_half_a_minute(app: &TestApp) {
    app.advance_clock(30 * SECOND);
    run_due_jobs(app).await;
}

/// Runs jobs until the video has ended; returns the video.
async fn run_until_ended(app: &TestApp, client: &Client, id: &str) -> Value {
    for _ in 0..60 {
        let video = load_video(client, id).await;
        let status = video["status"].as_str().expect("a status");
        if ["completed", "failed", "canceled"].contains(&status) {
            return video;
        }
        app.advance_clock(MINUTE + SECOND);
        run_due_jobs(app).await;
    }
    panic!("the video did not end: {}", load_video(client, id).await);
}

/// Asserts that the video has failed and returns its error.
fn expect_failure(video: &Value) -> &Value {
    assert_eq!(video["status"], "failed", "{video}");
    assert!(video["error"]["error"].is_string(), "{video}");
    &video["error"]
}

/// The number of video jobs that have not ended.
async fn count_open_jobs(app: &TestApp) -> i64 {
    app.count_rows("jobs WHERE name LIKE '%_video' AND due_at IS NOT NULL")
        .await
}
