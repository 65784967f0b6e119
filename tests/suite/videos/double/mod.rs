//! A double of the video APIs of OpenAI, Runway and Gemini. It refuses the requests that the real
//! APIs refuse, records its videos, and fails on demand.

mod gemini;
mod openai;
mod runway;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::watch};

use crate::support::{openai::cut_in_half, video_file};

/// The valid key of each API.
pub const KEY: &str = "sk-video-0123456789abcdefghijkl";

/// The three APIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    OpenAi,
    Runway,
    Gemini,
}

pub const DIALECTS: [Dialect; 3] = [Dialect::OpenAi, Dialect::Runway, Dialect::Gemini];

/// The kinds of API calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Call {
    Submit,
    Progress,
    Fetch,
    Cancel,
}

/// How one request fails.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// Responds with this status and error code, in the format of the API.
    Refused(u16, &'static str),
    /// Responds with this status and the HTML page of a gateway.
    Page(u16),
    /// Breaks the connection, without an effect.
    ResetBefore,
    /// Breaks the connection after the effect.
    ResetAfter,
    /// Never responds, after the effect.
    Silence,
    /// Holds back the response until `release_responses` is called, after the effect.
    Held,
    /// Responds with JSON that is not of the API, after the effect.
    Nonsense,
}

/// An accepted request.
#[derive(Debug, Clone)]
pub struct Asked {
    pub prompt: String,
    pub aspect: String,
    pub seconds: u64,
    /// The image file of the first frame.
    pub frame: Option<Vec<u8>>,
}

/// The phase of a video.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    Waiting,
    Running(u8),
    Done,
    Failed(&'static str),
    Canceled,
}

#[derive(Debug, Clone)]
pub struct Made {
    pub asked: Asked,
    pub phase: Phase,
}

struct Studio {
    base: String,
    /// The videos by id.
    made: Mutex<BTreeMap<String, Made>>,
    calls: watch::Sender<Vec<Call>>,
    faults: Mutex<BTreeMap<Call, VecDeque<Fault>>>,
    released: watch::Sender<bool>,
    /// The file that is the result of every video.
    file: Mutex<Bytes>,
    /// The URL that is returned for results instead of the real URL.
    elsewhere: Mutex<Option<String>>,
    /// Whether Gemini's response contains the result itself, not a URL.
    inline: Mutex<bool>,
    /// Whether the API key was sent to a signed URL, although such a URL needs no key.
    sent_key: Mutex<bool>,
    /// The path and the `traceparent` of each request.
    traces: Mutex<Vec<(String, Option<String>)>>,
}

/// The double, which listens on a local port.
pub struct VideoApi {
    pub dialect: Dialect,
    studio: Arc<Studio>,
}

impl VideoApi {
    pub async fn new(dialect: Dialect) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let studio = Arc::new(Studio {
            base,
            made: Mutex::default(),
            calls: watch::Sender::default(),
            faults: Mutex::default(),
            released: watch::Sender::default(),
            file: Mutex::new(video_file(4_000).into()),
            elsewhere: Mutex::default(),
            inline: Mutex::default(),
            sent_key: Mutex::default(),
            traces: Mutex::default(),
        });
        let router: Router = match dialect {
            Dialect::OpenAi => openai::router(),
            Dialect::Runway => runway::router(),
            Dialect::Gemini => gemini::router(),
        }
        .layer(middleware::from_fn_with_state(studio.clone(), record_trace))
        .with_state(studio.clone());
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { dialect, studio }
    }

    /// The settings that make a service use this double.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let [provider, base, key] = match self.dialect {
            Dialect::OpenAi => [
                "openai_videos",
                "PAUTA_OPENAI_VIDEOS_BASE_URL",
                "PAUTA_OPENAI_VIDEOS_API_KEY",
            ],
            Dialect::Runway => ["runway", "PAUTA_RUNWAY_BASE_URL", "PAUTA_RUNWAY_API_KEY"],
            Dialect::Gemini => [
                "gemini_interactions",
                "PAUTA_GEMINI_BASE_URL",
                "PAUTA_GEMINI_API_KEY",
            ],
        };
        vec![
            ("PAUTA_VIDEO_PROVIDER", provider.into()),
            (base, self.studio.base.clone()),
            (key, KEY.into()),
        ]
    }

    /// Makes the next requests of this kind fail with these faults, one each.
    pub fn fail_next(&self, call: Call, faults: &[Fault]) {
        let mut all = self.studio.faults.lock().expect("no panic");
        all.entry(call).or_default().extend(faults);
    }

    /// Releases the responses that `Fault::Held` holds back.
    pub fn release_responses(&self) {
        self.studio.released.send_replace(true);
    }

    /// All videos in order of creation, finished or not.
    pub fn made_videos(&self) -> Vec<Made> {
        let made = self.studio.made.lock().expect("no panic");
        made.values().cloned().collect()
    }

    /// Sets the phase of every video that has not ended.
    pub fn set_phase(&self, phase: &Phase) {
        let mut made = self.studio.made.lock().expect("no panic");
        for made in made.values_mut() {
            if matches!(made.phase, Phase::Waiting | Phase::Running(_)) {
                made.phase = phase.clone();
            }
        }
    }

    /// Deletes every video.
    pub fn delete_videos(&self) {
        self.studio.made.lock().expect("no panic").clear();
    }

    pub fn set_result_file(&self, file: Vec<u8>) {
        *self.studio.file.lock().expect("no panic") = file.into();
    }

    pub fn set_result_url(&self, url: &str) {
        *self.studio.elsewhere.lock().expect("no panic") = Some(url.to_owned());
    }

    pub fn return_results_inline(&self) {
        *self.studio.inline.lock().expect("no panic") = true;
    }

    pub fn received_key_at_signed_url(&self) -> bool {
        *self.studio.sent_key.lock().expect("no panic")
    }

    /// The path and the `traceparent` of each request.
    pub fn received_traces(&self) -> Vec<(String, Option<String>)> {
        self.studio.traces.lock().expect("no panic").clone()
    }

    /// The number of calls of this kind.
    pub fn count_calls(&self, call: Call) -> usize {
        let calls = self.studio.calls.borrow();
        calls.iter().filter(|made| **made == call).count()
    }

    /// Waits until the double has received this many calls of this kind.
    pub async fn wait_for_calls(&self, call: Call, times: usize) {
        let mut calls = self.studio.calls.subscribe();
        let enough = calls.wait_for(|calls| calls.iter().filter(|c| **c == call).count() >= times);
        let waited = tokio::time::timeout(Duration::from_secs(20), enough).await;
        waited
            .expect("the double is called in time")
            .expect("the double lives");
    }
}

