//! A process that is killed while it sends an e-mail.

use std::{collections::HashSet, sync::Arc};

use domain::time::{DAY, MINUTE};

use super::{Fixture, Manner, settings};
use crate::support::{Settings, count_from};

/// The steps of an SMTP session at which the process is killed: from the greeting to the text.
const STEPS: [Manner; 6] = [
    Manner::Hanging(0),
    Manner::Hanging(1),
    Manner::Hanging(2),
    Manner::Hanging(3),
    Manner::Hanging(4),
    Manner::HangingAfterText,
];

/// Runs a second instance until it waits for the server at this step. Then drops the runtime of the
/// instance, so that all its work ends at once, as in a killed process.
async fn kill_at(team: &Arc<Fixture>, step: usize) {
    team.smtp.forget_steps();
    let fixture = team.clone();
    let killed = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = { runtime }.worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        runtime.block_on(async {
            let settings = settings_with_patience(&fixture);
            let other = fixture.app.second_instance_with(settings).await;
            let mut worker = other.app.worker();
            tokio::select! {
                drained = worker.drain() => drained.expect("jobs"),
                () = fixture.smtp.wait_for_step(step) => {}
            }
        });
        runtime.shutdown_background();
    });
    killed.await.expect("no panic");
}

fn settings_with_patience(team: &Fixture) -> Settings {
    let mut settings = settings(&team.smtp);
    settings[2].1 = "120".to_owned();
    settings
}

#[tokio::test(flavor = "multi_thread")]
async fn an_email_that_a_killed_process_was_sending_is_never_sent_again() {
    for (step, manner) in STEPS.into_iter().enumerate() {
        let team = Arc::new(Fixture::new().await);
        team.queue().await;
        team.smtp.behave(manner);
        kill_at(&team, step).await;
        assert_eq!(team.states().await, ["enviando"], "{manner:?}");
        team.smtp.behave(Manner::Accepting);
        // The e-mail keeps its state as long as a living process could still be sending it.
        team.app.advance_clock(2 * MINUTE);
        team.run_due_jobs().await;
        assert_eq!(team.states().await, ["enviando"], "{manner:?}");
        for _ in 0..4 {
            team.app.advance_clock(DAY);
            team.run_due_jobs().await;
        }
        assert_eq!(team.states().await, ["incerto"], "{manner:?}");
        assert!(team.smtp.take().len() <= 1, "{manner:?}");
        // Later e-mails are sent as usual.
        team.queue().await;
        team.run_due_jobs().await;
        assert_eq!(team.smtp.take().len(), 1, "{manner:?}");
    }
}

/// Kills a process as many times as `PAUTA_TEST_KILLS` says, or 12 times.
#[tokio::test(flavor = "multi_thread")]
async fn no_email_is_sent_twice_however_often_processes_are_killed() {
    let team = Arc::new(Fixture::new().await);
    let (mut sent, mut queued) = (vec![], 0);
    for round in 0..count_from("PAUTA_TEST_KILLS", 12) {
        for _ in 0..6 {
            team.queue().await;
            queued += 1;
        }
        kill_at(&team, round % 6).await;
        // Another worker takes over the job of the killed process, and gives up the e-mail that the
        // process was sending.
        for _ in 0..2 {
            team.app.advance_clock(6 * MINUTE);
            team.run_due_jobs().await;
        }
        sent.extend(team.smtp.take());
    }
    let ids: HashSet<String> = sent.iter().map(|one| one.header("Message-ID")).collect();
    assert_eq!(ids.len(), sent.len(), "an e-mail was sent twice");
    let states = team.states().await;
    let count = |state: &str| states.iter().filter(|one| *one == state).count();
    // Each e-mail was sent (`enviado`), or its outcome is unknown (`incerto`). An e-mail with an
    // unknown outcome may have been sent.
    assert_eq!(count("enviado") + count("incerto"), queued, "{states:?}");
    assert!(
        count("enviado") <= sent.len() && count("enviado") > 0,
        "{states:?}"
    );
}
