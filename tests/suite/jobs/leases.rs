//! A running worker renews its leases. Another worker takes over the leases of a dead worker.

use sea_orm::{ConnectionTrait, DbBackend};

use super::*;

/// Starts a job on the first worker, lets the lease of the job expire, and starts it again on the
/// second worker.
async fn start_and_take_over(app: &TestApp, desk: &Desk, workers: [&mut Worker; 2]) {
    let [first, second] = workers;
    enqueue(app, repeatable_job("a", How::Wait)).await;
    start_runs(first, desk, 1).await;
    app.advance_clock(PAST_THE_LEASE);
    start_runs(second, desk, 2).await;
}

#[tokio::test]
async fn a_lease_is_renewed_while_its_job_runs() {
    let (app, desk, mut worker) = service_with_jobs().await;
    let (_other, mut elsewhere) = add_second_instance(&app, &desk).await;
    enqueue(&app, repeatable_job("a", How::Wait)).await;
    start_runs(&mut worker, &desk, 1).await;
    for _ in 0..5 {
        app.advance_clock(MINUTE / 2);
        let next = worker.run_turn().await.expect("a turn").expect("a renewal");
        assert!(
            next < app.now() + MINUTE / 2,
            "the next renewal must be due within half a minute"
        );
        drain_worker(&mut elsewhere).await;
    }
    desk.open_gate(1);
    drain_worker(&mut worker).await;
    assert_eq!(desk.recorded_runs(), [("a".into(), 1)]);
    assert_eq!(app.count_rows("jobs").await, 0);
}

/// Dropping the worker simulates a killed process: the row stays leased, and the run ends.
#[tokio::test]
async fn a_job_whose_worker_died_runs_again_after_its_lease() {
    let (app, desk, mut worker) = service_with_jobs().await;
    let (_other, mut elsewhere) = add_second_instance(&app, &desk).await;
    enqueue(&app, repeatable_job("a", How::Wait)).await;
    start_runs(&mut worker, &desk, 1).await;
    drop(worker);
    drain_worker(&mut elsewhere).await;
    assert_eq!(
        desk.recorded_runs().len(),
        1,
        "the job must not run again while its lease holds"
    );
    app.advance_clock(PAST_THE_LEASE);
    desk.open_gate(1);
    drain_worker(&mut elsewhere).await;
    assert_eq!(desk.recorded_runs(), [("a".into(), 1), ("a".into(), 2)]);
    assert_eq!(app.count_rows("jobs").await, 0);
}

#[tokio::test]
async fn a_lost_lease_of_an_at_most_once_job_is_an_unknown_outcome() {
    let (app, desk, mut worker) = service_with_jobs().await;
    let (_other, mut elsewhere) = add_second_instance(&app, &desk).await;
    enqueue(&app, at_most_once_job("a", How::Wait)).await;
    start_runs(&mut worker, &desk, 1).await;
    drop(worker);
    app.advance_clock(PAST_THE_LEASE);
    for _ in 0..2 {
        drain_worker(&mut elsewhere).await;
        let unknown = ("unknown".into(), 2, Some("OUTCOME_UNKNOWN".into()), None);
        assert_eq!(load_only_job(&app).await, unknown);
        app.advance_clock(DAY);
    }
    assert_eq!(desk.recorded_runs().len(), 1);
}

#[tokio::test]
async fn a_worker_whose_lease_was_taken_over_cannot_finish() {
    let (app, desk, mut worker) = service_with_jobs().await;
    let (_other, mut elsewhere) = add_second_instance(&app, &desk).await;
    let workers = [&mut worker, &mut elsewhere];
    start_and_take_over(&app, &desk, workers).await;
    // Lets both runs finish. Only the run that holds the lease may write its outcome.
    desk.open_gate(2);
    drain_worker(&mut worker).await;
    assert_eq!(load_only_job(&app).await.0, "running");
    let lost = r#"pauta_job_runs_total{job="act",outcome="lost"} 1"#;
    assert!(app.app.gateway.render_metrics().await.contains(lost));
    drain_worker(&mut elsewhere).await;
    assert_eq!(app.count_rows("jobs").await, 0);
}

#[tokio::test]
async fn a_job_whose_lease_was_taken_over_commits_nothing() {
    let (app, desk, mut worker) = service_with_jobs().await;
    let (_other, mut elsewhere) = add_second_instance(&app, &desk).await;
    enqueue(&app, repeatable_job("a", How::Commit)).await;
    start_runs(&mut worker, &desk, 1).await;
    app.advance_clock(PAST_THE_LEASE);
    start_runs(&mut elsewhere, &desk, 2).await;
    desk.open_gate(1);
    desk.wait_for_runs(3).await;
    assert_eq!(
        app.count_rows("jobs").await,
        1,
        "the run without a lease had an effect"
    );
    drain_worker(&mut worker).await;
    desk.open_gate(1);
    drain_worker(&mut elsewhere).await;
    let ran: Vec<_> = desk
        .recorded_runs()
        .into_iter()
        .map(|(tag, _)| tag)
        .collect();
    assert_eq!(ran, ["a", "a", "refused", "effect"]);
}

