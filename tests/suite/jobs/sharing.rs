//! How workers share jobs, and how duplicate jobs are queued.

use futures::future::join_all;
use sea_orm::{ConnectionTrait, DbBackend};
use store::jobs;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_workers_share_the_jobs_and_run_none_twice() {
    const JOBS: usize = 200;
    let (app, here, worker) = service_with_jobs().await;
    let there = Desk::new();
    let (_other, elsewhere) = add_second_instance(&app, &there).await;
    for n in 0..JOBS {
        enqueue(&app, repeatable_job(&n.to_string(), How::Done)).await;
    }
    let (mut one, mut two) = (worker.with_max_running(4), elsewhere.with_max_running(4));
    // Runs one turn of each worker, so that both claim jobs even on a busy machine.
    one.run_turn().await.expect("a turn");
    two.run_turn().await.expect("a turn");
    tokio::join!(drain_worker(&mut one), drain_worker(&mut two));
    let (mut ran, others) = (here.recorded_runs(), there.recorded_runs());
    assert!(ran.len() >= 4 && others.len() >= 4);
    ran.extend(others);
    let mut tags: Vec<_> = ran.into_iter().map(|(tag, _)| tag).collect();
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), JOBS);
    assert_eq!(
        here.recorded_runs().len() + there.recorded_runs().len(),
        JOBS
    );
    assert_eq!(app.count_rows("jobs").await, 0);
}

#[tokio::test]
async fn a_transaction_that_is_rolled_back_leaves_no_job() {
    let (app, desk, mut worker) = service_with_jobs().await;
    let services = &app.app.gateway.services;
    let tx = services.db.begin().await.expect("begins");
    let job = repeatable_job("a", How::Done);
    let enqueued = job.enqueue(&services.queue, &tx.conn(), app.now()).await;
    assert!(enqueued.expect("the job is enqueued"));
    drop(tx);
    drain_worker(&mut worker).await;
    assert_eq!(
        (desk.recorded_runs().len(), app.count_rows("jobs").await),
        (0, 0)
    );
}

