//! JSON is parsed strictly, and in the same way by both interfaces.

use domain::Role;
use serde_json::{Value, json};

use super::post_text;
use crate::support::{Answer, Client, TestApp};

/// Returns the field and rule in the refusal of an input by REST. Asserts that MCP uses the same
/// words.
async fn refusal_by_both_interfaces(
    client: &Client,
    tool: &str,
    path: &str,
    input: &str,
) -> (String, String) {
    let rest = post_text(client, path, input.to_owned()).await;
    let field = rest.invalid_fields()[0].to_owned();
    let rule = rest.body["details"]["fields"][0]["rule"].clone();
    let mcp = call_tool(client, tool, input).await.expect(200);
    let result = &mcp.body["result"];
    assert_eq!(result["isError"], true, "{}", mcp.text);
    let told = format!(
        "INVALID_INPUT: {}",
        rest.body["error"].as_str().expect("text")
    );
    let text = result["content"][0]["text"].as_str().expect("text");
    assert_eq!(text.lines().next(), Some(told.as_str()), "{input}");
    (field, rule.as_str().expect("a rule").to_owned())
}

/// Calls a tool with these arguments as raw text.
async fn call_tool(client: &Client, tool: &str, arguments: &str) -> Answer {
    let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
    post_text(client, "/api/mcp", message).await
}

