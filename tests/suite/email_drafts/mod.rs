//! E-mail drafts: written whole or in parts, and never over the work of another member.

mod cas;
mod confirmation;
mod keys;
mod reading;
mod replace;
mod searching;
mod sizes;
mod windows;
mod writers;

use domain::Role;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use crate::{
    limits::TEXTS,
    support::{Client, NOON, TestApp},
};

/// Returns the path of a draft.
fn draft_path(template_id: &str) -> String {
    let id = percent_encoding::utf8_percent_encode(template_id, percent_encoding::NON_ALPHANUMERIC);
    format!("/api/email-drafts/{id}")
}

/// Creates a draft; returns its token.
async fn create_draft(client: &Client, template_id: &str, html: &str) -> String {
    let input = json!({ "html": html, "expected_updated_at": null });
    let put = client
        .put(&draft_path(template_id), input)
        .await
        .expect(200)
        .body;
    draft_token(&put)
}

fn draft_token(put: &Value) -> String {
    let token = put["draft"]["updated_at"].as_str().expect("a token");
    token.to_owned()
}

async fn load_html(client: &Client, template_id: &str) -> Value {
    let found = client.get(&draft_path(template_id)).await.expect(200).body;
    found["draft"]["html"].clone()
}

#[tokio::test]
async fn a_draft_is_written_read_listed_rewritten_and_deleted() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let input = json!({
        "html": "<p>Um</p>", "metadata": { "assunto": "Olá" }, "expected_updated_at": null,
    });
    let put = lead
        .put(&draft_path("boas-vindas"), input)
        .await
        .expect(200)
        .body;
    let mut draft = json!({
        "template_id": "boas-vindas", "html": "<p>Um</p>", "html_length": 9,
        "metadata": { "assunto": "Olá" }, "updated_at": "2026-08-22T15:00:00.000Z",
        "updated_by": member.id, "updated_by_name": member.name,
    });
    assert_eq!(put, json!({ "ok": true, "draft": draft }));
    let found = lead.get(&draft_path("boas-vindas")).await.expect(200).body;
    assert_eq!(found, json!({ "draft": draft }));

    app.advance_clock(1_500);
    let input = json!({ "html": "<p>Ação</p>", "expected_updated_at": draft_token(&put) });
    let put = lead
        .put(&draft_path("boas-vindas"), input)
        .await
        .expect(200)
        .body;
    draft["html"] = "<p>Ação</p>".into();
    draft["html_length"] = 11.into();
    draft["updated_at"] = "2026-08-22T15:00:01.500Z".into();
    assert_eq!(
        put["draft"], draft,
        "absent metadata must keep the stored metadata"
    );

    let listed = lead.get("/api/email-drafts").await.expect(200).body;
    draft.as_object_mut().expect("an object").remove("html");
    assert_eq!(listed, json!({ "drafts": [draft], "next_cursor": null }));

    let path = format!(
        "{}?expected_updated_at={}",
        draft_path("boas-vindas"),
        draft_token(&put)
    );
    let deleted = lead.delete(&path).await.expect(200).body;
    assert_eq!(deleted, json!({ "ok": true, "template_id": "boas-vindas" }));
    lead.get(&draft_path("boas-vindas"))
        .await
        .expect_refusal(404, "NOT_FOUND");
    lead.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    let listed = lead.get("/api/email-drafts").await.expect(200).body;
    assert_eq!(listed["drafts"], json!([]));
    assert_eq!(app.count_rows("email_draft_html").await, 0);
}

#[tokio::test]
async fn html_is_returned_byte_for_byte_over_rest_and_mcp() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let (session, token) = (
        app.session_client(&member).await,
        app.token_client(&member).await,
    );
    let all = TEXTS.join("<br>");
    for (number, text) in TEXTS.into_iter().chain([all.as_str(), ""]).enumerate() {
        let (one, two) = (format!("rest-{number}"), format!("mcp-{number}"));
        create_draft(&session, &one, text).await;
        let put = json!({ "templateId": two, "html": text, "metadata": { text: [text] } });
        let put = token.call_tool("put_email_draft", put).await;
        assert_eq!(put.structured["draft"]["html"], text, "{}", put.text);
        assert_eq!(put.structured["draft"]["metadata"], json!({ text: [text] }));
        for id in [one, two] {
            assert_eq!(load_html(&session, &id).await, text);
            let read = token
                .call_tool("get_email_draft", json!({ "templateId": id }))
                .await;
            assert_eq!(read.structured["draft"]["html"], text);
            let length = i64::try_from(text.chars().count()).expect("a short text");
            assert_eq!(read.structured["draft"]["html_length"], length);
        }
    }
}

