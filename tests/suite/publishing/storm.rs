//! Publications under faults: two instances are killed and started again, and callers repeat their
//! requests.
//!
//! `PAUTA_TEST_PUBLICATIONS` sets the number of publications. In every storm, nothing is online
//! twice, every reported outcome is true, and the account stays connected.

mod report;
mod round;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use ports::shortvideo::{
    Creator, PhotoPost, Progress, Received, ShortVideo, Trouble, UploadChunk, VideoPost,
    VideoStarted,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tools::publishing::shortvideo::Desk;

use super::{
    Stage, create_approved_event,
    double::{Call, Fault},
    jpeg_image, stage, upload_file,
};
use crate::support::{Random, TestApp, count_from, video_file_of};
use report::Report;

type Adapter = Arc<dyn ShortVideo>;

fn publication_count() -> usize {
    count_from("PAUTA_TEST_PUBLICATIONS", 150)
}

/// A post that should be online exactly once.
#[derive(Debug, Clone)]
struct Wish {
    caption: String,
    input: Value,
    event: Option<String>,
    /// Whether requests carry an idempotency key. The key stays the same until the outcome is
    /// known.
    keyed: bool,
    attempts: usize,
}

/// An instance in its own runtime, so that it can be killed at any await.
struct Instance {
    alive: Option<(Runtime, TestApp)>,
}

impl Instance {
    fn start(stage: &Stage, make: Make, at: usize) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let app = runtime.block_on(async {
            let base = stage.api.base_url_for(at);
            let more = [
                ("PAUTA_TIKTOK_BASE_URL", base.clone()),
                ("PAUTA_NETWORK_TIMEOUT", "1".to_owned()),
            ];
            let settings = stage::settings(&stage.api, more);
            let app = stage.app.second_instance_with(settings).await;
            match make {
                Some(make) => app.with_part(Desk::new(make(&base), true)),
                None => app,
            }
        });
        Self {
            alive: Some((runtime, app)),
        }
    }

    fn running_instance(&self) -> &(Runtime, TestApp) {
        self.alive.as_ref().expect("the instance is alive")
    }

    /// Aborts every task at its current await and closes the database, like a killed process.
    fn kill(&mut self) {
        if let Some((runtime, app)) = self.alive.take() {
            runtime.shutdown_timeout(Duration::from_secs(20));
            drop(app);
        }
    }
}

/// Chooses random faults: `faults` percent of the calls fail, and `kills` per thousand kill the
/// caller.
fn random_faults(seed: u64, faults: usize, kills: usize) -> impl Fn(Call) -> Option<Fault> {
    let random = Mutex::new(Random::new(seed));
    move |call| {
        let mut random = random.lock().expect("no panic");
        if random.random_below(1_000) < kills && call != Call::Token && call != Call::Other {
            return Some(*[Fault::KillBefore, Fault::KillAfter].get(random.random_below(2))?);
        }
        if random.random_below(100) >= faults || call == Call::Other {
            return None;
        }
        let fault = Fault::ALL[random.random_below(Fault::ALL.len())];
        // A call without a response takes a second of real time, a chunk ten seconds, so these
        // faults are rare.
        let rare = fault.hangs() && (call == Call::Upload || random.random_below(10) > 0);
        (!rare).then_some(fault)
    }
}

/// Publishes under faults, then compares the service's reports with what is online.
fn run_storm(wishes: usize, seed: u64, faults: usize, kills: usize, make: Make) -> Report {
    let main = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let stage = main.block_on(Stage::with_short_timeout());
    let mut storm = round::Storm {
        main: &main,
        stage: &stage,
        instances: [0, 1].map(|at| Instance::start(&stage, make, at)),
        make,
        random: Random::new(seed),
        report: Report::default(),
        told: BTreeMap::new(),
    };
    let mut waiting = VecDeque::new();
    let mut done = vec![];
    let mut made = 0;
    stage.api.set_faults(random_faults(seed, faults, kills));
    while made < wishes || !waiting.is_empty() {
        while made < wishes && waiting.len() < 6 {
            waiting.push_back(main.block_on(create_wish(&stage, made)));
            made += 1;
        }
        storm.run_round(&mut waiting, &mut done);
    }
    stage.api.clear_faults();
    storm.finish_publications();
    let Storm { mut report, told } = storm.into_ended();
    report.wishes = wishes;
    main.block_on(report.compare_wishes(&stage, &done, &told));
    report
}

