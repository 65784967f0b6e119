//! Threads that are reopened: their limits, and the order in which rows are locked.

use std::time::Duration;

use domain::Role;
use sea_orm::{ConnectionTrait, DbBackend};
use serde_json::json;
use store::Tx;

use super::{
    add_remark, change_remark, count_open,
    emails::{place, put_draft},
    lists::insert_threads,
    post_remark, submit, text_of,
};
use crate::support::{Answer, Client, TestApp};

const HTML: &str = "<p>Oferta hoje</p>";

async fn set_resolved(client: &Client, id: &str, resolved: bool) -> Answer {
    change_remark(client, id, json!({ "resolvido": resolved })).await
}

async fn begin_thread(client: &Client, event: &str) -> String {
    let fields = json!({ "ancora": place("hoje") });
    let added = post_remark(client, event, "Aqui", fields).await;
    text_of(&added.expect(200).body["id"])
}

#[tokio::test]
async fn a_thread_is_not_reopened_beyond_the_limit_of_its_piece() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let thread = add_remark(&lead, &id, "Primeira").await;
    set_resolved(&lead, &thread, true).await.expect(200);
    app.advance_clock(1_000);
    insert_threads(&app, &id, 500).await;
    set_resolved(&lead, &thread, false)
        .await
        .expect_refusal(409, "TOO_MANY_REMARKS");
    assert_eq!(count_open(&lead, &id).await, 500);
    // After another thread has been resolved, the thread can be reopened. A second call, for the
    // thread that is already open, succeeds too.
    let sql = "UPDATE remarks SET resolved_at = 1
               WHERE id = (SELECT max(id) FROM remarks WHERE resolved_at IS NULL)";
    app.execute_statement(sql, []).await;
    for _ in 0..2 {
        set_resolved(&lead, &thread, false).await.expect(200);
    }
    assert_eq!(count_open(&lead, &id).await, 500);
}

#[tokio::test]
async fn a_thread_is_not_reopened_beyond_the_limit_of_its_draft() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, other) = (
        lead.create_demand(json!({})).await,
        lead.create_demand(json!({})).await,
    );
    put_draft(&lead, "natal", HTML, None).await;
    let thread = begin_thread(&lead, &id).await;
    set_resolved(&lead, &thread, true).await.expect(200);
    app.advance_clock(1_000);
    // Inserts 200 open threads about the draft, on another piece.
    insert_threads(&app, &other, 200).await;
    let sql = "UPDATE remarks SET template_id = 'natal', passage_at = 10,
                   anchor = (SELECT anchor FROM remarks r WHERE r.anchor IS NOT NULL)
               WHERE anchor IS NULL";
    app.execute_statement(sql, []).await;
    set_resolved(&lead, &thread, false)
        .await
        .expect_refusal(409, "TOO_MANY_REMARKS");
    let open = "remarks WHERE template_id = 'natal' AND resolved_at IS NULL";
    assert_eq!(app.count_rows(open).await, 200);
    let sql = "UPDATE remarks SET resolved_at = 1
               WHERE id = (SELECT max(id) FROM remarks WHERE resolved_at IS NULL)";
    app.execute_statement(sql, []).await;
    set_resolved(&lead, &thread, false).await.expect(200);
    assert_eq!(app.count_rows(open).await, 200);
}

/// Waits until a statement of the service waits for a lock.
async fn wait_for_waiter(app: &TestApp) {
    let waiting =
        "pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    for _ in 0..1_000 {
        if app.count_rows(waiting).await > 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("nothing waits for a lock");
}

/// Runs a statement that locks one row.
async fn lock(tx: &Tx, sql: &str) {
    let ran = tx.conn().execute_unprepared(sql).await;
    assert_eq!(ran.expect("no deadlock").rows_affected(), 1, "{sql}");
}

/// While the thread is reopened, another transaction locks the draft, and then the piece and its
/// threads, as a write of the draft does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres_a_thread_is_reopened_while_its_draft_is_written() {
    let app = TestApp::new().await;
    if app.backend() != DbBackend::Postgres {
        return;
    }
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    put_draft(&lead, "natal", HTML, None).await;
    let thread = begin_thread(&lead, &id).await;
    set_resolved(&lead, &thread, true).await.expect(200);
    let tx = app.begin().await;
    let draft = "UPDATE email_drafts SET updated_at = updated_at WHERE template_id = 'natal'";
    lock(&tx, draft).await;
    let writing = async {
        wait_for_waiter(&app).await;
        let piece = format!("UPDATE events SET due_at = due_at WHERE id = '{id}'");
        lock(&tx, &piece).await;
        let remark = format!("UPDATE remarks SET passage_at = passage_at WHERE id = '{thread}'");
        lock(&tx, &remark).await;
        tx.commit().await.expect("commits");
    };
    let (reopened, ()) = tokio::join!(set_resolved(&lead, &thread, false), writing);
    reopened.expect(200);
}

/// While the threads are answered, another transaction locks them in the order of their ids, as a
/// write of the draft does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres_threads_are_answered_while_their_draft_is_written() {
    let app = TestApp::new().await;
    if app.backend() != DbBackend::Postgres {
        return;
    }
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    put_draft(&lead, "natal", HTML, None).await;
    let first = begin_thread(&lead, &id).await;
    app.advance_clock(1_000);
    let second = begin_thread(&lead, &id).await;
    assert!(first < second);
    // The row of the first thread comes later in the table, so an unordered scan finds it last.
    let sql = format!("UPDATE remarks SET text = 'Depois' WHERE id = '{first}'");
    app.execute_statement(&sql, []).await;
    let touch = |id: &str| format!("UPDATE remarks SET passage_at = passage_at WHERE id = '{id}'");
    let tx = app.begin().await;
    lock(&tx, &touch(&first)).await;
    let writing = async {
        wait_for_waiter(&app).await;
        lock(&tx, &touch(&second)).await;
        tx.commit().await.expect("commits");
    };
    let answered = [second.as_str(), first.as_str()];
    let (submitted, ()) = tokio::join!(submit(&lead, &id, &answered), writing);
    submitted.expect(200);
}
