//! The outbox: which writes have rows, in which order readers see them, and how long they stay.

use domain::time::DAY;
use serde_json::json;
use tools::AREAS;

use super::{CAIO, Fixture};
use store::outbox;

/// Every write operation declares in its spec which changes it announces: `.announces(&[…])` or
/// `.announces_nothing()`. An area can also declare `.announces_nothing()` for all of its operations.
#[test]
fn every_write_operation_declares_its_announcements() {
    let areas = AREAS.iter().flat_map(|area| {
        let entries = area.operations.iter().chain(area.pages);
        entries.map(|entry| (area.announces_nothing, &entry.spec))
    });
    let silent: Vec<&str> = areas
        .filter(|(by_area, spec)| spec.is_write() && !by_area && spec.announces.is_none())
        .map(|(_, spec)| spec.name)
        .collect();
    assert_eq!(silent, Vec::<&str>::new());
}

#[tokio::test]
async fn a_write_without_announcements_has_no_outbox_row() {
    let team = Fixture::new().await;
    let id = team.ana.create_demand(json!({ "title": "Feira" })).await;
    let rows = team.app.count_rows("outbox").await;
    assert_eq!(rows, 1, "a piece without people is told to programs");
    let remark = json!({ "texto": "Olhe" });
    let path = format!("/api/eventos/{id}/comentarios");
    team.ana.post(&path, remark).await.expect(200);
    assert_eq!(team.app.count_rows("outbox").await, rows);
}

#[tokio::test]
async fn an_outbox_row_has_ids_and_no_text_written_by_people() {
    let team = Fixture::new().await;
    let agent = team.app.token_client(&team.members[super::ANA]).await;
    let input = json!({ "title": "Um segredo", "assignee_id": team.id(CAIO) });
    let id = agent.create_demand(input).await;
    let tx = team.app.begin().await;
    outbox::assign_positions(&tx.conn(), 10)
        .await
        .expect("positions");
    let rows = outbox::list_after(&tx.conn(), 0, 10).await.expect("rows");
    tx.commit().await.expect("commits");
    let row = &rows[0];
    assert_eq!(row.kind, "piece_created");
    assert_eq!(
        (row.resource_kind.as_str(), &row.resource_id),
        ("event", &id)
    );
    assert_eq!(row.revision.map(domain::Revision::get), Some(1));
    assert_eq!(row.actor_id.as_ref(), Some(&team.members[super::ANA].id));
    assert_eq!(row.auth_method, "personal_token");
    assert!(row.credential_id.is_some());
    assert_eq!(row.occurred_at, team.app.now());
    assert_eq!(
        serde_json::Value::from(row.facts.clone()),
        json!({ "assignees": [team.id(CAIO)] })
    );
    assert!(
        !team
            .app
            .table_texts("outbox", &[])
            .await
            .concat()
            .contains("segredo")
    );
}

#[tokio::test]
async fn a_refused_or_repeated_call_adds_no_outbox_row() {
    let team = Fixture::new().await;
    let keyed = team.admin.with_idempotency_key("uma-chave-de-teste");
    let input = json!({ "title": "Feira", "assignee_id": team.id(CAIO) });
    for _ in 0..2 {
        keyed.post("/api/demanda", input.clone()).await.expect(200);
    }
    assert_eq!(team.app.count_rows("outbox").await, 1);
    let unknown = json!({ "title": "x", "assignee_id": "0198c0de-0000-7000-8000-000000000000" });
    team.admin.post("/api/demanda", unknown).await.expect(404);
    assert_eq!(team.app.count_rows("outbox").await, 1);
}

/// On PostgreSQL, the transaction that inserts its row first may commit last. The row gets its position
/// after the commit, so a reader that has already read the row of the other transaction does not miss
/// it.
#[tokio::test]
async fn a_row_that_commits_late_is_read_after_the_rows_that_committed_before() {
    let team = Fixture::new().await;
    if team.app.backend() != sea_orm::DbBackend::Postgres {
        return;
    }
    let entry = |id| outbox::NewEntry {
        occurred_at: 1,
        kind: "piece_created",
        resource_kind: "event",
        resource_id: id,
        revision: None,
        project_id: None,
        actor_id: None,
        credential_id: None,
        auth_method: "system",
        facts: serde_json::Map::new(),
    };
    let late = team.app.begin().await;
    outbox::insert(&late.conn(), entry("first"))
        .await
        .expect("inserts");
    // The connection sends the insert together with its next statement, so this query makes it happen
    // now.
    outbox::has_unordered(&late.conn()).await.expect("reads");
    let early = team.app.begin().await;
    outbox::insert(&early.conn(), entry("second"))
        .await
        .expect("inserts");
    early.commit().await.expect("commits");
    let read = async |after| {
        let tx = team.app.begin().await;
        outbox::assign_positions(&tx.conn(), 10)
            .await
            .expect("positions");
        let rows = outbox::list_after(&tx.conn(), after, 10)
            .await
            .expect("rows");
        tx.commit().await.expect("commits");
        let rows = rows.into_iter().map(|row| (row.position, row.resource_id));
        rows.collect::<Vec<_>>()
    };
    assert_eq!(read(0).await, [(1, "second".to_owned())]);
    late.commit().await.expect("commits");
    assert_eq!(read(1).await, [(2, "first".to_owned())]);
}

#[tokio::test]
async fn old_rows_are_removed_when_they_were_read_and_old_notifications_after_half_a_year() {
    let team = Fixture::new().await;
    team.assign("Feira").await;
    let forget = async |days: i64| {
        team.app.advance_clock(days * DAY);
        team.app.app.worker().drain().await.expect("jobs");
    };
    // Reads the row before the clock moves, because only rows that were read are deleted.
    team.run_outbox_readers().await;
    assert_eq!(team.app.count_rows("outbox").await, 1);
    forget(15).await;
    assert_eq!(team.app.count_rows("outbox").await, 0);
    assert_eq!(team.app.count_rows("notifications").await, 1);
    forget(170).await;
    assert_eq!(team.app.count_rows("notifications").await, 0);
}
