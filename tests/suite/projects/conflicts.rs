//! Concurrent changes of a project: a stale writer gets the operations since its revision, and no
//! change is lost.

use domain::Role;
use serde_json::json;

use super::{Desk, string_value};

#[tokio::test]
async fn a_stale_writer_gets_the_current_tokens_and_the_operations_since_its_revision() {
    let desk = Desk::new().await;
    let section = desk.add_section("A").await;
    let item = desk.add_item(&section, "segredo").await;
    let seen = desk.load_stored_project().await.revision.get();
    let update = json!({ "item_id": item, "title": "sigilo" });
    let update = desk
        .apply_operation("item.update", update)
        .await
        .expect(200)
        .body;
    let moved = json!({ "item_id": item, "section_id": section, "position": 0 });
    desk.apply_operation("item.move", moved).await.expect(200);
    desk.apply_operation("project.rename", json!({ "title": "Outro nome" }))
        .await
        .expect(200);
    let stale = desk
        .apply_operation_at(&desk.lead, seen, "item.remove", json!({ "item_id": item }))
        .await;
    let stale = stale.expect_refusal(409, "STALE_REVISION");
    let details = &stale.body["details"];
    assert_eq!(
        details["current"],
        seen + 2,
        "a move without effect must add no revision"
    );
    assert_eq!(
        details["current_updated_at"],
        desk.read_project().await["updated_at"]
    );
    assert_eq!(
        details["since"],
        json!([
            { "revision": update["revision"], "type": "item.update", "item_id": item },
            { "revision": seen + 2, "type": "project.rename" },
        ]),
    );
    assert_eq!(details["since_omitted"], json!(null));
    assert!(details["next"].is_string());
    assert!(
        !stale.text.contains("sigilo"),
        "a refusal must contain types and ids, but no content"
    );
}

#[tokio::test]
async fn the_list_of_operations_since_a_stale_revision_is_bounded() {
    let desk = Desk::new().await;
    for count in 0..51 {
        if count == 50 {
            let stale = desk
                .apply_operation_at(&desk.lead, 1, "project.archive", json!({}))
                .await;
            let details = &stale.expect_refusal(409, "STALE_REVISION").body["details"];
            assert_eq!(details["since"].as_array().map(Vec::len), Some(50));
            assert_eq!(details["since_omitted"], json!(null));
        }
        desk.add_section("A").await;
    }
    let stale = desk
        .apply_operation_at(&desk.lead, 1, "project.archive", json!({}))
        .await;
    let details = &stale.expect_refusal(409, "STALE_REVISION").body["details"];
    let since = details["since"].as_array().expect("a list");
    assert_eq!((since.len(), &details["since_omitted"]), (50, &json!(1)));
    assert_eq!(
        (&since[0]["revision"], &since[49]["revision"]),
        (&json!(3), &json!(52))
    );
}

#[tokio::test]
async fn the_list_since_a_stale_revision_is_bounded_by_operations_of_batches_too() {
    let desk = Desk::new().await;
    let add = json!({ "type": "section.add", "payload": { "title": "A" } });
    for count in [30, 20, 20] {
        desk.apply_batch(vec![add.clone(); count].into())
            .await
            .expect(200);
    }
    let stale = desk
        .apply_operation_at(&desk.lead, 1, "project.archive", json!({}))
        .await;
    let details = &stale.expect_refusal(409, "STALE_REVISION").body["details"];
    let since = details["since"].as_array().expect("a list");
    assert_eq!((since.len(), &details["since_omitted"]), (40, &json!(1)));
    assert_eq!(
        (&since[0]["revision"], &since[39]["revision"]),
        (&json!(3), &json!(4))
    );
}

#[tokio::test]
async fn a_revision_of_the_future_and_another_instant_are_stale_too() {
    let desk = Desk::new().await;
    let ahead = desk
        .apply_operation_at(&desk.lead, 2, "project.archive", json!({}))
        .await;
    let details = ahead.expect_refusal(409, "STALE_REVISION").body["details"].clone();
    assert_eq!(
        (&details["current"], &details["since"]),
        (&json!(1), &json!([]))
    );
    let input = |at: &str| {
        json!({
            "type": "project.archive", "payload": {}, "expected_revision": 1,
            "expected_updated_at": at,
        })
    };
    let stale = desk
        .lead
        .post(&desk.project_path(), input("2026-08-22T15:00:00.001Z"))
        .await;
    stale.expect_refusal(409, "STALE_REVISION");
    // The service's tokens have millisecond precision, so a finer instant cannot be a token.
    let finer = desk
        .lead
        .post(&desk.project_path(), input("2026-08-22T15:00:00.0001Z"))
        .await;
    finer.expect_refusal(409, "STALE_REVISION");
    for bad in ["ontem", "2026-08-22", "", "2026-13-01T00:00:00Z"] {
        let answer = desk.lead.post(&desk.project_path(), input(bad)).await;
        assert_eq!(answer.invalid_fields(), ["expected_updated_at"], "{bad}");
    }
    desk.lead
        .post(&desk.project_path(), input("2026-08-22T15:00:00Z"))
        .await
        .expect(200);
}