#[tokio::test]
async fn a_repeated_name_at_any_level_is_refused_by_both_interfaces() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for (input, field) in [
        (r#"{"key":"k","value":1,"value":2}"#, "value"),
        (r#"{"key":"k","value":1,"v\u0061lue":2}"#, "value"),
        (r#"{"key":"k","value":{"a":{"b":1,"b":2}}}"#, "value.a.b"),
        (r#"{"key":"k","value":[1,{"":1,"":1}]}"#, "value.1."),
    ] {
        let told =
            refusal_by_both_interfaces(&admin, "publish_config_version", "/api/config", input)
                .await;
        assert_eq!(told, (field.to_owned(), "unique".to_owned()));
    }
    assert_eq!(app.count_rows("config_log").await, 0);
}

#[tokio::test]
async fn a_message_with_a_repeated_name_is_refused() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let publish = r#""arguments":{"key":"k","value":1}"#;
    let named = r#""name":"publish_config_version""#;
    for (message, field) in [
        (
            format!(r#""params":{{{named},"name":"get_me",{publish}}}"#),
            "params.name",
        ),
        (
            format!(r#""params":{{{named},{publish},{publish}}}"#),
            "params.arguments",
        ),
        (
            format!(r#""params":{{{named},{publish}}},"params":{{}}"#),
            "params",
        ),
        (
            format!(r#""method":"ping","params":{{{named},{publish}}}"#),
            "method",
        ),
        (
            format!(r#""params":{{{named},{publish},"_meta":{{"a":1,"a":1}}}}"#),
            "params._meta.a",
        ),
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call",{message}}}"#);
        let answer = post_text(&admin, "/api/mcp", message).await;
        assert_eq!(answer.invalid_fields(), [field]);
    }
    assert_eq!(app.count_rows("config_log").await, 0);
}

#[tokio::test]
async fn both_interfaces_name_the_field_that_is_nested_too_deep() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for levels in [65, 100, 125, 126, 127, 128, 200, 10_000] {
        let value = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let input = format!(r#"{{"key":"k","value":{value}}}"#);
        let told =
            refusal_by_both_interfaces(&admin, "publish_config_version", "/api/config", &input)
                .await;
        assert_eq!(
            told,
            ("value".to_owned(), "maxDepth".to_owned()),
            "{levels}"
        );
    }
    assert_eq!(app.count_rows("config_log").await, 0);
}

#[tokio::test]
async fn whole_numbers_are_kept_exactly_or_refused() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for (n, number) in [
        "9007199254740993",
        "-9007199254740993",
        "18446744073709551615",
        "-9223372036854775808",
    ]
    .into_iter()
    .enumerate()
    {
        let input = format!(r#"{{"key":"k{n}","value":[{number}]}}"#);
        post_text(&admin, "/api/config", input.clone())
            .await
            .expect(200);
        let by_tool = call_tool(&admin, "publish_config_version", &input).await;
        assert!(
            by_tool.text.contains("\"isError\":false"),
            "{}",
            by_tool.text
        );
        let log = admin
            .get(&format!("/api/config/log?key=k{n}"))
            .await
            .expect(200);
        assert_eq!(
            log.text.matches(&format!("[{number}]")).count(),
            2,
            "{}",
            log.text
        );
    }
    for number in ["18446744073709551616", "-9223372036854775809"] {
        let input = format!(r#"{{"key":"k","value":{{"n":[{number}]}}}}"#);
        let told =
            refusal_by_both_interfaces(&admin, "publish_config_version", "/api/config", &input)
                .await;
        assert_eq!(
            told,
            ("value.n.0".to_owned(), "exact".to_owned()),
            "{number}"
        );
    }
    assert_eq!(app.count_rows("config_log").await, 8);
}

#[tokio::test]
async fn a_key_distinguishes_integers_beyond_double_precision() {
    let app = TestApp::new().await;
    let admin = app
        .as_member(Role::Admin)
        .await
        .with_idempotency_key("uma-chave-1");
    let input = |number: u64| json!({ "key": "k", "value": number });
    let first = admin
        .post("/api/config", input(9_007_199_254_740_993))
        .await;
    let again = admin
        .post("/api/config", input(9_007_199_254_740_993))
        .await;
    assert_eq!(first.expect(200).text, again.expect(200).text);
    for other in [9_007_199_254_740_992, 9_007_199_254_740_994, u64::MAX] {
        let other = admin.post("/api/config", input(other)).await;
        other.expect_refusal(409, "IDEMPOTENCY_KEY_REUSED");
    }
}

#[tokio::test]
async fn the_number_of_values_in_an_input_is_limited() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let list = |values: usize| vec!["1"; values].join(",");
    let config = |values: usize| format!(r#"{{"key":"k","value":[{}]}}"#, list(values - 2));
    let kept = post_text(&admin, "/api/config", config(50_003)).await;
    assert_eq!(kept.invalid_fields(), ["corpo"]);
    let told = refusal_by_both_interfaces(
        &admin,
        "publish_config_version",
        "/api/config",
        &config(50_001),
    )
    .await;
    assert_eq!(told, ("corpo".to_owned(), "maxValues".to_owned()));
    post_text(&admin, "/api/config", config(50_000))
        .await
        .expect(200);
    let kept = call_tool(&admin, "publish_config_version", &config(49_999)).await;
    assert!(kept.text.contains("\"isError\":false"), "{}", kept.text);
}

#[tokio::test]
async fn at_most_fifty_field_errors_are_reported_and_more_are_announced() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for (strange, told, more) in [
        (49, 50, Value::Null),
        (50, 50, json!(true)),
        (3_900, 50, json!(true)),
    ] {
        let names: Vec<_> = (0..strange)
            .map(|n| format!(r#""estranho{n}":{n}"#))
            .collect();
        let input = format!("{{{}}}", names.join(","));
        let answer = post_text(&lead, "/api/demanda", input.clone()).await;
        assert_eq!(answer.invalid_fields().len(), told);
        assert_eq!(answer.body["details"]["more_fields"], more);
        assert!(answer.text.len() < 10_000);
        let by_tool = call_tool(&lead, "create_demand", &input).await;
        assert!(by_tool.text.len() < 10_000 && by_tool.text.contains("e outras"));
    }
}

#[tokio::test]
async fn a_body_sent_without_a_credential_has_a_lower_limit() {
    let app = TestApp::new().await;
    let anyone = app.anonymous();
    for path in ["/auth/v1/token?grant_type=password", "/auth/v1/verify"] {
        let input = |bytes: usize| format!(r#"{{"email":"{}"}}"#, "x".repeat(bytes - 12));
        assert_eq!(post_text(&anyone, path, input(16_000)).await.status, 400);
        let refused = post_text(&anyone, path, input(16_001)).await;
        assert_eq!(
            refused.expect_refusal(413, "PAYLOAD_TOO_LARGE").body["details"]["limit"],
            16_000
        );
    }
}
