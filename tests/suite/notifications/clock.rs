//! A clock that is set back or forward.

use domain::time::{DAY, HOUR};
use serde_json::json;

use super::{CAIO, Fixture, list};

#[tokio::test]
async fn a_change_causes_a_notification_within_seconds_after_the_clock_was_set_back() {
    let team = Fixture::new().await;
    team.assign("Feira").await;
    team.run_outbox_readers().await;
    assert_eq!(list(&team.caio).await.len(), 1);
    team.app.advance_clock(-HOUR);
    // The clock is before the start of the existing sessions, so this client signs in again.
    let admin = team.app.session_client(&team.members[0]).await;
    let caio = team.app.session_client(&team.members[CAIO]).await;
    for (told, title) in [(2, "Missa"), (3, "Bingo")] {
        let input = json!({ "title": title, "assignee_id": team.id(CAIO) });
        admin.create_demand(input).await;
        team.run_outbox_readers().await;
        assert_eq!(list(&caio).await.len(), told);
    }
}

#[tokio::test]
async fn recurring_jobs_run_within_their_interval_after_the_clock_was_set_back() {
    let team = Fixture::new().await;
    team.run_outbox_readers().await;
    team.app.advance_clock(-DAY);
    team.app.app.worker().drain().await.expect("jobs");
    let late = format!("jobs WHERE id = name AND due_at > {}", team.app.now() + DAY);
    assert_eq!(team.app.count_rows(&late).await, 0);
    let soon = format!(
        "jobs WHERE id = 'make_notifications' AND due_at <= {}",
        team.app.now() + 60_000
    );
    assert_eq!(team.app.count_rows(&soon).await, 1);
}

#[tokio::test]
async fn after_jumps_of_the_clock_each_change_has_one_notification() {
    let team = Fixture::new().await;
    for (number, jump) in [HOUR, -HOUR, 40 * DAY, -40 * DAY, -HOUR, 2 * HOUR]
        .into_iter()
        .enumerate()
    {
        team.app.advance_clock(jump);
        // The jumps of the clock end the sessions, so this client signs in again.
        let admin = team.app.session_client(&team.members[0]).await;
        let input = json!({ "title": format!("Peça {number}"), "assignee_id": team.id(CAIO) });
        admin.create_demand(input).await;
        team.run_outbox_readers().await;
    }
    let caio = team.app.session_client(&team.members[CAIO]).await;
    let told = list(&caio).await;
    assert_eq!(told.len(), 6, "{told:?}");
    assert!(told.iter().all(|one| one["vezes"] == 1));
}
