//! Publications under faults, compared with what is online: two instances are killed and started again,
//! some pieces are moved to another hour, and some are reopened.
//!
//! `PAUTA_TEST_PUBLICATIONS` sets the number of publications. Nothing is online twice, nothing that
//! was approved is forgotten, and every state that the service shows is true.

use std::{sync::Mutex, time::Duration};

use domain::{
    Format,
    time::{HOUR, MINUTE},
    variant::VariantContent,
};
use futures::{FutureExt, future::BoxFuture};
use tokio::{runtime::Runtime, task::JoinHandle};

use super::{
    Stage,
    double::{Call, Fault, InstagramApi},
    stage,
};
use crate::{
    publishing::jpeg_image,
    support::{Random, Settings, TestApp, count_from},
};

pub fn publication_count() -> usize {
    count_from("PAUTA_TEST_PUBLICATIONS", 120)
}

/// The double of a network. Some of its faults ask the test to kill the calling instance.
pub trait Double {
    /// The settings of an instance that uses the double.
    fn settings_for(&self, instance: usize) -> Settings;

    /// Waits until a fault asks to kill an instance; returns the number of the instance.
    fn wait_for_kill(&self) -> BoxFuture<'_, usize>;
}

impl Double for InstagramApi {
    fn settings_for(&self, instance: usize) -> Settings {
        stage::settings(&self.base_url_for(instance), [])
    }

    fn wait_for_kill(&self) -> BoxFuture<'_, usize> {
        self.wait_for_kill().boxed()
    }
}

/// An instance in its own runtime, so that it can be killed at any await.
pub struct Instance {
    alive: Option<(Runtime, TestApp)>,
}

impl Instance {
    pub fn start<A: Double>(stage: &Stage<A>, at: usize) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let settings = stage.api.settings_for(at);
        let app = runtime.block_on(stage.app.second_instance_with(settings));
        Self {
            alive: Some((runtime, app)),
        }
    }

    /// Aborts every task at its current await and closes the database, like a killed process.
    pub fn kill(&mut self) {
        if let Some((runtime, app)) = self.alive.take() {
            runtime.shutdown_timeout(Duration::from_secs(20));
            drop(app);
        }
    }

    fn start_worker(&self) -> JoinHandle<()> {
        let (runtime, app) = self.alive.as_ref().expect("the instance is alive");
        let mut worker = app.app.worker();
        runtime.spawn(async move {
            worker.drain().await.expect("the database is there");
        })
    }
}

/// Chooses random faults: `faults` percent of the calls fail, and `kills` per thousand kill the
/// caller.
fn random_faults(seed: u64, faults: usize, kills: usize) -> impl Fn(Call) -> Option<Fault> {
    let random = Mutex::new(Random::new(seed));
    move |call| {
        let mut random = random.lock().expect("no panic");
        if call == Call::Other {
            return None;
        }
        if random.random_below(1_000) < kills {
            return Some([Fault::KillBefore, Fault::KillAfter][random.random_below(2)]);
        }
        if random.random_below(100) >= faults {
            return None;
        }
        let fault = Fault::ALL[random.random_below(Fault::ALL.len())];
        // A call without a response takes seconds of real time, so these faults are rare.
        let rare = fault.hangs() && random.random_below(10) > 0;
        (!rare).then_some(fault)
    }
}

/// Runs the workers of both instances until no job is due. Starts killed instances again.
pub fn run_minute<A: Double>(
    main: &Runtime,
    stage: &Stage<A>,
    instances: &mut [Instance; 2],
) -> usize {
    let mut kills = 0;
    let workers = [0, 1].map(|at| instances[at].start_worker());
    let mut killed = [false; 2];
    let begun = std::time::Instant::now();
    while !workers.iter().all(JoinHandle::is_finished) {
        let woken = main.block_on(async {
            tokio::select! {
                instance = Double::wait_for_kill(&*stage.api) => Some(instance),
                () = tokio::time::sleep(Duration::from_millis(2)) => None,
            }
        });
        if let Some(at) = woken.filter(|at| !killed[*at]) {
            killed[at] = true;
            kills += 1;
            instances[at].kill();
        }
        if begun.elapsed() > Duration::from_secs(3) {
            // Lets the leases of the killed instance expire.
            stage.app.advance_clock(50);
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "it did not end");
    }
    for (at, (worker, killed)) in workers.into_iter().zip(killed).enumerate() {
        let worked = main.block_on(worker);
        match killed {
            true => instances[at] = Instance::start(stage, at),
            false => worked.expect("no panic"),
        }
    }
    kills
}