/// The run is aborted because its lease was not renewed in time.
#[tokio::test]
async fn a_worker_that_renews_too_late_aborts_the_run() {
    let (app, desk, mut worker) = service_with_jobs().await;
    let (_other, mut elsewhere) = add_second_instance(&app, &desk).await;
    enqueue(&app, repeatable_job("a", How::Hang)).await;
    start_runs(&mut worker, &desk, 1).await;
    app.advance_clock(PAST_THE_LEASE);
    start_runs(&mut elsewhere, &desk, 2).await;
    drain_worker(&mut worker).await;
    assert_eq!(load_only_job(&app).await.0, "running");
    assert_eq!(load_only_job(&app).await.1, 2);
}

#[tokio::test]
async fn a_job_that_always_kills_its_worker_fails_eventually() {
    let (app, desk, _) = service_with_jobs().await;
    enqueue(&app, repeatable_job("a", How::Hang)).await;
    for attempt in 1..=3 {
        start_runs(&mut new_worker(&app), &desk, attempt).await;
        app.advance_clock(PAST_THE_LEASE);
    }
    drain_worker(&mut new_worker(&app)).await;
    assert_eq!(desk.recorded_runs().len(), 3);
    let failed = ("failed".into(), 4, Some("INTERNAL".into()), None);
    assert_eq!(load_only_job(&app).await, failed);
}

/// Runs two workers at a time and drops each at a different moment: before, during or after a
/// transaction, with running jobs and unwritten outcomes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_at_most_once_job_never_repeats_whenever_its_worker_dies() {
    const JOBS: usize = 300;
    let (app, desk, _) = service_with_jobs().await;
    let other = app.second_instance().await.with_part(desk.clone());
    for n in 0..JOBS {
        enqueue(&app, at_most_once_job(&format!("once {n}"), How::Pause)).await;
        enqueue(&app, repeatable_job(&format!("act {n}"), How::Pause)).await;
    }
    let mut moments = 0;
    while app.count_rows("jobs WHERE due_at IS NOT NULL").await > 0 {
        moments += 7;
        let dies = |app: &TestApp, moment: u64| {
            let mut worker = new_worker(app).with_max_running(8);
            async move {
                // Workers live longer each round, so that a slow machine makes progress too.
                let life = Duration::from_micros(moment * 997 % (3_000 + 20 * moment));
                drop(tokio::time::timeout(life, worker.drain()).await);
            }
        };
        tokio::join!(dies(&app, moments), dies(&other, moments + 3));
        app.advance_clock(PAST_THE_LEASE);
        assert!(moments < 70_000, "the jobs did not end");
    }
    let mut runs = std::collections::BTreeMap::<String, usize>::new();
    for (tag, _) in desk.recorded_runs() {
        *runs.entry(tag).or_default() += 1;
    }
    let of = |kind: &'static str| runs.iter().filter(move |(tag, _)| tag.starts_with(kind));
    assert!(of("once").all(|(_, runs)| *runs == 1), "{runs:?}");
    assert!(of("act").all(|(_, runs)| *runs <= 3), "{runs:?}");
    let count = async |what: &str| {
        let count = app.count_rows(&format!("jobs WHERE {what}")).await;
        usize::try_from(count).expect("a small number")
    };
    let unknown = count("name = 'act_once' AND state = 'unknown'").await;
    let failed = count("name = 'act' AND state = 'failed'").await;
    println!(
        "{} deaths: {} of {JOBS} effects begun once, {unknown} unknown; \
         {} runs of {JOBS} jobs, {failed} failed",
        moments / 7 * 2,
        of("once").count(),
        of("act").map(|(_, runs)| runs).sum::<usize>()
    );
    assert_eq!(app.count_rows("jobs").await as usize, unknown + failed);
    // A job whose end was not recorded becomes `unknown`, even if its run never began.
    assert!(of("once").count() + unknown >= JOBS);
    assert!(of("act").count() + failed >= JOBS);
}

/// The outcome of a run whose lease was lost does not end a later run of the same job on the same
/// worker.
#[tokio::test]
async fn the_outcome_of_a_run_whose_lease_was_lost_does_not_end_the_next_run() {
    let (app, desk, mut worker) = service_with_jobs().await;
    let (_other, mut elsewhere) = add_second_instance(&app, &desk).await;
    let workers = [&mut worker, &mut elsewhere];
    start_and_take_over(&app, &desk, workers).await;
    // Stopping the second worker requeues its running job.
    elsewhere.stop(Duration::ZERO).await;
    assert_eq!(load_only_job(&app).await.0, "queued");
    // While the first worker waits for the database, its run ends.
    let writing = app.begin().await;
    let lock = match app.backend() {
        DbBackend::Postgres => "LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE",
        _ => "UPDATE jobs SET payload = payload",
    };
    let locked = writing.conn().execute_unprepared(lock).await;
    locked.expect("locks");
    let ends = async {
        desk.open_gate(1);
        tokio::time::sleep(Duration::from_millis(50)).await;
        drop(writing);
    };
    let (turned, ()) = tokio::join!(worker.run_turn(), ends);
    turned.expect("a turn");
    desk.wait_for_runs(3).await;
    worker.run_turn().await.expect("a turn");
    assert_eq!(
        load_only_job(&app).await.0,
        "running",
        "the late outcome ended the third run"
    );
    desk.open_gate(1);
    drain_worker(&mut worker).await;
    assert_eq!(app.count_rows("jobs").await, 0);
}
