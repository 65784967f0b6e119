//! The worker's loop: woken, idle and stopped.

use sea_orm::DbBackend;

use super::*;

/// A worker that runs until it is dropped or told to stop.
fn running(
    worker: Worker,
) -> (
    tokio::task::JoinHandle<()>,
    tokio::sync::oneshot::Sender<()>,
) {
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let stopped = async move { drop(stopped.await) };
    (tokio::spawn(worker.run(stopped)), stop)
}

#[tokio::test]
async fn an_idle_worker_does_nothing_until_it_is_woken() {
    const WATCHED: Duration = Duration::from_millis(1_500);
    let (app, desk, worker) = desk().await;
    let (_worker, stop) = running(worker);
    let service = app.app.clone();
    let writing = tokio::spawn(async move { service.write_reads().await });
    enqueue(&app, act("first", How::Done)).await;
    desk.begun(1).await;
    while app.count("jobs").await > 0 {
        tokio::task::yield_now().await;
    }
    // Waits until the clock reads that follow the last outcome have ended.
    let mut reads = app.clock_reads();
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = app.clock_reads();
        if now == reads {
            break;
        }
        reads = now;
    }
    // Each turn reads the clock, and so does each write of collected reads.
    tokio::time::sleep(WATCHED).await;
    assert_eq!(app.clock_reads(), reads, "it is not idle");
    enqueue(&app, act("second", How::Done)).await;
    desk.begun(2).await;
    drop((stop, writing));
}

/// A job enqueued by another instance, whose own worker does not claim it.
#[tokio::test]
async fn on_postgres_an_instance_is_notified_of_the_jobs_of_another() {
    let (app, desk, worker) = desk().await;
    if app.backend() != DbBackend::Postgres {
        return;
    }
    let (other, _) = second(&app, &desk).await;
    let (_worker, _stop) = running(worker);
    for runs in 1..=3 {
        enqueue(&other, act("a", How::Done)).await;
        desk.begun(runs).await;
    }
}

#[tokio::test]
async fn a_stop_waits_for_running_jobs_and_claims_no_more() {
    let (app, desk, worker) = desk().await;
    enqueue(&app, act("a", How::Wait)).await;
    let (worker, stop) = running(worker);
    desk.begun(1).await;
    stop.send(()).expect("it runs");
    tokio::task::yield_now().await;
    enqueue(&app, act("b", How::Done)).await;
    desk.open(1);
    let stopped = tokio::time::timeout(Duration::from_secs(20), worker).await;
    stopped.expect("it stops").expect("no panic");
    assert_eq!(desk.ran(), [("a".into(), 1)]);
    assert_eq!(row(&app).await.0, "queued");
}

#[tokio::test]
async fn jobs_that_outlast_a_stop_are_requeued_or_unknown() {
    let (app, desk, mut worker) = desk().await;
    enqueue(&app, act("a", How::Hang)).await;
    enqueue(&app, once("b", How::Hang)).await;
    begin(&mut worker, &desk, 2).await;
    worker.stop(Duration::from_millis(50)).await;
    for left in [
        "name = 'act' AND state = 'queued' AND attempts = 0 AND error_code IS NULL",
        "name = 'act_once' AND state = 'unknown' AND error_code = 'OUTCOME_UNKNOWN'",
    ] {
        assert_eq!(app.count(&format!("jobs WHERE {left}")).await, 1, "{left}");
    }
    // The other instance claims it at once, not only when the lease ends.
    let (_other, mut elsewhere) = second(&app, &desk).await;
    begin(&mut elsewhere, &desk, 3).await;
    assert_eq!(desk.ran()[2], ("a".into(), 1));
}

/// Only on PostgreSQL: the embedded database has no server that can go away.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outcomes_are_written_once_the_database_is_back() {
    let Some((direct, app, proxy)) = crate::faults::server_away::behind_a_proxy().await else {
        return;
    };
    let desk = Desk::new();
    let app = app.with_part(desk.clone());
    enqueue(&app, act("a", How::Wait)).await;
    let (_worker, _stop) = running(worker(&app));
    desk.begun(1).await;
    proxy.cut();
    desk.open(1);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(direct.count("jobs WHERE state = 'running'").await, 1);
    proxy.restore().await;
    let written = async {
        while direct.count("jobs").await > 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // It is also notified of new jobs again.
        enqueue(&direct, act("b", How::Done)).await;
        desk.begun(2).await;
    };
    let written = tokio::time::timeout(Duration::from_secs(60), written).await;
    written.expect("it goes on");
    assert_eq!(desk.ran().len(), 2);
}
