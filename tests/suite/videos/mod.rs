//! Videos that a provider makes in the background, tested with doubles of the providers' APIs.

mod crashes;
pub mod double;
mod events;
mod flow;
mod many;
mod offers;
mod outcomes;
mod results;

use domain::{
    Role,
    time::{MINUTE, SECOND},
};
use gateway::jobs::Worker;
use serde_json::{Value, json};

use crate::support::{Client, TestApp};
pub use double::Dialect;
use double::{Call, DIALECTS, Fault, Phase, VideoApi};

/// Longer than a lease.
const PAST_THE_LEASE: i64 = MINUTE + 1;

/// A provider, a service that uses it, and a member who may generate videos.
pub async fn studio(dialect: Dialect) -> (VideoApi, TestApp, Client) {
    let api = VideoApi::new(dialect).await;
    let app = TestApp::with_settings(api.settings()).await;
    let lead = app.token(&app.member(Role::Lider).await).await;
    (api, app, lead)
}

pub fn wish() -> Value {
    json!({ "prompt": "Uma fogueira à noite", "aspect": "9:16", "duration_s": 8 })
}

/// Starts a video; returns its id.
pub async fn start(client: &Client, input: Value) -> String {
    let started = client.post("/api/reels", input).await.expect(202).body;
    assert_eq!(started["status"], "queued");
    started["id"].as_str().expect("an id").to_owned()
}

async fn start_for(client: &Client, event: &str) -> String {
    let mut input = wish();
    input["event_id"] = event.into();
    start(client, input).await
}

async fn video(client: &Client, id: &str) -> Value {
    client
        .get(&format!("/api/reels/{id}"))
        .await
        .expect(200)
        .body
}

async fn cancel(client: &Client, id: &str) -> crate::support::Answer {
    client.delete(&format!("/api/reels/{id}")).await
}

/// Runs every job that is due.
async fn work(app: &TestApp) {
    drain(&mut app.app.worker()).await;
}

async fn drain(worker: &mut Worker) {
    let drained = tokio::time::timeout(std::time::Duration::from_secs(60), worker.drain()).await;
    drained.expect("it ends").expect("the database is there");
}

/// Passes half a minute, after which every poll of the provider is due, and runs the jobs.
async fn later(app: &TestApp) {
    app.pass(30 * SECOND);
    work(app).await;
}

/// Runs jobs until the video has ended.
async fn end(app: &TestApp, client: &Client, id: &str) -> Value {
    for _ in 0..60 {
        let video = video(client, id).await;
        let status = video["status"].as_str().expect("a status");
        if ["completed", "failed", "canceled"].contains(&status) {
            return video;
        }
        app.pass(MINUTE + SECOND);
        work(app).await;
    }
    panic!("the video does not end: {}", video(client, id).await);
}

/// The error of a video that has failed.
fn failure(video: &Value) -> &Value {
    assert_eq!(video["status"], "failed", "{video}");
    assert!(video["error"]["error"].is_string(), "{video}");
    &video["error"]
}

/// The number of video jobs that have not ended.
async fn open_jobs(app: &TestApp) -> i64 {
    app.count("jobs WHERE name LIKE '%_video' AND due_at IS NOT NULL")
        .await
}
