//! Merging, storms, and that each change is told once.

use domain::time::MINUTE;
use serde_json::json;

use super::{CAIO, DAVI, Fixture, list, of_kind};

/// Reassigns a piece to Caio and Davi alternately, so that Davi is told again.
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
    team.tell().await;
    let told = list(&team.davi).await;
    assert_eq!((told.len(), &told[0]["vezes"]), (1, &json!(2)));
    // Another run adds to it.
    assign_again(&team, &id, 4).await;
    team.tell().await;
    let told = list(&team.davi).await;
    assert_eq!((told.len(), &told[0]["vezes"]), (1, &json!(3)));
    // A notification that was read stays as it is.
    let read = json!({ "ids": [told[0]["id"]] });
    team.davi
        .post("/api/notificacoes/lidas", read)
        .await
        .expect(200);
    assign_again(&team, &id, 6).await;
    team.tell().await;
    let told = list(&team.davi).await;
    assert_eq!((told.len(), &told[0]["vezes"]), (2, &json!(1)));
    // Ten minutes later, a change is told anew.
    team.app.advance_clock(10 * MINUTE);
    assign_again(&team, &id, 8).await;
    team.tell().await;
    assert_eq!(list(&team.davi).await.len(), 3);
}

#[tokio::test]
async fn a_storm_becomes_a_summary_for_each_person() {
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
    team.tell().await;
    assert_eq!(team.app.count_rows("outbox").await, 400);
    let caio = list(&team.caio).await;
    assert_eq!((caio.len(), &caio[0]["vezes"]), (1, &json!(320)));
    assert_eq!(caio[0]["texto"], "320 atribuições de peças a você.");
    assert_eq!(caio[0]["event_id"], json!(null));
    let davi = list(&team.davi).await;
    assert_eq!((davi.len(), &davi[0]["vezes"]), (1, &json!(80)));
    // A piece that is decided meanwhile is another kind, and is told by itself.
    team.submit("Feira").await;
    team.tell().await;
    assert_eq!(of_kind(&team.ana, "decisao").await.len(), 1);
    assert_eq!(list(&team.caio).await[0]["vezes"], 321);
}

#[tokio::test]
async fn rows_that_are_read_again_are_not_told_again() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    team.reassign(&id, 1, &[CAIO, DAVI]).await;
    team.tell().await;
    let before = team.app.table_texts("notifications", &[]).await;
    assert_eq!(before.len(), 2);
    // As if the process had ended before it stored how far it had read.
    let reset = "UPDATE outbox_progress SET position = 0 WHERE reader = 'notifications'";
    for _ in 0..2 {
        team.app.execute_statement(reset, []).await;
        team.app.advance_clock(MINUTE);
        team.tell().await;
        assert_eq!(team.app.table_texts("notifications", &[]).await, before);
    }
}

#[tokio::test]
async fn a_batch_that_fails_in_the_middle_is_told_whole_later() {
    let team = Fixture::new().await;
    team.assign("Feira").await;
    team.assign("Missa").await;
    // The position cannot be stored, after the notifications were inserted.
    let lose = "UPDATE outbox_progress SET reader = 'lost' WHERE reader = 'notifications'";
    let find = "UPDATE outbox_progress SET reader = 'notifications' WHERE reader = 'lost'";
    team.app.execute_statement(lose, []).await;
    team.tell().await;
    assert_eq!(team.app.count_rows("notifications").await, 0);
    team.app.execute_statement(find, []).await;
    team.app.advance_clock(MINUTE);
    team.tell().await;
    assert_eq!(list(&team.caio).await.len(), 2);
}

#[tokio::test]
async fn two_instances_tell_each_change_once() {
    let team = Fixture::new().await;
    let other = team.app.second_instance().await;
    let mut ids = vec![];
    for number in 0..12 {
        team.app.advance_clock(1);
        ids.push(team.assign(&format!("Peça {number}")).await);
    }
    // Both run the job at the same time, without its lease between them.
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
    team.tell().await;
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
    team.tell().await;
    let copy = "INSERT INTO notifications (id, member_id, kind, subject, auth_method, details,
            changes, begun_at, occurred_at, first_position, last_position)
        SELECT 'x', member_id, kind, subject, auth_method, details, changes, begun_at,
            occurred_at, first_position, last_position FROM notifications
        ON CONFLICT (member_id, kind, subject, first_position) DO NOTHING";
    let copy = copy.replace("FROM notifications", "FROM notifications WHERE TRUE");
    team.app.execute_statement(&copy, []).await;
    assert_eq!(team.app.count_rows("notifications").await, 1);
}