#[tokio::test]
async fn a_job_may_be_enqueued_for_later() {
    let (app, desk, mut worker) = service_with_jobs().await;
    let services = &app.app.gateway.services;
    let tx = services.db.begin().await.expect("begins");
    let (job, now) = (repeatable_job("a", How::Done), app.now());
    let queue = &services.queue;
    let enqueued = job.enqueue_at(queue, &tx.conn(), now + MINUTE, now).await;
    assert!(enqueued.expect("the job is enqueued"));
    tx.commit().await.expect("commits");
    let next = worker.run_turn().await.expect("a turn");
    assert_eq!((next, desk.recorded_runs().len()), (Some(now + MINUTE), 0));
    app.advance_clock(MINUTE);
    drain_worker(&mut worker).await;
    assert_eq!(desk.recorded_runs().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_several_concurrent_enqueues_with_one_key_succeeds() {
    let (app, desk, mut worker) = service_with_jobs().await;
    let many = (0..20).map(|n| enqueue(&app, keyed_job(&n.to_string(), How::Done)));
    let enqueued = join_all(many).await;
    assert_eq!(enqueued.into_iter().filter(|one| *one).count(), 1);
    assert_eq!(app.count_rows("jobs").await, 1);
    enqueue(&app, repeatable_job("other", How::Done)).await;
    drain_worker(&mut worker).await;
    assert_eq!(desk.recorded_runs().len(), 2);
}

/// A running job does not see work that is enqueued during its run, so a new job is queued and runs
/// afterwards.
#[tokio::test]
async fn a_job_waits_while_another_with_its_key_runs() {
    let (app, desk, mut worker) = service_with_jobs().await;
    let (other, mut elsewhere) = add_second_instance(&app, &desk).await;
    enqueue(&app, keyed_job("first", How::Wait)).await;
    start_runs(&mut worker, &desk, 1).await;
    assert!(enqueue(&app, keyed_job("second", How::Done)).await);
    assert!(!enqueue(&other, keyed_job("third", How::Done)).await);
    drain_worker(&mut elsewhere).await;
    assert_eq!(desk.recorded_runs().len(), 1);
    // The next turn of the other instance is due when this lease ends.
    let next = elsewhere.run_turn().await.expect("a turn");
    assert_eq!(next, Some(app.now() + MINUTE));
    desk.open_gate(1);
    drain_worker(&mut worker).await;
    assert_eq!(
        desk.recorded_runs(),
        [("first".into(), 1), ("second".into(), 1)]
    );
    assert_eq!(app.count_rows("jobs").await, 0);
}

#[tokio::test]
async fn a_retry_is_dropped_if_another_job_with_its_key_is_queued() {
    let (app, desk, mut worker) = service_with_jobs().await;
    enqueue(&app, keyed_job("first", How::WaitThenRetry)).await;
    start_runs(&mut worker, &desk, 1).await;
    enqueue(&app, keyed_job("second", How::Done)).await;
    desk.open_gate(1);
    drain_worker(&mut worker).await;
    assert_eq!(
        desk.recorded_runs(),
        [("first".into(), 1), ("second".into(), 1)]
    );
    assert_eq!(app.count_rows("jobs").await, 0);
}

/// The worker writes the retry while another transaction, not yet committed, has queued a job with
/// the same key.
#[tokio::test]
async fn a_retry_waits_for_a_transaction_that_queues_a_job_with_its_key() {
    let (app, desk, mut worker) = service_with_jobs().await;
    enqueue(&app, keyed_job("first", How::WaitThenRetry)).await;
    start_runs(&mut worker, &desk, 1).await;
    let services = &app.app.gateway.services;
    let tx = services.db.begin().await.expect("begins");
    let second = keyed_job("second", How::Done);
    let enqueued = second.enqueue(&services.queue, &tx.conn(), app.now()).await;
    assert!(enqueued.expect("the job is enqueued"));
    desk.open_gate(1);
    let committed = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        tx.commit().await.expect("commits");
    };
    tokio::join!(drain_worker(&mut worker), committed);
    assert_eq!(
        desk.recorded_runs(),
        [("first".into(), 1), ("second".into(), 1)]
    );
    assert_eq!(app.count_rows("jobs").await, 0);
}

/// A transaction that queues two keys and a worker that queues them again would wait for each other
/// if they took the keys in different orders. The job with the later key ends first.
#[tokio::test]
async fn a_worker_queues_keys_again_in_their_order() {
    let (app, desk, mut worker) = service_with_jobs().await;
    let keyed = |key: &str, how| Repeatable {
        key: Some(key.into()),
        ..repeatable_job(key, how)
    };
    for (runs, key) in [(1, "b"), (2, "a")] {
        enqueue(&app, keyed(key, How::WaitThenRetry)).await;
        start_runs(&mut worker, &desk, runs).await;
    }
    let services = &app.app.gateway.services;
    let tx = services.db.begin().await.expect("begins");
    let queue = async |tx: &store::Tx, key: &str| {
        let job = keyed(key, How::Done);
        let queued = job.enqueue(&services.queue, &tx.conn(), app.now()).await;
        assert!(queued.expect("no deadlock"), "{key}");
    };
    queue(&tx, "a").await;
    desk.open_gate(2);
    // Both runs have ended when the worker writes.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let committed = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        queue(&tx, "b").await;
        tx.commit().await.expect("commits");
    };
    tokio::join!(drain_worker(&mut worker), committed);
    assert_eq!(desk.recorded_runs().len(), 4);
    assert_eq!(app.count_rows("jobs").await, 0);
}

