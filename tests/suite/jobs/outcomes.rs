//! The outcomes of job runs: retry, failure, panic, timeout.

use super::*;
use crate::support::{Log, log_to};

const SECOND: i64 = 1_000;

#[tokio::test]
async fn a_job_is_retried_after_growing_waits_and_fails_eventually() {
    let (app, desk, mut worker) = service_with_jobs().await;
    enqueue(&app, repeatable_job("a", How::Retry)).await;
    for (attempt, longest) in [(1, 10 * SECOND), (2, 20 * SECOND)] {
        drain_worker(&mut worker).await;
        let (state, attempts, code, due) = load_only_job(&app).await;
        assert_eq!((state.as_str(), attempts), ("queued", attempt));
        assert_eq!(code.as_deref(), Some("PROVIDER_FAILED"));
        let due = due.expect("an instant");
        assert!(due >= longest / 2 && due <= longest, "{due}");
        app.advance_clock(due - 1);
        drain_worker(&mut worker).await;
        assert_eq!(
            desk.recorded_runs().len(),
            usize::try_from(attempt).expect("a small number")
        );
        app.advance_clock(1);
    }
    drain_worker(&mut worker).await;
    let failed = ("failed".into(), 3, Some("PROVIDER_FAILED".into()), None);
    assert_eq!(load_only_job(&app).await, failed);
    app.advance_clock(29 * DAY);
    let mut builtin = app.app.worker();
    drain_worker(&mut builtin).await;
    assert_eq!(app.count_rows("jobs WHERE state = 'failed'").await, 1);
    assert_eq!(desk.recorded_runs().len(), 3);
    app.advance_clock(DAY);
    drain_worker(&mut builtin).await;
    assert_eq!(app.count_rows("jobs WHERE state = 'failed'").await, 0);
}

#[tokio::test]
async fn a_retry_waits_as_long_as_the_provider_asks() {
    let (app, desk, mut worker) = service_with_jobs().await;
    enqueue(
        &app,
        repeatable_job("a", How::RetryAt(app.now() + 60 * MINUTE)),
    )
    .await;
    drain_worker(&mut worker).await;
    let (state, _, code, due) = load_only_job(&app).await;
    assert_eq!((state.as_str(), due), ("queued", Some(60 * MINUTE)));
    assert_eq!(code.as_deref(), Some("RATE_LIMITED"));
    assert_eq!(desk.recorded_runs().len(), 1);
}

#[tokio::test]
async fn failed_and_unknown_jobs_are_not_run_again() {
    for (how, state, code) in [
        (How::Fail, "failed", "PROVIDER_NOT_CONFIGURED"),
        (How::Unknown, "unknown", "PROVIDER_TIMEOUT"),
    ] {
        let (app, desk, mut worker) = service_with_jobs().await;
        enqueue(&app, repeatable_job("a", how)).await;
        drain_worker(&mut worker).await;
        app.advance_clock(DAY);
        drain_worker(&mut worker).await;
        let over = (state.into(), 1, Some(code.into()), None);
        assert_eq!(
            (load_only_job(&app).await, desk.recorded_runs().len()),
            (over, 1)
        );
    }
}

#[tokio::test]
async fn a_panic_fails_only_its_own_run() {
    let (app, desk, mut worker) = service_with_jobs().await;
    enqueue(&app, repeatable_job("a", How::Panic)).await;
    enqueue(&app, repeatable_job("b", How::Done)).await;
    drain_worker(&mut worker).await;
    assert_eq!(desk.recorded_runs().len(), 2);
    let (state, attempts, code, _) = load_only_job(&app).await;
    assert_eq!((state.as_str(), attempts), ("queued", 1));
    assert_eq!(code.as_deref(), Some("INTERNAL"));
}

#[tokio::test]
async fn a_panic_of_an_at_most_once_job_is_an_unknown_outcome() {
    let (app, _, mut worker) = service_with_jobs().await;
    enqueue(&app, at_most_once_job("a", How::Panic)).await;
    drain_worker(&mut worker).await;
    let unknown = ("unknown".into(), 1, Some("OUTCOME_UNKNOWN".into()), None);
    assert_eq!(load_only_job(&app).await, unknown);
}