#[tokio::test]
async fn a_name_has_1_to_200_allowed_characters() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let longest = "a".repeat(200);
    for id in ["a", "A9._:~-", ".", "..", "~", &longest] {
        let made = create_draft(&lead, id, id).await;
        assert_eq!(load_html(&lead, id).await, id);
        let path = format!("{}?expected_updated_at={made}", draft_path(id));
        lead.delete(&path).await.expect(200);
    }
    let too_long = "a".repeat(201);
    let no_token = "?expected_updated_at=2026-08-22T15:00:00.000Z";
    for id in [
        &too_long, "á", "a b", "a/b", "a\n", "a%", "a\u{0}", "<a>", "🎉", "a+b", " ",
    ] {
        let put = json!({ "html": "", "expected_updated_at": null });
        assert_eq!(
            lead.put(&draft_path(id), put).await.invalid_fields()[0],
            "templateId",
            "{id:?}"
        );
        assert_eq!(
            lead.get(&draft_path(id)).await.invalid_fields()[0],
            "templateId",
            "{id:?}"
        );
        let path = format!("{}{no_token}", draft_path(id));
        assert_eq!(
            lead.delete(&path).await.invalid_fields()[0],
            "templateId",
            "{id:?}"
        );
        let tool = lead
            .call_tool("put_email_draft", json!({ "templateId": id, "html": "" }))
            .await;
        assert!(
            tool.text.starts_with("INVALID_INPUT"),
            "{id:?}: {}",
            tool.text
        );
    }
    assert_eq!(
        app.count_rows("email_drafts WHERE html_length IS NOT NULL")
            .await,
        0
    );
}

#[tokio::test]
async fn drafts_are_listed_newest_first_in_pages_without_gaps() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let mut made = vec![];
    for number in 0..12 {
        let id = format!("{}-{number}", ["b", "a", "C"][number % 3]);
        create_draft(&lead, &id, "x").await;
        made.push((app.now(), id));
        if number % 3 == 2 {
            app.advance_clock(5);
        }
    }
    let mut whole = None;
    for limit in [1, 2, 5, 12, 13] {
        let (mut seen, mut cursor) = (vec![], String::new());
        loop {
            let path = format!("/api/email-drafts?limit={limit}{cursor}");
            let page = lead.get(&path).await.expect(200).body;
            for line in page["drafts"].as_array().expect("a list") {
                assert!(line.get("html").is_none());
                seen.push(line["template_id"].as_str().expect("an id").to_owned());
            }
            let Some(next) = page["next_cursor"].as_str() else {
                break;
            };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(seen.len(), 12, "limit {limit}");
        let time = |id: &String| {
            made.iter()
                .find(|(_, other)| other == id)
                .expect("the draft was created")
                .0
        };
        assert!(seen.is_sorted_by_key(|id| -time(id)), "{seen:?}");
        assert_eq!(
            *whole.get_or_insert_with(|| seen.clone()),
            seen,
            "limit {limit}"
        );
    }
    assert_eq!(app.now(), NOON + 20);
}

#[tokio::test]
async fn a_list_reads_no_html() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    create_draft(&lead, "a", "x").await;
    let tx = app.app.gateway.services.db.begin().await.expect("begins");
    let gone = "ALTER TABLE email_draft_html RENAME TO out_of_reach";
    tx.conn().execute_unprepared(gone).await.expect("renames");
    tx.commit().await.expect("commits");
    let listed = lead.get("/api/email-drafts").await.expect(200).body;
    assert_eq!(listed["drafts"][0]["html_length"], 1);
    lead.get(&draft_path("a"))
        .await
        .expect_refusal(500, "INTERNAL");
}
