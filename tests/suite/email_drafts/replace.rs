//! Replacement of a part of a draft.

use domain::Role;
use futures::future::join_all;
use serde_json::{Value, json};

use super::{create_draft, draft_path, load_html};
use crate::support::{Answer, Client, TestApp};

async fn replace_text(
    lead: &Client,
    token: &str,
    find: &str,
    by: &str,
    all: Option<bool>,
) -> Answer {
    let mut input = json!({ "procurar": find, "trocar_por": by, "expected_updated_at": token });
    if let Some(all) = all {
        input["todas"] = all.into();
    }
    lead.post(&format!("{}/substituir", draft_path("a")), input)
        .await
}

#[tokio::test]
async fn the_only_occurrence_is_replaced_and_the_html_is_not_sent_back() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let token = create_draft(&lead, "a", "<p>Às terças 🎉</p>").await;
    let done = replace_text(&lead, &token, "terças 🎉", "quintas", None).await;
    let expected = json!({
        "ok": true, "template_id": "a", "substituicoes": 1, "html_length": 17,
        "updated_at": "2026-08-22T15:00:00.001Z",
    });
    assert_eq!(done.expect(200).body, expected);
    assert_eq!(load_html(&lead, "a").await, "<p>Às quintas</p>");
}

#[tokio::test]
async fn a_text_with_several_occurrences_is_refused_unless_all_are_to_be_replaced() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let token = create_draft(&lead, "a", "ãã-aaa-ãã").await;
    for (find, all) in [
        ("ã", None),
        ("ãã", Some(false)),
        // Two overlapping occurrences.
        ("aa", None),
    ] {
        let refused = replace_text(&lead, &token, find, "x", all).await;
        refused.expect_refusal(409, "TEXT_NOT_UNIQUE");
    }
    for find in ["b", "Ã", "a\u{303}", "aaaa", "ãã-aaa-ãã-"] {
        let refused = replace_text(&lead, &token, find, "x", Some(true)).await;
        refused.expect_refusal(409, "TEXT_NOT_FOUND");
    }
    assert_eq!(load_html(&lead, "a").await, "ãã-aaa-ãã");
    let done = replace_text(&lead, &token, "ã", "", Some(true))
        .await
        .expect(200)
        .body;
    assert_eq!(
        (&done["substituicoes"], &done["html_length"]),
        (&json!(4), &json!(5))
    );
    assert_eq!(load_html(&lead, "a").await, "-aaa-");
}

#[tokio::test]
async fn a_stale_token_and_an_absent_draft_are_reported_before_the_text_is_searched() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let never = "2020-01-01T00:00:00.000Z";
    let absent = replace_text(&lead, never, "x", "y", None).await;
    absent.expect_refusal(404, "NOT_FOUND");
    let token = create_draft(&lead, "a", "x").await;
    let stale = replace_text(&lead, never, "não está", "y", None).await;
    let stale = stale.expect_refusal(409, "STALE_REVISION").body;
    assert_eq!(stale["details"]["current"], token);
    let null = replace_text(&lead, &token, "x", "y", None)
        .await
        .expect(200)
        .body;
    let path = format!(
        "{}?expected_updated_at={}",
        draft_path("a"),
        null["updated_at"].as_str().unwrap()
    );
    lead.delete(&path).await.expect(200);
    let gone = replace_text(&lead, &token, "x", "y", None).await;
    gone.expect_refusal(404, "NOT_FOUND");
    let input = json!({ "procurar": "x", "trocar_por": "", "expected_updated_at": Value::Null });
    let refused = lead
        .post(&format!("{}/substituir", draft_path("a")), input)
        .await;
    assert_eq!(refused.invalid_fields(), ["expected_updated_at"]);
}

#[tokio::test]
async fn the_texts_and_the_result_have_length_limits() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let piece = "é".repeat(100_000);
    let token = create_draft(&lead, "a", &"x".repeat(2_000_000 - 99_999)).await;
    let refused = replace_text(&lead, &token, "", "y", Some(true)).await;
    assert_eq!(refused.invalid_fields(), ["procurar"]);
    let refused = replace_text(&lead, &token, &format!("{piece}é"), "y", None).await;
    assert_eq!(refused.invalid_fields(), ["procurar"]);
    let refused = replace_text(&lead, &token, "x", &format!("{piece}é"), Some(true)).await;
    assert_eq!(refused.invalid_fields(), ["trocar_por"]);
    let refused = replace_text(&lead, &token, "x", "éé", Some(true)).await;
    refused.expect_refusal(413, "EMAIL_HTML_TOO_LARGE");
    let length = "email_drafts WHERE html_length = 1900001";
    assert_eq!(app.count_rows(length).await, 1);

    let put = json!({
        "html": format!("x{}", "y".repeat(1_900_000)), "expected_updated_at": token,
    });
    let put = lead.put(&draft_path("a"), put).await.expect(200).body;
    let token = super::draft_token(&put);
    let done = replace_text(&lead, &token, "x", &piece, None)
        .await
        .expect(200)
        .body;
    assert_eq!(done["html_length"], 2_000_000);
    let back = done["updated_at"].as_str().expect("a token");
    let refused = replace_text(&lead, back, &piece, &format!("{piece}é")[2..], None).await;
    refused.expect(200);
}

#[tokio::test]
async fn a_result_that_is_too_large_for_memory_is_refused_before_it_is_built() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let token = create_draft(&lead, "a", &"a".repeat(2_000_000)).await;
    // 2,000,000 replacements of 100,000 characters would make 200 GB.
    let refused = replace_text(&lead, &token, "a", &"b".repeat(100_000), Some(true)).await;
    refused.expect_refusal(413, "EMAIL_HTML_TOO_LARGE");
    let done = replace_text(&lead, &token, "a", "é", Some(true)).await;
    assert_eq!(done.expect(200).body["html_length"], 2_000_000);
}

#[tokio::test]
async fn one_of_several_simultaneous_replacements_wins() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let token = create_draft(&lead, "a", "x").await;
    let all = join_all((0..6).map(|number| {
        let (lead, token) = (lead.clone(), token.clone());
        async move { replace_text(&lead, &token, "x", &format!("{number}x"), None).await }
    }));
    let answers = all.await;
    let won = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(won, 1);
    assert!(
        answers
            .iter()
            .all(|a| a.status == 200 || a.error_code() == "STALE_REVISION")
    );
    assert_eq!(load_html(&lead, "a").await.as_str().expect("text").len(), 2);
}