#[tokio::test]
async fn a_run_over_its_timeout_is_aborted() {
    let (app, ..) = service_with_jobs().await;
    let slow = [
        JobEntry::for_job::<Slow<false>>(),
        JobEntry::for_job::<Slow<true>>(),
    ];
    let mut worker = Worker::new(app.app.gateway.clone(), &slow);
    enqueue(&app, Slow::<false>).await;
    enqueue(&app, Slow::<true>).await;
    drain_worker(&mut worker).await;
    for ended in [
        "name = 'slow' AND state = 'queued' AND error_code = 'INTERNAL'",
        "name = 'slow_once' AND state = 'unknown' AND error_code = 'OUTCOME_UNKNOWN'",
    ] {
        assert_eq!(
            app.count_rows(&format!("jobs WHERE {ended}")).await,
            1,
            "{ended}"
        );
    }
}

#[tokio::test]
async fn a_payload_that_cannot_be_read_is_left_to_another_version() {
    let (app, desk, mut worker) = service_with_jobs().await;
    enqueue(&app, repeatable_job("a", How::Done)).await;
    app.execute_statement("UPDATE jobs SET payload = '{}'", [])
        .await;
    drain_worker(&mut worker).await;
    let (state, attempts, code, _) = load_only_job(&app).await;
    assert_eq!((state.as_str(), attempts), ("queued", 1));
    assert_eq!(code.as_deref(), Some("INTERNAL"));
    assert!(desk.recorded_runs().is_empty());
}

/// A worker of an older version does not claim jobs whose name it does not know.
#[tokio::test]
async fn a_job_with_an_unknown_name_is_not_claimed() {
    let (app, _, mut worker) = service_with_jobs().await;
    enqueue(&app, Slow::<false>).await;
    assert_eq!(worker.run_turn().await.expect("a turn"), None);
    drain_worker(&mut worker).await;
    assert_eq!(load_only_job(&app).await.0, "queued");
}

#[tokio::test]
async fn runs_are_counted_and_every_log_line_names_its_run() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).finish();
    let _logging = log_to(subscriber);
    let (app, _, mut worker) = service_with_jobs().await;
    enqueue(&app, repeatable_job("sigilo", How::Done)).await;
    enqueue(&app, repeatable_job("sigilo", How::Fail)).await;
    enqueue(&app, at_most_once_job("sigilo", How::Unknown)).await;
    drain_worker(&mut worker).await;
    let metrics = app.app.gateway.render_metrics().await;
    for line in [
        r#"pauta_job_runs_total{job="act",outcome="done"} 1"#,
        r#"pauta_job_runs_total{job="act",outcome="failed"} 1"#,
        r#"pauta_job_runs_total{job="act_once",outcome="unknown"} 1"#,
        r#"pauta_job_seconds_count{job="act"} 2"#,
        r#"pauta_jobs_running{job="act"} 0"#,
        r#"pauta_jobs{job="act",state="failed"} 1"#,
        r#"pauta_jobs{job="act_once",state="unknown"} 1"#,
    ] {
        assert!(metrics.contains(line), "{line} is not in {metrics}");
    }
    let logged = log.captured_text();
    let line = logged.lines().find(|line| line.contains("at work"));
    let line = line.expect("a line of the job");
    assert!(line.contains("act") && line.contains("attempt"), "{line}");
    assert!(!logged.contains("sigilo"), "{logged}");
}

#[tokio::test]
async fn a_failed_count_keeps_the_last_values_of_the_gauges_and_is_logged() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(log.clone())
        .finish();
    let _logging = log_to(subscriber);
    let (app, ..) = service_with_jobs().await;
    enqueue(&app, repeatable_job("sigilo", How::Done)).await;
    let counted = r#"pauta_jobs{job="act",state="queued"} 1"#;
    assert!(app.app.gateway.render_metrics().await.contains(counted));
    assert!(!log.captured_text().contains("kind="));
    app.execute_statement("ALTER TABLE jobs RENAME TO away", [])
        .await;
    app.execute_statement("ALTER TABLE publications RENAME TO gone", [])
        .await;
    assert!(app.app.gateway.render_metrics().await.contains(counted));
    let logged = log.captured_text();
    for kind in ["jobs", "publications"] {
        let line = logged
            .lines()
            .find(|line| line.contains(&format!("kind=\"{kind}\"")));
        assert!(
            line.is_some_and(|line| line.contains("WARN")),
            "{kind}: {logged}"
        );
    }
}