#[test]
fn no_publication_is_doubled_lost_or_misreported() {
    let count = publication_count();
    let main = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let stage = main.block_on(Stage::new());
    let mut random = Random::new(20_261_128);
    let mut pieces = vec![];
    main.block_on(async {
        stage.api.lock_world().quota = usize::MAX;
        let image = jpeg_image(320, 320, 1);
        for number in 0..count {
            let caption = format!("desejo {number:06}");
            let piece = stage
                .create_piece(&caption, std::slice::from_ref(&image))
                .await;
            let content = VariantContent {
                first_comment: (number % 3 == 0).then(|| format!("comentário {number:06}")),
                ..VariantContent::default()
            };
            stage.add_variant(&piece, Format::Feed, content).await;
            stage.approve(&piece).await;
            let due = stage.app.now() + HOUR + (number as i64 % 40) * MINUTE;
            let moved = format!("UPDATE events SET due_at = {due} WHERE id = $1");
            stage.app.execute_statement(&moved, [piece.clone()]).await;
            pieces.push((piece, caption));
        }
    });
    let mut instances = [0, 1].map(|at| Instance::start(&stage, at));
    stage.api.set_faults(random_faults(20_261_128, 12, 15));
    let mut kills = 0;
    for minute in 0..160 {
        stage.app.advance_clock(MINUTE);
        kills += run_minute(&main, &stage, &mut instances);
        if minute == 50 {
            // Reopens some pieces shortly before their publication, and approves some of the reopened
            // pieces again.
            main.block_on(async {
                for (number, (piece, _)) in pieces.iter().enumerate() {
                    if number % 10 == 7 && stage.status(piece).await == "aprovado" {
                        stage.reopen(piece).await;
                        if number % 20 == 7 {
                            stage.approve(piece).await;
                        }
                    }
                }
            });
        }
        if random.random_below(40) == 0 {
            for (_, until) in stage.api.lock_world().tokens.values_mut() {
                *until = (*until).min(stage.app.now() + 60 * MINUTE * 24);
            }
        }
    }
    stage.api.clear_faults();
    for _ in 0..20 {
        stage.app.advance_clock(MINUTE);
        kills += run_minute(&main, &stage, &mut instances);
    }
    let report = main.block_on(compare(&stage, &pieces));
    println!("{count} publications, {kills} kills, {report:?}");
    assert!(kills > 0 || count < 50);
    assert_eq!(report.wrong, Vec::<String>::new());
    for mut instance in instances {
        instance.kill();
    }
}

#[derive(Debug, Default)]
struct Report {
    online: usize,
    unknown: usize,
    failed: usize,
    canceled: usize,
    wrong: Vec<String>,
}

/// Compares each piece with what is online.
async fn compare(stage: &Stage, pieces: &[(String, String)]) -> Report {
    let mut report = Report::default();
    let sql = "SELECT event_id, state, post_id, comment_state FROM publications
        WHERE variant_id IS NOT NULL ORDER BY created_at, id";
    let rows = stage.app.query_rows(sql.into()).await;
    let text = |row: &sea_orm::QueryResult, name: &str| {
        row.try_get::<Option<String>>("", name)
            .expect("text")
            .unwrap_or_default()
    };
    for (number, (piece, caption)) in pieces.iter().enumerate() {
        let posts: Vec<_> = {
            let world = stage.api.lock_world();
            world.posts_with(caption).into_iter().cloned().collect()
        };
        let status = stage.status(piece).await;
        let mine = rows.iter().filter(|row| text(row, "event_id") == *piece);
        let states: Vec<String> = mine.clone().map(|row| text(row, "state")).collect();
        let mut wrong = |what: &str| report.wrong.push(format!("{caption}: {what}: {states:?}"));
        if posts.len() > 1 {
            wrong("online twice");
        }
        if posts.iter().any(|post| post.comments.len() > 1) {
            wrong("commented twice");
        }
        let has = |state: &str| states.iter().any(|one| one == state);
        let published = has("published");
        match posts.first() {
            Some(_) if !published && !has("unknown") => wrong("online, and not told"),
            None if published => wrong("told to be online"),
            Some(post) if published => {
                let row = mine.clone().find(|row| text(row, "state") == "published");
                let row = row.expect("found before");
                let (id, comment) = (text(row, "post_id"), text(row, "comment_state"));
                if !id.is_empty() && id != post.id {
                    wrong("another post");
                }
                let count = post.comments.len();
                let is_true = match comment.as_str() {
                    "added" => count == 1,
                    "failed" | "absent" | "pending" => count == 0,
                    _ => comment == "unknown",
                };
                if !is_true {
                    wrong("the comment is told wrongly");
                }
                if status != "publicado" {
                    wrong("the piece is not published");
                }
            }
            _ => {}
        }
        let withdrawn = number % 10 == 7 && number % 20 != 7;
        let waits = ["scheduled", "preparing", "ready", "publishing", "checking"];
        if states.is_empty() || waits.iter().any(|state| has(state)) {
            wrong("forgotten");
        }
        if posts.is_empty() && !withdrawn && !has("unknown") && !has("failed") && !has("late") {
            wrong("lost");
        }
        report.online += posts.len();
        report.unknown += usize::from(has("unknown"));
        report.failed += usize::from(has("failed"));
        report.canceled += usize::from(has("canceled"));
    }
    report
}
