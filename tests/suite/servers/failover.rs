//! A primary is killed under load, and its standby takes over.
//!
//! `PAUTA_TEST_FAILOVERS` sets the number of fail-overs.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use domain::Role;
use serde_json::json;
use store::Db;

use super::{cluster::Cluster, is_on_postgres};
use crate::support::{Client, TestApp, count_from};

/// A timeout that no test reaches, on any machine.
const FOREVER: Duration = Duration::from_secs(60);
const WRITERS: usize = 8;
/// The number of writes that must be acknowledged before and after each fail-over.
const WRITES: usize = 40;

/// The outcomes of the writes of all writers.
#[derive(Default)]
struct Written {
    acknowledged: Mutex<BTreeSet<String>>,
    count: AtomicUsize,
    unknown: AtomicUsize,
    refused: AtomicUsize,
    has_ended: AtomicBool,
}

/// Creates demands until the test ends. A write without an answer is repeated with its key, as the
/// contract asks.
async fn write(client: Client, writer: usize, written: Arc<Written>) {
    for number in 0.. {
        let title = format!("Escritor {writer}, peça {number}");
        let client = client.with_idempotency_key(&format!("escritor-{writer}-{number}"));
        loop {
            if written.has_ended.load(SeqCst) {
                return;
            }
            let answer = client.post("/api/demanda", json!({ "title": title })).await;
            match (answer.status, answer.body["code"].as_str()) {
                (200, _) => break,
                (503, Some("UNAVAILABLE")) => {
                    assert!(answer.headers.contains_key("retry-after"));
                    written.refused.fetch_add(1, SeqCst);
                }
                (_, Some("OUTCOME_UNKNOWN")) => {
                    written.unknown.fetch_add(1, SeqCst);
                }
                // The first call with this key still runs.
                (409, Some("IDEMPOTENCY_IN_PROGRESS")) => {}
                other => panic!("{other:?}: {}", answer.text),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        written.acknowledged.lock().expect("no panic").insert(title);
        written.count.fetch_add(1, SeqCst);
    }
}

async fn wait_for_writes(written: &Written, count: usize) {
    let begun = Instant::now();
    while written.count.load(SeqCst) < count {
        assert!(begun.elapsed() < FOREVER, "no more writes are acknowledged");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_that_takes_over_has_every_acknowledged_write_once() {
    if !is_on_postgres() {
        return;
    }
    let rounds = count_from("PAUTA_TEST_FAILOVERS", 1);
    let mut cluster = Cluster::start();
    let db = Db::open(&cluster.url()).await.expect("opens");
    db.migrate().await.expect("migrates");
    db.close().await.expect("closes");
    let settings = vec![("PAUTA_DATABASE_URL", cluster.url())];
    let app = TestApp::new().await.second_instance_with(settings).await;
    let lead = app.as_member(Role::Lider).await;
    let written = Arc::new(Written::default());
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| tokio::spawn(write(lead.clone(), writer, written.clone())))
        .collect();
    let mut longest = Duration::ZERO;
    for round in 0..rounds {
        let before = written.count.load(SeqCst);
        wait_for_writes(&written, before + WRITES).await;
        cluster.kill_primary();
        cluster.promote_standby();
        let promoted = Instant::now();
        let before = written.count.load(SeqCst);
        wait_for_writes(&written, before + 1).await;
        longest = longest.max(promoted.elapsed());
        wait_for_writes(&written, before + WRITES).await;
        if round + 1 < rounds {
            cluster.make_standby();
        }
    }
    written.has_ended.store(true, SeqCst);
    for writer in writers {
        writer.await.expect("every answer is clear");
    }
    let stored = cluster.query("SELECT title FROM events WHERE title LIKE 'Escritor%'");
    let titles: BTreeSet<&str> = stored.lines().collect();
    assert_eq!(
        stored.lines().count(),
        titles.len(),
        "a write had two effects"
    );
    let acknowledged = written.acknowledged.lock().expect("no panic");
    let lost: Vec<_> = acknowledged
        .iter()
        .filter(|title| !titles.contains(title.as_str()))
        .collect();
    assert!(lost.is_empty(), "{lost:?} were acknowledged and lost");
    println!(
        "{rounds} fail-overs: {} writes acknowledged, none lost or doubled; {} unknown outcomes, {} \
         refusals; writing again at most {longest:?} after the promotion",
        acknowledged.len(),
        written.unknown.load(SeqCst),
        written.refused.load(SeqCst)
    );
}