use round::Ended as Storm;

type Make = Option<fn(&str) -> Adapter>;

/// Creates a wish: a photo or a video, with or without an event.
async fn create_wish(stage: &Stage, number: usize) -> Wish {
    let lead = &stage.lead;
    let caption = format!("desejo {number:06}");
    let shade = u8::try_from(number % 251).expect("small");
    let side = 64 + u32::try_from(number / 251).expect("a small number");
    let is_video = number % 4 >= 2;
    let file = match is_video {
        true => video_file_of(2_000 + number, 15),
        false => jpeg_image(side, 64, shade),
    };
    let (event, media) = match number % 2 {
        0 => {
            let (event, media) = create_approved_event(lead, &caption, &[file]).await;
            (Some(event), media)
        }
        _ => (None, vec![upload_file(lead, &file, None).await]),
    };
    let kind = if is_video { "VIDEO" } else { "PHOTO" };
    let mut input = json!({ "type": kind, "mediaIds": media, "privacy_level": "SELF_ONLY" });
    if event.is_none() {
        input["caption"] = caption.as_str().into();
    }
    Wish {
        caption,
        input,
        event,
        keyed: number.is_multiple_of(3),
        attempts: 0,
    }
}

#[test]
fn nothing_is_published_twice_and_every_reported_outcome_is_true() {
    let seed = 20_261_122;
    let report = run_storm(publication_count(), seed, 12, 15, None);
    println!("{report}");
    report.assert_report_true();
}

/// An adapter that submits photos in a wrong way.
struct Broken {
    adapter: Adapter,
    /// If true, repeats a submission whose response was lost; otherwise reports the submission as
    /// not sent.
    repeats: bool,
}

#[async_trait]
impl ShortVideo for Broken {
    async fn fetch_creator(&self, token: &str) -> Result<Creator, Trouble> {
        self.adapter.fetch_creator(token).await
    }

    async fn submit_photos(&self, token: &str, post: &PhotoPost) -> Result<String, Trouble> {
        match self.adapter.submit_photos(token, post).await {
            Err(Trouble::Lost) if self.repeats => self.adapter.submit_photos(token, post).await,
            Err(Trouble::Lost) => Err(Trouble::Unreached),
            answer => answer,
        }
    }

    async fn submit_video(&self, token: &str, post: &VideoPost) -> Result<VideoStarted, Trouble> {
        self.adapter.submit_video(token, post).await
    }

    async fn upload_chunk(&self, url: &str, chunk: UploadChunk) -> Result<Received, Trouble> {
        self.adapter.upload_chunk(url, chunk).await
    }

    async fn fetch_progress(&self, token: &str, publish_id: &str) -> Result<Progress, Trouble> {
        self.adapter.fetch_progress(token, publish_id).await
    }
}

fn broken_adapter(base: &str, repeats: bool) -> Adapter {
    let adapter = stage::tiktok_adapter(base, Duration::from_secs(1));
    Arc::new(Broken { adapter, repeats })
}

/// Returns whether one of several storms reveals the defect of this adapter. The order of faults and
/// callers varies, so a single storm may miss the defect.
fn is_defect_revealed(make: fn(&str) -> Adapter, shows: fn(&Report) -> bool) -> bool {
    (7..12).any(|seed| {
        let report = run_storm(60, seed, 30, 0, Some(make));
        println!("{report}");
        shows(&report)
    })
}

#[test]
fn an_adapter_that_repeats_a_submission_is_detected() {
    let repeats = |base: &str| broken_adapter(base, true);
    assert!(is_defect_revealed(repeats, |report| report.doubled > 0));
}

#[test]
fn an_adapter_that_reports_a_lost_response_as_not_sent_is_detected() {
    let forgets = |base: &str| broken_adapter(base, false);
    assert!(is_defect_revealed(forgets, |report| !report
        .untrue
        .is_empty()));
}
