//! Publications with uploads under faults, compared with what is online: two instances are killed and
//! started again, tokens end, and some pieces are reopened.
//!
//! `PAUTA_TEST_PUBLICATIONS` sets the number of publications. Nothing is online twice, nothing that was
//! approved is forgotten, and every state that the service shows is true.

use std::sync::Mutex;

use domain::{
    Format,
    time::{HOUR, MINUTE},
    variant::VariantContent,
};
use futures::{FutureExt, future::BoxFuture};

use super::{
    linkedin::LinkedInWorld,
    server::{Api, Call, Fault, World},
    tiktok::TikTokWorld,
    youtube::YouTubeWorld,
};
use crate::{
    posting::{
        Stage,
        storm::{Double, Instance, publication_count, run_minute},
    },
    publishing::jpeg_image,
    support::{Random, Settings, video_file_of},
};

impl<W: World> Double for Api<W> {
    fn settings_for(&self, instance: usize) -> Settings {
        W::settings(&self.base_url_for(instance))
    }

    fn wait_for_kill(&self) -> BoxFuture<'_, usize> {
        self.wait_for_kill().boxed()
    }
}

/// Chooses random faults: `faults` percent of the calls fail, and `kills` per thousand kill the
/// caller.
fn random_faults(seed: u64, faults: usize, kills: usize) -> impl Fn(Call) -> Option<Fault> {
    let random = Mutex::new(Random::new(seed));
    move |call| {
        let mut random = random.lock().expect("no panic");
        if !Call::ALL.contains(&call) {
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

#[test]
fn no_publication_on_youtube_is_doubled_lost_or_misreported() {
    let world = YouTubeWorld {
        most_per_chunk: 256 << 10,
        ..YouTubeWorld::default()
    };
    let report = run_storm(world, Format::Video, &video());
    // The videos of canceled publications were deleted from the account.
    assert_eq!(report.unseen, 0);
}

#[test]
fn no_publication_on_linkedin_is_doubled_lost_or_misreported() {
    let world = LinkedInWorld {
        part: 256 << 10,
        ..LinkedInWorld::default()
    };
    run_storm(world, Format::Post, &video());
}

#[test]
fn no_publication_on_tiktok_is_doubled_lost_or_misreported() {
    run_storm(TikTokWorld::default(), Format::Post, &video());
}

/// After a lost response, TikTok has no way to find out whether the photos were posted, so the service
/// asks a person.
#[test]
fn no_publication_of_photos_on_tiktok_is_doubled_lost_or_misreported() {
    let photo = jpeg_image(1_080, 1_350, 7);
    let report = run_storm(TikTokWorld::default(), Format::Post, &photo);
    assert!(report.online > 0);
}

fn video() -> Vec<u8> {
    video_file_of(600_000, 15)
}

fn run_storm<W: World>(world: W, format: Format, file: &Vec<u8>) -> Report {
    let count = publication_count();
    let main = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let stage = main.block_on(Stage::with_world(world));
    let mut random = Random::new(20_261_128);
    let mut pieces = vec![];
    main.block_on(async {
        for number in 0..count {
            let caption = format!("desejo {number:06}");
            let piece = stage
                .create_piece(&caption, std::slice::from_ref(file))
                .await;
            let content = VariantContent {
                title: (format == Format::Video).then(|| caption.clone()),
                privacy: W::PRIVACY.map(str::to_owned),
                first_comment: (W::HAS_COMMENTS && number % 3 == 0)
                    .then(|| format!("comentário {number:06}")),
                ..VariantContent::default()
            };
            stage.add_variant(&piece, format, content).await;
            stage.approve(&piece).await;
            let due = stage.app.now() + 2 * HOUR + (number as i64 % 40) * MINUTE;
            let moved = format!("UPDATE events SET due_at = {due} WHERE id = $1");
            stage.app.execute_statement(&moved, [piece.clone()]).await;
            pieces.push((piece, caption));
        }
    });
    let mut instances = [0, 1].map(|at| Instance::start(&stage, at));
    stage.api.set_faults(random_faults(20_261_128, 12, 10));
    let mut kills = 0;
    for minute in 0..220 {
        stage.app.advance_clock(MINUTE);
        kills += run_minute(&main, &stage, &mut instances);
        if minute == 110 {
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
            stage.api.lock_world().tokens().revoke();
        }
    }
    stage.api.clear_faults();
    for _ in 0..70 {
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
    report
}

#[derive(Debug, Default)]
struct Report {
    online: usize,
    unseen: usize,
    unknown: usize,
    failed: usize,
    canceled: usize,
    late: usize,
    wrong: Vec<String>,
}

/// Compares each piece with what is online.
async fn compare<W: World>(stage: &Stage<Api<W>>, pieces: &[(String, String)]) -> Report {
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
        let (posts, unseen) = {
            let world = stage.api.lock_world();
            (world.online(caption), world.unseen(caption))
        };
        let status = stage.status(piece).await;
        let mine = rows.iter().filter(|row| text(row, "event_id") == *piece);
        let states: Vec<String> = mine.clone().map(|row| text(row, "state")).collect();
        let has = |state: &str| states.iter().any(|one| one == state);
        let mut wrong = |what: &str| report.wrong.push(format!("{caption}: {what}: {states:?}"));
        if posts.len() > 1 {
            wrong("online twice");
        }
        let published = has("published");
        match posts.first() {
            Some(_) if !published && !has("unknown") => wrong("online, and not told"),
            None if published => wrong("told to be online"),
            Some(post) if published => {
                let row = mine.clone().find(|row| text(row, "state") == "published");
                let row = row.expect("found before");
                if text(row, "post_id") != post.id {
                    wrong("another post");
                }
                let is_true = match text(row, "comment_state").as_str() {
                    "added" => post.comments == 1,
                    "failed" | "absent" | "pending" => post.comments == 0,
                    state => state == "unknown" && post.comments <= 1,
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
        let is_told = ["unknown", "failed", "late"].iter().any(|state| has(state));
        if posts.is_empty() && !withdrawn && !is_told {
            wrong("lost");
        }
        report.online += posts.len();
        // If the outcome is unknown or the publication late, the upload may stay, because a person still
        // has to decide.
        report.unseen += if has("unknown") || has("late") {
            0
        } else {
            unseen
        };
        report.unknown += usize::from(has("unknown"));
        report.failed += usize::from(has("failed"));
        report.canceled += usize::from(has("canceled"));
        report.late += usize::from(has("late"));
    }
    report
}
