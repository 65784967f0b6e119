//! The worker's loop: idle, wake-up and shutdown.

use sea_orm::DbBackend;

use super::*;

/// Spawns the worker's loop. The loop shuts down when the returned sender sends or is dropped.
fn spawn_worker(
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
    let (app, desk, worker) = service_with_jobs().await;
    let (_worker, stop) = spawn_worker(worker);
    let service = app.app.clone();
    let writing = tokio::spawn(async move { service.run_read_log().await });
    enqueue(&app, repeatable_job("first", How::Done)).await;
    desk.wait_for_runs(1).await;
    while app.count_rows("jobs").await > 0 {
        tokio::task::yield_now().await;
    }
    // Waits until the worker no longer reads the clock after the last outcome.
    let mut reads = app.clock_reads();
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = app.clock_reads();
        if now == reads {
            break;
        }
        reads = now;
    }
    // Each turn of the worker reads the clock, and so does each write of the read log. If the count
    // does not change, both are idle.
    tokio::time::sleep(WATCHED).await;
    assert_eq!(app.clock_reads(), reads, "the worker is not idle");
    enqueue(&app, repeatable_job("second", How::Done)).await;
    desk.wait_for_runs(2).await;
    drop((stop, writing));
}

/// The other instance only enqueues the jobs; its worker does not run.
#[tokio::test]
async fn on_postgres_an_instance_is_notified_of_the_jobs_of_another() {
    let (app, desk, worker) = service_with_jobs().await;
    if app.backend() != DbBackend::Postgres {
        return;
    }
    let (other, _) = add_second_instance(&app, &desk).await;
    let (_worker, _stop) = spawn_worker(worker);
    for runs in 1..=3 {
        enqueue(&other, repeatable_job("a", How::Done)).await;
        desk.wait_for_runs(runs).await;
    }
}

#[tokio::test]
async fn a_shutdown_waits_for_running_jobs_and_claims_no_more() {
    let (app, desk, worker) = service_with_jobs().await;
    enqueue(&app, repeatable_job("a", How::Wait)).await;
    let (worker, stop) = spawn_worker(worker);
    desk.wait_for_runs(1).await;
    stop.send(()).expect("the worker runs");
    tokio::task::yield_now().await;
    enqueue(&app, repeatable_job("b", How::Done)).await;
    desk.open_gate(1);
    let stopped = tokio::time::timeout(Duration::from_secs(20), worker).await;
    stopped
        .expect("the worker stops in time")
        .expect("no panic");
    assert_eq!(desk.recorded_runs(), [("a".into(), 1)]);
    assert_eq!(load_only_job(&app).await.0, "queued");
}

#[tokio::test]
async fn jobs_that_outlast_a_shutdown_are_requeued_or_unknown() {
    let (app, desk, mut worker) = service_with_jobs().await;
    enqueue(&app, repeatable_job("a", How::Hang)).await;
    enqueue(&app, at_most_once_job("b", How::Hang)).await;
    start_runs(&mut worker, &desk, 2).await;
    worker.stop(Duration::from_millis(50)).await;
    for left in [
        "name = 'act' AND state = 'queued' AND attempts = 0 AND error_code IS NULL",
        "name = 'act_once' AND state = 'unknown' AND error_code = 'OUTCOME_UNKNOWN'",
    ] {
        assert_eq!(
            app.count_rows(&format!("jobs WHERE {left}")).await,
            1,
            "{left}"
        );
    }
    // The other instance claims the requeued job at once, without waiting for the lease to end.
    let (_other, mut elsewhere) = add_second_instance(&app, &desk).await;
    start_runs(&mut elsewhere, &desk, 3).await;
    assert_eq!(desk.recorded_runs()[2], ("a".into(), 1));
}

/// Runs only on PostgreSQL, because SQLite has no server that can go away.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outcomes_are_written_once_the_database_is_back() {
    let Some((direct, app, proxy)) = crate::faults::server_away::service_behind_proxy().await
    else {
        return;
    };
    let desk = Desk::new();
    let app = app.with_part(desk.clone());
    enqueue(&app, repeatable_job("a", How::Wait)).await;
    let (_worker, _stop) = spawn_worker(new_worker(&app));
    desk.wait_for_runs(1).await;
    proxy.close_connections();
    desk.open_gate(1);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(direct.count_rows("jobs WHERE state = 'running'").await, 1);
    proxy.resume_forwarding().await;
    let written = async {
        while direct.count_rows("jobs").await > 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // The worker is notified of new jobs again.
        enqueue(&direct, repeatable_job("b", How::Done)).await;
        desk.wait_for_runs(2).await;
    };
    let written = tokio::time::timeout(Duration::from_secs(60), written).await;
    written.expect("the outcomes are written in time");
    assert_eq!(desk.recorded_runs().len(), 2);
}
