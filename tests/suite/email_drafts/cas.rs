//! Compare-and-set of drafts: a write based on an outdated version is refused.

use domain::Role;
use futures::future::join_all;
use serde_json::{Value, json};

use super::{create_draft, draft_path, draft_token, load_html};
use crate::support::TestApp;

const NEVER: &str = "2020-01-01T00:00:00.000Z";

#[tokio::test]
async fn a_stale_token_is_refused_and_nothing_changes() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let put = |token: Value| json!({ "html": "tarde", "expected_updated_at": token });

    let absent = lead.put(&draft_path("a"), put(NEVER.into())).await;
    let absent = absent.expect_refusal(409, "STALE_REVISION").body;
    assert_eq!(absent["details"]["current"], Value::Null);
    assert_eq!(app.count_rows("email_drafts").await, 0);

    let first = create_draft(&lead, "a", "um").await;
    app.advance_clock(10);
    let second = lead
        .put(&draft_path("a"), put(first.as_str().into()))
        .await
        .expect(200);
    let second = draft_token(&second.body);
    let finer = second.replace("010Z", "0100001Z");
    for stale in [json!(null), json!(NEVER), json!(first), json!(finer)] {
        let refused = lead.put(&draft_path("a"), put(stale.clone())).await;
        let refused = refused.expect_refusal(409, "STALE_REVISION").body;
        assert_eq!(refused["details"]["current"], second, "{stale}");
    }
    for stale in [NEVER, first.as_str(), finer.as_str()] {
        let path = format!("{}?expected_updated_at={stale}", draft_path("a"));
        let refused = lead
            .delete(&path)
            .await
            .expect_refusal(409, "STALE_REVISION");
        assert_eq!(refused.body["details"]["current"], second);
    }
    assert_eq!(load_html(&lead, "a").await, "tarde");
    assert_eq!(app.count_rows("email_drafts").await, 1);
}

#[tokio::test]
async fn a_token_is_required_though_it_may_be_null() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let put = |token: Value| json!({ "html": "x", "expected_updated_at": token });
    let answer = lead.put(&draft_path("a"), json!({ "html": "x" })).await;
    assert_eq!(answer.invalid_fields(), ["expected_updated_at"]);
    for wrong in [
        json!(7),
        json!(true),
        json!([]),
        json!(""),
        json!("ontem"),
        json!("null"),
    ] {
        let answer = lead.put(&draft_path("a"), put(wrong.clone())).await;
        assert_eq!(answer.invalid_fields(), ["expected_updated_at"], "{wrong}");
    }
    for query in ["", "?expected_updated_at=", "?expected_updated_at=null"] {
        let answer = lead.delete(&format!("{}{query}", draft_path("a"))).await;
        assert_eq!(answer.invalid_fields(), ["expected_updated_at"], "{query}");
    }
    assert_eq!(app.count_rows("email_drafts").await, 0);
}

#[tokio::test]
async fn an_absent_token_in_a_tool_call_counts_as_null() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for (id, input) in [
        ("a", json!({ "templateId": "a", "html": "x" })),
        (
            "b",
            json!({ "templateId": "b", "html": "x", "expected_updated_at": null }),
        ),
    ] {
        let put = lead.call_tool("put_email_draft", input.clone()).await;
        assert_eq!(put.structured["draft"]["template_id"], id, "{}", put.text);
        let again = lead.call_tool("put_email_draft", input).await;
        assert!(again.text.starts_with("STALE_REVISION: "), "{}", again.text);
    }
    let bare = lead
        .call_tool("delete_email_draft", json!({ "templateId": "a" }))
        .await;
    assert!(bare.text.contains("`expected_updated_at`"), "{}", bare.text);
}

#[tokio::test]
async fn every_spelling_of_an_instant_is_the_same_token() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    create_draft(&lead, "a", "x").await;
    let mut put = json!({ "html": "y", "expected_updated_at": "2026-08-22T12:00:00-03:00" });
    lead.put(&draft_path("a"), put.clone()).await.expect(200);
    put["expected_updated_at"] = "2026-08-22t15:00:00.0010z".into();
    lead.put(&draft_path("a"), put).await.expect(200);
}

#[tokio::test]
async fn the_token_increases_with_every_write_and_is_never_reused() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let mut seen = vec![create_draft(&lead, "a", "x").await];
    for round in 0..6 {
        let last = seen.last().expect("a token").clone();
        if round % 3 == 2 {
            let path = format!("{}?expected_updated_at={last}", draft_path("a"));
            lead.delete(&path).await.expect(200);
            seen.push(create_draft(&lead, "a", "de novo").await);
        } else {
            let put = json!({ "html": "x", "expected_updated_at": last });
            seen.push(draft_token(
                &lead.put(&draft_path("a"), put).await.expect(200).body,
            ));
        }
    }
    // The test clock stands still, and is set back before the last write.
    app.advance_clock(-60_000);
    let put = json!({ "html": "x", "expected_updated_at": seen.last() });
    seen.push(draft_token(
        &lead.put(&draft_path("a"), put).await.expect(200).body,
    ));
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
    assert!(seen.iter().all(|token| token.len() == NEVER.len()));
}

#[tokio::test]
async fn one_of_several_simultaneous_writers_wins() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for round in 0..4 {
        let id = format!("corrida-{round}");
        let token = create_draft(&lead, &id, "x").await;
        let puts = (0..6).map(|number| {
            let input = json!({ "html": format!("{number}"), "expected_updated_at": token });
            let (lead, id) = (lead.clone(), id.clone());
            async move { lead.put(&draft_path(&id), input).await }
        });
        let answers = join_all(puts).await;
        let won: Vec<_> = answers
            .iter()
            .filter(|answer| answer.status == 200)
            .collect();
        assert_eq!(won.len(), 1);
        assert!(
            answers
                .iter()
                .all(|a| a.status == 200 || a.error_code() == "STALE_REVISION")
        );
        assert_eq!(load_html(&lead, &id).await, won[0].body["draft"]["html"]);
    }
}

#[tokio::test]
async fn one_of_several_simultaneous_creations_or_deletions_wins() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for _ in 0..3 {
        let creates = (0..6).map(|number| {
            let input = json!({ "html": format!("{number}"), "expected_updated_at": null });
            let lead = lead.clone();
            async move { lead.put(&draft_path("a"), input).await }
        });
        let answers = join_all(creates).await;
        let won: Vec<_> = answers
            .iter()
            .filter(|answer| answer.status == 200)
            .collect();
        assert_eq!(won.len(), 1);
        assert_eq!(load_html(&lead, "a").await, won[0].body["draft"]["html"]);
        let path = format!(
            "{}?expected_updated_at={}",
            draft_path("a"),
            draft_token(&won[0].body)
        );
        let deletes = (0..6).map(|_| {
            let (lead, path) = (lead.clone(), path.clone());
            async move { lead.delete(&path).await.status }
        });
        let mut statuses = join_all(deletes).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 404, 404, 404, 404, 404]);
    }
}