#[tokio::test]
async fn an_operation_without_effect_is_refused_if_its_writer_is_stale() {
    let desk = Desk::new().await;
    desk.add_section("A").await;
    let same = json!({ "title": "Lançamento" });
    let stale = desk
        .apply_operation_at(&desk.lead, 1, "project.rename", same)
        .await;
    stale.expect_refusal(409, "STALE_REVISION");
}

#[tokio::test]
async fn a_stale_editor_repeats_the_change_and_both_edits_are_kept() {
    let desk = Desk::new().await;
    let section = desk.add_section("A").await;
    let item = desk.add_item(&section, "x").await;
    let ana = desk.app.as_member(Role::Criador).await;
    let bia = desk.app.as_member(Role::Criador).await;
    let seen = desk.load_stored_project().await.revision.get();
    let title = json!({ "item_id": item, "title": "de Ana" });
    let notes = json!({ "item_id": item, "notes": "de Bia" });
    desk.apply_operation_at(&ana, seen, "item.update", title)
        .await
        .expect(200);
    let stale = desk
        .apply_operation_at(&bia, seen, "item.update", notes.clone())
        .await;
    let details = stale.expect_refusal(409, "STALE_REVISION").body["details"].clone();
    assert_eq!(details["since"][0]["item_id"], *item);
    let current = details["current"].as_i64().expect("a revision");
    let done = desk
        .apply_operation_at(&bia, current, "item.update", notes)
        .await
        .expect(200)
        .body;
    let kept = &done["changed"]["item"];
    assert_eq!(
        (&kept["title"], &kept["notes"]),
        (&json!("de Ana"), &json!("de Bia"))
    );
}

#[tokio::test]
async fn nothing_can_be_added_to_a_removed_section() {
    let desk = Desk::new().await;
    let (a, b) = (desk.add_section("A").await, desk.add_section("B").await);
    let item = desk.add_item(&a, "x").await;
    let seen = desk.load_stored_project().await.revision.get();
    desk.apply_operation("section.remove", json!({ "section_id": b }))
        .await
        .expect(200);
    let moved = json!({ "item_id": item, "section_id": b });
    let stale = desk
        .apply_operation_at(&desk.lead, seen, "item.move", moved.clone())
        .await;
    let details = stale.expect_refusal(409, "STALE_REVISION").body["details"].clone();
    assert_eq!(details["since"][0]["type"], "section.remove");
    assert_eq!(details["since"][0]["section_id"], *b);
    desk.apply_operation("item.move", moved)
        .await
        .expect_refusal(404, "NOT_FOUND");
    let added = json!({ "section_id": b, "title": "y" });
    desk.apply_operation("item.add", added)
        .await
        .expect_refusal(404, "NOT_FOUND");
    let project = desk.read_project().await;
    assert_eq!(
        string_value(&project["sections"][0]["items"][0]["id"]),
        item
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_the_simultaneous_writers_wins_and_the_others_are_refused_as_stale() {
    let desk = Desk::new().await;
    let second = desk.app.second_instance().await;
    let section = desk.add_section("A").await;
    let calls = (0..20).map(|index| {
        let client = if index % 2 == 0 {
            desk.lead.clone()
        } else {
            desk.lead.at_instance(&second)
        };
        let title = format!("item {index}");
        let input = json!({
            "type": "item.add", "payload": { "section_id": section, "title": title },
            "expected_revision": 2,
        });
        let path = desk.project_path();
        tokio::spawn(async move { client.post(&path, input).await })
    });
    let calls: Vec<_> = calls.collect();
    let mut won = 0;
    for call in calls {
        let answer = call.await.expect("the call ends");
        if answer.status == 200 {
            won += 1;
        } else {
            let details = answer.expect_refusal(409, "STALE_REVISION").body["details"].clone();
            assert_eq!(details["since"][0]["type"], "item.add", "{details}");
        }
    }
    assert_eq!(
        (won, desk.load_stored_project().await.revision.get()),
        (1, 3)
    );
}
