//! Merged notifications, summaries of many changes, and exactly one notification of each change.

use domain::time::MINUTE;
use serde_json::json;

use super::{CAIO, DAVI, Fixture, list, list_texts};

/// Takes the piece from Davi and assigns it to him again, so that he is notified again.
async fn assign_again(team: &Fixture, id: &str, revision: i64) {
    team.reassign(id, revision, &[CAIO]).await;
    team.reassign(id, revision + 1, &[CAIO, DAVI]).await;
}

#[tokio::test]
async fn changes_of_one_piece_within_ten_minutes_become_one_notification() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    team.reassign(&id, 1, &[CAIO, DAVI]).await;
    assign_again(&team, &id, 2).await;
    team.run_outbox_readers().await;
    let told = list(&team.davi).await;
    assert_eq!((told.len(), &told[0]["vezes"]), (1, &json!(2)));
    // A later run of the job adds its change to the same notification.
    assign_again(&team, &id, 4).await;
    team.run_outbox_readers().await;
    let told = list(&team.davi).await;
    assert_eq!((told.len(), &told[0]["vezes"]), (1, &json!(3)));
    // A later change does not alter a notification that was read; it makes a new one.
    let read = json!({ "ids": [told[0]["id"]] });
    team.davi
        .post("/api/notificacoes/lidas", read)
        .await
        .expect(200);
    assign_again(&team, &id, 6).await;
    team.run_outbox_readers().await;
    let told = list(&team.davi).await;
    assert_eq!((told.len(), &told[0]["vezes"]), (2, &json!(1)));
    // A change ten minutes later makes a new notification.
    team.app.advance_clock(10 * MINUTE);
    assign_again(&team, &id, 8).await;
    team.run_outbox_readers().await;
    assert_eq!(list(&team.davi).await.len(), 3);
}

#[tokio::test]
async fn many_changes_become_one_summary_for_each_person() {
    let team = Fixture::new().await;
    for _ in 0..8 {
        let demands: Vec<_> = (0..50)
            .map(|number| {
                let person = if number % 5 == 0 { DAVI } else { CAIO };
                json!({ "title": format!("Peça {number}"), "assignee_id": team.id(person) })
            })
            .collect();
        let input = json!({ "demandas": demands });
        team.admin.post("/api/demandas", input).await.expect(200);
    }
    team.run_outbox_readers().await;
    assert_eq!(team.app.count_rows("outbox").await, 400);
    let caio = list(&team.caio).await;
    assert_eq!((caio.len(), &caio[0]["vezes"]), (1, &json!(320)));
    assert_eq!(caio[0]["texto"], "320 atribuições de peças a você.");
    assert_eq!(caio[0]["event_id"], json!(null));
    let davi = list(&team.davi).await;
    assert_eq!((davi.len(), &davi[0]["vezes"]), (1, &json!(80)));
    // A submitted piece makes a notification of another kind, which is not part of the summary.
    team.submit("Feira").await;
    team.run_outbox_readers().await;
    assert_eq!(list_texts(&team.ana, "decisao").await.len(), 1);
    assert_eq!(list(&team.caio).await[0]["vezes"], 321);
}

#[tokio::test]
async fn outbox_rows_that_are_read_again_cause_no_second_notification() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    team.reassign(&id, 1, &[CAIO, DAVI]).await;
    team.run_outbox_readers().await;
    let before = team.app.table_texts("notifications", &[]).await;
    assert_eq!(before.len(), 2);
    // Resets the position, as if the process had died before it stored the position up to which it had
    // read.
    let reset = "UPDATE outbox_progress SET position = 0 WHERE reader = 'notifications'";
    for _ in 0..2 {
        team.app.execute_statement(reset, []).await;
        team.app.advance_clock(MINUTE);
        team.run_outbox_readers().await;
        assert_eq!(team.app.table_texts("notifications", &[]).await, before);
    }
}

#[tokio::test]
async fn a_batch_that_fails_in_the_middle_is_repeated_as_a_whole() {
    let team = Fixture::new().await;
    team.assign("Feira").await;
    team.assign("Missa").await;
    // Renames the row of the reader, so that storing the position fails after the notifications were
    // inserted.
    let lose = "UPDATE outbox_progress SET reader = 'lost' WHERE reader = 'notifications'";
    let find = "UPDATE outbox_progress SET reader = 'notifications' WHERE reader = 'lost'";
    team.app.execute_statement(lose, []).await;
    team.run_outbox_readers().await;
    assert_eq!(team.app.count_rows("notifications").await, 0);
    team.app.execute_statement(find, []).await;
    team.app.advance_clock(MINUTE);
    team.run_outbox_readers().await;
    assert_eq!(list(&team.caio).await.len(), 2);
}

#[tokio::test]
async fn two_instances_notify_of_each_change_once() {
    let team = Fixture::new().await;
    let other = team.app.second_instance().await;
    let mut ids = vec![];
    for number in 0..12 {
        team.app.advance_clock(1);
        ids.push(team.assign(&format!("Peça {number}")).await);
    }
    // Both instances run their workers at the same time.
    for round in 0..3 {
        team.app.advance_clock(MINUTE);
        other.advance_clock(0);
        let (mut one, mut two) = (team.app.app.worker(), other.app.worker());
        let (first, second) = tokio::join!(one.drain(), two.drain());
        first.expect("jobs");
        second.expect("jobs");
        if round == 0 {
            team.assign("Mais uma").await;
        }
    }
    team.run_outbox_readers().await;
    let told = list(&team.caio).await;
    assert_eq!(told.len(), 13);
    assert!(told.iter().all(|one| one["vezes"] == 1));
    let positions = "(SELECT DISTINCT position FROM outbox WHERE position IS NOT NULL) p";
    assert_eq!(team.app.count_rows(positions).await, 13);
}

#[tokio::test]
async fn the_database_refuses_a_second_notification_of_the_same_change() {
    let team = Fixture::new().await;
    team.assign("Feira").await;
    team.run_outbox_readers().await;
    let copy = "INSERT INTO notifications (id, member_id, kind, subject, auth_method, details,
            changes, begun_at, occurred_at, first_position, last_position)
        SELECT 'x', member_id, kind, subject, auth_method, details, changes, begun_at,
            occurred_at, first_position, last_position FROM notifications
        ON CONFLICT (member_id, kind, subject, first_position) DO NOTHING";
    let copy = copy.replace("FROM notifications", "FROM notifications WHERE TRUE");
    team.app.execute_statement(&copy, []).await;
    assert_eq!(team.app.count_rows("notifications").await, 1);
}
