//! The outbox: which writes have rows, in which order readers see them, and how long they stay.

use domain::time::DAY;
use serde_json::json;
use tools::AREAS;

use super::{CAIO, Fixture};
use store::outbox;

/// Whoever adds a write decides whom it tells: `.announces(&[…])` or `.announces_nothing()` in the
/// spec, or the latter for the whole area.
#[test]
fn every_write_says_what_it_announces() {
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
async fn a_write_that_tells_nobody_has_no_row() {
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
async fn a_row_has_what_a_reader_needs_and_no_text_of_people() {
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
async fn a_refused_or_repeated_call_has_no_row_of_its_own() {
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

/// On PostgreSQL, a transaction that inserts first may commit last. Its row gets a later position, so
/// a reader that has read the other row does not miss it.
#[tokio::test]
async fn a_row_that_commits_late_is_read_after_those_that_committed_before() {
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
    // The insert is sent with the next statement.
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
    // Nobody has read the row: the job that reads it runs with the others, so it is read first.
    team.tell().await;
    assert_eq!(team.app.count_rows("outbox").await, 1);
    forget(15).await;
    assert_eq!(team.app.count_rows("outbox").await, 0);
    assert_eq!(team.app.count_rows("notifications").await, 1);
    forget(170).await;
    assert_eq!(team.app.count_rows("notifications").await, 0);
}