type Refusal = fn(u16, &str) -> Response;

impl Studio {
    /// Runs the effect and returns its response, or applies the next fault of this call.
    async fn respond_or_fail(
        &self,
        call: Call,
        refusal: Refusal,
        effect: impl FnOnce() -> Response,
    ) -> Response {
        let fault = {
            let mut faults = self.faults.lock().expect("no panic");
            faults.get_mut(&call).and_then(VecDeque::pop_front)
        };
        // Counts the call only after its effect, so that a test that waits for the call also sees
        // the effect.
        let count = || self.calls.send_modify(|calls| calls.push(call));
        let Some(fault) = fault else {
            let answer = effect();
            count();
            return answer;
        };
        let some = || json_response(200, &json!({ "id": "resposta", "status": "perdida" }));
        match fault {
            Fault::Refused(status, code) => {
                count();
                refusal(status, code)
            }
            Fault::Page(status) => {
                count();
                page_response(status)
            }
            Fault::ResetBefore => {
                count();
                cut_in_half(some()).await
            }
            Fault::ResetAfter => {
                let answer = effect();
                count();
                cut_in_half(answer).await
            }
            Fault::Silence => {
                effect();
                count();
                std::future::pending().await
            }
            Fault::Held => {
                let answer = effect();
                count();
                let mut released = self.released.subscribe();
                let opened = released.wait_for(|released| *released).await;
                drop(opened.expect("the double lives"));
                answer
            }
            Fault::Nonsense => {
                effect();
                count();
                json_response(200, &json!({ "ok": 1 }))
            }
        }
    }

    fn add_video(&self, asked: Asked) -> String {
        let mut made = self.made.lock().expect("no panic");
        let id = format!("video_{:06}", made.len() + 1);
        made.insert(
            id.clone(),
            Made {
                asked,
                phase: Phase::Waiting,
            },
        );
        id
    }

    fn find_video(&self, id: &str) -> Option<Made> {
        self.made.lock().expect("no panic").get(id).cloned()
    }

    /// Cancels a video that has not ended; returns whether it did.
    fn cancel_video(&self, id: &str) -> bool {
        let mut made = self.made.lock().expect("no panic");
        let found = made.get_mut(id);
        let found = found.filter(|made| matches!(made.phase, Phase::Waiting | Phase::Running(_)));
        found.map(|made| made.phase = Phase::Canceled).is_some()
    }

    fn file_response(&self) -> Response {
        let file = self.file.lock().expect("no panic").clone();
        ([(header::CONTENT_TYPE, "video/mp4")], file).into_response()
    }

    /// The URL of a result, or the URL that the test set instead.
    fn result_url(&self, path: &str) -> String {
        let elsewhere = self.elsewhere.lock().expect("no panic").clone();
        elsewhere.unwrap_or_else(|| format!("{}{path}", self.base))
    }
}

async fn record_trace(State(studio): State<Arc<Studio>>, request: Request, next: Next) -> Response {
    let trace = request.headers().get("traceparent");
    let trace = trace.map(|value| value.to_str().expect("text").to_owned());
    let path = request.uri().path().to_owned();
    studio.traces.lock().expect("no panic").push((path, trace));
    next.run(request).await
}

fn page_response(status: u16) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    let html = [(header::CONTENT_TYPE, "text/html")];
    (status, html, "<h1>Bad gateway</h1>").into_response()
}

fn json_response(status: u16, body: &Value) -> Response {
    crate::support::openai::json_response(status, body)
}

fn has_header(headers: &HeaderMap, name: &str, value: &str) -> bool {
    headers.get(name).is_some_and(|given| given == value)
}

fn has_bearer(headers: &HeaderMap) -> bool {
    has_header(headers, "authorization", &format!("Bearer {KEY}"))
}
