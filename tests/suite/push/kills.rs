//! A process that is killed while it sends a message, and copies of the database.

use std::sync::Arc;

use domain::time::{DAY, MINUTE};

use super::{DEVICES, Fixture, service::Manner, settings};
use crate::support::back_up;

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_a_killed_process_was_sending_is_never_sent_again() {
    let (team, _) = Fixture::with_device().await;
    team.assign("Feira").await;
    team.push.behave(Manner::Hanging);
    team.run_due_jobs().await;
    team.app.advance_clock(super::SOON);
    let team = Arc::new(team);
    let fixture = team.clone();
    let killed = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = { runtime }.worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        // The shutdown of this runtime aborts the other instance like a killed process.
        runtime.block_on(async {
            let other = fixture.app.second_instance_with(settings(&fixture.push));
            let other = other.await;
            let mut worker = other.app.worker();
            tokio::select! {
                drained = worker.drain() => drained.expect("jobs"),
                () = fixture.push.wait_for(1) => {}
            }
        });
        runtime.shutdown_background();
    });
    killed.await.expect("no panic");
    assert_eq!(team.message_states().await, ["enviando"]);
    assert_eq!(team.push.take().len(), 1);
    team.push.answer(201);
    // The state stays unchanged while another process may still be sending the message.
    team.app.advance_clock(2 * MINUTE);
    team.run_due_jobs().await;
    assert_eq!(team.message_states().await, ["enviando"]);
    for _ in 0..3 {
        team.app.advance_clock(DAY);
        team.run_due_jobs().await;
    }
    assert_eq!(team.message_states().await, ["incerto"]);
    assert_eq!(team.push.take().len(), 0);
    // Later messages are sent normally.
    team.assign("Missa").await;
    team.make_and_send_notifications().await;
    assert_eq!(team.push.take().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_has_the_devices_and_sends_no_waiting_messages() {
    if std::env::var("PAUTA_TEST_DATABASE_URL").is_ok() {
        // `pauta backup` copies the embedded database only.
        return;
    }
    let (team, _) = Fixture::with_device().await;
    team.push.answer(503);
    team.assign("Feira").await;
    team.make_and_send_notifications().await;
    assert_eq!(team.message_states().await, ["pendente"]);
    let backup = back_up(&team.app);
    let copy = backup.open().await;
    let db = copy.reader();
    let next = store::push::find_next_due(&db).await.expect("reads");
    assert_eq!(next, None);
    let devices = store::push::list_devices(&db, &team.caio().id).await;
    assert_eq!(devices.expect("reads").len(), 1);
    let key = store::secrets::find_sealed(&db, "vapid key", "1").await;
    assert!(key.expect("reads").is_some());
}

#[tokio::test]
async fn all_instances_have_the_same_vapid_key() {
    let team = Fixture::new().await;
    let other = team.app.second_instance().await;
    let key = async |client: crate::support::Client| {
        client.get(DEVICES).await.expect(200).body["chave"].clone()
    };
    let there = team.caio.at_instance(&other);
    let (one, two) = tokio::join!(key(team.caio.clone()), key(there));
    assert_eq!(one, two);
    let keys = team
        .app
        .count_rows("secrets WHERE purpose = 'vapid key'")
        .await;
    assert_eq!(keys, 1);
}
