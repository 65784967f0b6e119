//! Reading a long draft in parts.

use domain::Role;
use serde_json::{Value, json};

use super::{create_draft, draft_path};
use crate::support::TestApp;

#[tokio::test]
async fn windows_count_characters_and_add_up_to_the_whole() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let whole = "aé한🎉<".repeat(20);
    create_draft(&lead, "a", &whole).await;
    for size in [1, 3, 7, 99, 100, 101] {
        let (mut read, mut from) = (String::new(), 0);
        loop {
            let path = format!("{}?de={from}&tamanho={size}", draft_path("a"));
            let page = lead.get(&path).await.expect(200).body;
            let part = page["draft"]["html"].as_str().expect("text");
            let window = &page["janela"];
            assert_eq!(
                (&window["de"], &window["total"]),
                (&json!(from), &json!(100))
            );
            assert_eq!(window["tamanho"], part.chars().count());
            assert_eq!(page["draft"]["html_length"], 100);
            read.push_str(part);
            match window["proxima"].as_i64() {
                Some(next) => from = next,
                None => break,
            }
        }
        assert_eq!(read, whole, "size {size}");
    }
    let beyond = lead
        .get(&format!("{}?de=100", draft_path("a")))
        .await
        .expect(200)
        .body;
    assert_eq!(beyond["draft"]["html"], "");
    let window = json!({ "de": 100, "tamanho": 0, "total": 100, "proxima": null });
    assert_eq!(beyond["janela"], window);
    let far = lead
        .get(&format!("{}?de=2000000", draft_path("a")))
        .await
        .expect(200)
        .body;
    assert_eq!(far["janela"]["tamanho"], 0);
    let all = lead
        .get(&format!("{}?tamanho=2000000", draft_path("a")))
        .await
        .expect(200)
        .body;
    assert_eq!(all["draft"]["html"], whole);
    for (query, field) in [
        ("de=-1", "de"),
        ("de=2000001", "de"),
        ("de=x", "de"),
        ("tamanho=0", "tamanho"),
        ("tamanho=2000001", "tamanho"),
        ("tamanho=1.5", "tamanho"),
    ] {
        let refused = lead.get(&format!("{}?{query}", draft_path("a"))).await;
        assert_eq!(refused.invalid_fields(), [field], "{query}");
    }
    lead.get(&format!("{}?de=0", draft_path("b")))
        .await
        .expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn html_that_does_not_fit_into_a_tool_result_is_read_in_windows() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    create_draft(&lead, "a", &"ã".repeat(100_001)).await;
    let whole = lead
        .call_tool("get_email_draft", json!({ "templateId": "a" }))
        .await;
    assert!(
        whole.text.starts_with("RESULT_TOO_LARGE: "),
        "{}",
        whole.text
    );
    assert!(whole.text.contains("`tamanho`"), "{}", whole.text);
    let (mut read, mut from) = (0, json!(0));
    while from != Value::Null {
        let window = json!({ "templateId": "a", "de": from });
        let window = lead.call_tool("get_email_draft", window).await.structured;
        let part = window["draft"]["html"].as_str().expect("text");
        read += part.chars().count();
        from = window["janela"]["proxima"].clone();
    }
    assert_eq!(read, 100_001);
}

#[tokio::test]
async fn the_answer_to_a_write_fits_into_a_tool_result() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let metadata = json!({ "a": "\u{1}".repeat(3_332) });
    assert_eq!(metadata.to_string().len(), 20_000);
    let put = json!({
        "templateId": "a", "html": "\u{1}".repeat(2_000_000), "metadata": metadata,
    });
    let put = lead.call_tool("put_email_draft", put).await;
    assert!(!put.is_error, "{}", put.text);
    assert_eq!(put.structured["draft"]["metadata"], metadata);
    let window = json!({ "templateId": "a", "tamanho": 10_000 });
    let window = lead.call_tool("get_email_draft", window).await;
    assert!(!window.is_error, "{}", window.text);
}