#[tokio::test]
async fn a_worker_limits_concurrent_runs() {
    let (app, desk, worker) = service_with_jobs().await;
    for n in 0..5 {
        enqueue(&app, repeatable_job(&n.to_string(), How::Wait)).await;
    }
    let mut worker = worker.with_max_running(2);
    start_runs(&mut worker, &desk, 2).await;
    worker.run_turn().await.expect("a turn");
    assert_eq!(app.count_rows("jobs WHERE state = 'running'").await, 2);
    assert_eq!(desk.recorded_runs().len(), 2);
    desk.open_gate(5);
    drain_worker(&mut worker).await;
    assert_eq!(
        (desk.recorded_runs().len(), app.count_rows("jobs").await),
        (5, 0)
    );
}

#[tokio::test]
async fn all_instances_share_one_row_of_a_recurring_job() {
    let desk = Desk::new();
    let app = TestApp::new().await.with_part(desk.clone());
    let other = app.second_instance().await.with_part(desk.clone());
    let ticks = [JobEntry::for_job::<Tick>()];
    let mut one = Worker::new(app.app.gateway.clone(), &ticks);
    let mut two = Worker::new(other.app.gateway.clone(), &ticks);
    tokio::join!(drain_worker(&mut one), drain_worker(&mut two));
    assert_eq!(desk.recorded_runs().len(), 1);
    // A permanent failure deletes neither the row nor the schedule.
    *desk.0.ticks.lock().expect("no panic") = JobOutcome::Failed(Code::INTERNAL);
    for turns in 2..5 {
        app.advance_clock(60 * MINUTE);
        tokio::join!(drain_worker(&mut one), drain_worker(&mut two));
        assert_eq!(desk.recorded_runs().len(), turns);
        let (state, attempts, code, due) = load_only_job(&app).await;
        assert_eq!(
            (state.as_str(), attempts, due),
            ("queued", 0, Some(60 * MINUTE))
        );
        assert_eq!(code.as_deref(), Some("INTERNAL"));
    }
}

#[tokio::test]
async fn jobs_of_a_limited_kind_leave_room_for_others() {
    let (app, desk, mut worker) = service_with_jobs().await;
    for tag in ["a", "b", "c", "d", "e", "f"] {
        enqueue(&app, at_most_once_job(tag, How::Wait)).await;
    }
    start_runs(&mut worker, &desk, 4).await;
    enqueue(&app, repeatable_job("other", How::Wait)).await;
    start_runs(&mut worker, &desk, 5).await;
    let tags: Vec<String> = desk
        .recorded_runs()
        .into_iter()
        .map(|(tag, _)| tag)
        .collect();
    assert!(tags.contains(&"other".into()), "{tags:?}");
    let next = worker.run_turn().await.expect("a turn").expect("a renewal");
    assert!(
        next > app.now(),
        "jobs that have no room must not wake the worker"
    );
    desk.open_gate(7);
    drain_worker(&mut worker).await;
    assert_eq!(desk.recorded_runs().len(), 7);
}

/// Each of two transactions has claimed one reader of the outbox and brings both readers forward.
/// Neither transaction waits for the other.
#[tokio::test]
async fn on_postgres_workers_do_not_wait_for_each_other_s_readers() {
    let (app, _, _worker) = service_with_jobs().await;
    if app.backend() != DbBackend::Postgres {
        return;
    }
    app.app.worker().run_turn().await.expect("a turn");
    let readers = ["make_notifications", "queue_webhook_messages"];
    let (first, second) = (app.begin().await, app.begin().await);
    for (tx, name) in [(&first, readers[0]), (&second, readers[1])] {
        let claim = format!("UPDATE jobs SET fence = fence WHERE name = '{name}'");
        let claimed = tx.conn().execute_unprepared(&claim).await;
        assert_eq!(claimed.expect("a claim").rows_affected(), 1);
    }
    for tx in [&first, &second] {
        let db = tx.conn();
        let bring = jobs::bring_forward(&db, &readers, app.now());
        assert!(!bring.await.expect("no wait"), "the other one is claimed");
    }
}
