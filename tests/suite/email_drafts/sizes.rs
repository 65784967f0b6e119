//! The size limits of drafts, and their refusals.

use axum::http::Method;
use domain::{Level, Role};
use serde_json::{Value, json};

use super::{create_draft, draft_path, load_html};
use crate::support::TestApp;

const MOST: usize = 2_000_000;

#[tokio::test]
async fn html_may_have_2_000_000_characters_however_many_bytes_they_take() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for (id, character) in [("um", "a"), ("quatro", "🎉")] {
        let longest = character.repeat(MOST);
        create_draft(&lead, id, &longest).await;
        assert!(load_html(&lead, id).await == longest, "{id}");
        let longer = json!({ "html": format!("{longest}a"), "expected_updated_at": null });
        let refused = lead.put(&draft_path("mais"), longer).await;
        let refused = refused.expect_refusal(413, "EMAIL_HTML_TOO_LARGE").body;
        assert_eq!(refused["details"]["fields"][0]["field"], "html");
        assert!(!refused["details"]["next"].is_null());
        let longer = json!({ "templateId": "mais", "html": format!("{longest}a") });
        let tool = lead.call_tool("put_email_draft", longer).await;
        assert!(
            tool.text.starts_with("EMAIL_HTML_TOO_LARGE: "),
            "{}",
            tool.text
        );
        let longest = json!({ "templateId": format!("mcp-{id}"), "html": longest });
        let tool = lead.call_tool("put_email_draft", longest).await;
        assert_eq!(
            tool.structured["draft"]["html_length"], 2_000_000,
            "{}",
            tool.text
        );
    }
    assert_eq!(app.count_rows("email_drafts").await, 4);
}

#[tokio::test]
async fn the_longest_html_may_consist_of_escapes() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let escaped = r"\ud83c\udf89".repeat(MOST);
    let body = |more: &str| format!(r#"{{"expected_updated_at":null,"html":"{escaped}{more}"}}"#);
    let put = lead
        .send(Method::PUT, &draft_path("a"), Some(body("").into()))
        .await;
    assert_eq!(put.expect(200).body["draft"]["html_length"], 2_000_000);
    let put = lead
        .send(Method::PUT, &draft_path("b"), Some(body("a").into()))
        .await;
    put.expect_refusal(413, "EMAIL_HTML_TOO_LARGE");
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"put_email_draft",
            "arguments":{{"templateId":"c","html":"{escaped}"}}}}}}"#
    );
    let put = lead
        .send(Method::POST, "/api/mcp", Some(message.into()))
        .await;
    let put = &put.expect(200).body["result"]["structuredContent"];
    assert_eq!(put["draft"]["html_length"], 2_000_000);
    // A body of this length is too large for any content, and gets the same error code.
    let huge = body(&escaped[..2_400_000]);
    let refused = lead
        .send(Method::PUT, &draft_path("d"), Some(huge.into()))
        .await;
    refused.expect_refusal(413, "EMAIL_HTML_TOO_LARGE");
}

#[tokio::test]
async fn too_much_html_is_refused_after_a_missing_capability_and_before_field_errors() {
    let app = TestApp::new().await;
    let long = "a".repeat(MOST + 1);
    let faulty = json!({ "html": long, "metadata": 7, "estranho": 1 });
    let reader = app
        .add_member_with(Role::Criador, Level::Leitor, false)
        .await;
    let reader = app.token_client(&reader).await;
    let refused = reader.put(&draft_path("a"), faulty.clone()).await;
    refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    let lead = app.as_member(Role::Lider).await;
    let refused = lead.put(&draft_path("a"), faulty).await;
    refused.expect_refusal(413, "EMAIL_HTML_TOO_LARGE");
    // The size is also checked before existence and conflict.
    let stale = json!({ "html": long, "expected_updated_at": "2020-01-01T00:00:00Z" });
    let refused = lead.put(&draft_path("a"), stale).await;
    refused.expect_refusal(413, "EMAIL_HTML_TOO_LARGE");
}

#[tokio::test]
async fn nul_in_html_is_a_field_error_and_half_a_surrogate_pair_is_invalid_json() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let put = |html: &str| {
        let body = format!(r#"{{"html":"{html}","expected_updated_at":null}}"#);
        let lead = lead.clone();
        async move {
            lead.send(Method::PUT, &draft_path("a"), Some(body.into()))
                .await
        }
    };
    for nul in [r"\u0000", r"<p>\u0000</p>"] {
        assert_eq!(put(nul).await.invalid_fields(), ["html"], "{nul}");
    }
    for half in [
        r"\ud83d",
        r"\ude00",
        r"\ude00\ud83d",
        r"\ud83dx",
        r"\ud83d\u0041",
        r"\uD83D\n",
    ] {
        let refused = put(half).await;
        assert_eq!(refused.invalid_fields(), ["corpo"], "{half}");
        assert!(
            refused.text.contains("substituto"),
            "{half}: {}",
            refused.text
        );
    }
    for (escaped, text) in [
        (r"\ud83d\ude00", "😀"),
        (r"\uD83D\uDE00\u0041", "😀A"),
        (
            r#"\"\\\/\b\f\n\r\t\u00e9\u2028\uffff"#,
            "\"\\/\u{8}\u{c}\n\r\té\u{2028}\u{ffff}",
        ),
    ] {
        let made = put(escaped).await.expect(200).body;
        assert_eq!(made["draft"]["html"], text);
        let token = made["draft"]["updated_at"].as_str().expect("a token");
        let path = format!("{}?expected_updated_at={token}", draft_path("a"));
        lead.delete(&path).await.expect(200);
    }
}

#[tokio::test]
async fn metadata_may_be_any_object_within_its_limits() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let put = |id: &'static str, metadata: Value| {
        let input = json!({ "html": "", "metadata": metadata, "expected_updated_at": null });
        let lead = lead.clone();
        async move { lead.put(&draft_path(id), input).await }
    };
    for wrong in [json!([]), json!("x"), json!(7), json!(null), json!(true)] {
        assert_eq!(put("a", wrong).await.invalid_fields(), ["metadata"]);
    }
    let nested = |depth: usize| (1..depth).fold(json!({}), |inner, _| json!({ "a": inner }));
    assert_eq!(put("a", nested(65)).await.invalid_fields(), ["metadata"]);
    let deepest = put("a", nested(64)).await.expect(200).body;
    assert_eq!(deepest["draft"]["metadata"], nested(64));
    // The JSON `{"a":"…"}` has eight bytes besides its text.
    let long = |bytes: usize| json!({ "a": "é".repeat((bytes - 8) / 2) });
    assert_eq!(put("b", long(20_002)).await.invalid_fields(), ["metadata"]);
    let longest = put("b", long(20_000)).await.expect(200).body;
    assert_eq!(longest["draft"]["metadata"], long(20_000));
    let odd = json!({ "": null, "__proto__": { "ã": [1.5, "\u{0}🎉", false] }, "z": {}, "A": 1 });
    let kept = put("c", odd.clone()).await.expect(200).body;
    assert_eq!(kept["draft"]["metadata"], odd);
    let listed = lead.get("/api/email-drafts").await.expect(200).body;
    let line = listed["drafts"].as_array().expect("a list");
    let line = line
        .iter()
        .find(|line| line["template_id"] == "c")
        .expect("the draft `c`");
    assert_eq!(line["metadata"], odd);
}
