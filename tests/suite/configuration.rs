//! Versioned configuration: values of any JSON type, the log of all versions, and pages of lists.

use axum::http::Method;
use domain::Role;
use serde_json::{Value, json};

use crate::support::{Client, TestApp};

async fn publish_version(admin: &Client, key: &str, value: Value) -> i64 {
    let answer = admin
        .post("/api/config", json!({ "key": key, "value": value }))
        .await
        .expect(200);
    assert_eq!(
        (&answer.body["ok"], &answer.body["key"]),
        (&json!(true), &json!(key))
    );
    answer.body["version"].as_i64().expect("a version")
}

#[tokio::test]
async fn any_json_is_returned_as_it_was_published() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let values = [
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(0.1),
        json!(1e300),
        json!(5e-324),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(9_007_199_254_740_993_i64),
        json!(""),
        json!("a\u{0}b \u{1f} \u{7f} \u{2028} 🎉"),
        json!([]),
        json!({}),
        json!([null, [null, [null]], {}, { "a": [] }]),
        json!({ "": 1, " ": 2, "ação": 3, "ac\u{327}a\u{303}o": 4, "🎉": 5, "\u{0}": 6, "__proto__": 7 }),
        json!({ "z": 1, "a": { "c": null, "b": [1, "2", 3.5, true] } }),
        json!("x".repeat(200_000)),
    ];
    for (version, value) in (1i64..).zip(&values) {
        assert_eq!(publish_version(&admin, "k", value.clone()).await, version);
        let entry = admin.get("/api/config").await.expect(200).body["config"]["k"].clone();
        assert_eq!(&entry["value"], value);
        assert_eq!(entry["version"], version);
        let log = admin.get("/api/config/log?limit=1").await.expect(200).body;
        assert_eq!(&log["log"][0]["value"], value);
    }
    let log = admin.get("/api/config/log").await.expect(200).body;
    let logged: Vec<_> = log["log"]
        .as_array()
        .expect("a list")
        .iter()
        .rev()
        .collect();
    assert_eq!(logged.len(), values.len());
    for (version, value) in logged.iter().zip(&values) {
        assert_eq!(&version["value"], value, "an earlier version has changed");
    }
}

#[tokio::test]
async fn mcp_returns_the_same_json() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let value = json!({ "nulo": null, "lista": [1, [2.5, { "é": "🎉" }]], "n": u64::MAX });
    let published = admin
        .call_tool(
            "publish_config_version",
            json!({ "key": "k", "value": value }),
        )
        .await;
    assert_eq!(published.structured["version"], 1);
    let read = admin.call_tool("get_config", json!({})).await.structured;
    assert_eq!(read["config"]["k"]["value"], value);
    assert_eq!(read, admin.get("/api/config").await.expect(200).body);
}

#[tokio::test]
async fn those_who_change_the_configuration_read_the_shapes_of_known_keys() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    publish_version(&admin, "a", json!(1)).await;
    publish_version(&admin, "b", json!(2)).await;
    let page = admin.get("/api/config?limit=1").await.expect(200).body;
    let shapes = page["formatos"].as_object().expect("shapes");
    let keys: Vec<&str> = shapes.keys().map(String::as_str).collect();
    let known = [
        "aprovacao",
        "comercial.comissoes",
        "conhecimento.sinonimos",
        "marca",
    ];
    assert_eq!(keys, known);
    let cursor = page["next_cursor"].as_str().expect("a second page");
    let second = admin
        .get(&format!("/api/config?limit=1&cursor={cursor}"))
        .await
        .expect(200)
        .body;
    assert!(second.get("formatos").is_none(), "{second}");
    let one = admin.get("/api/config?key=marca").await.expect(200).body;
    assert_eq!(one["formatos"].as_object().expect("shapes").len(), 1);
    let other = admin.get("/api/config?key=outra").await.expect(200).body;
    assert!(other.get("formatos").is_none(), "{other}");
    let reader = app.as_member(Role::Criador).await;
    let read = reader.get("/api/config").await.expect(200).body;
    assert!(read.get("formatos").is_none(), "{read}");
}

#[tokio::test]
async fn one_key_can_be_read_alone() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for key in ["estilo", "estilo.claro", "outra"] {
        publish_version(&admin, key, json!({ "nome": key })).await;
    }
    let read = admin.get("/api/config?key=estilo").await.expect(200).body;
    let keys: Vec<_> = read["config"].as_object().expect("keys").keys().collect();
    assert_eq!(keys, ["estilo"]);
    assert_eq!(read["next_cursor"], Value::Null);
    let tool = admin
        .call_tool("get_config", json!({ "key": "estilo" }))
        .await;
    assert_eq!(tool.structured, read);
    let absent = admin.get("/api/config?key=nenhuma").await.expect(200).body;
    assert_eq!(absent["config"], json!({}));
}

#[tokio::test]
async fn a_number_that_no_double_can_represent_is_refused() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for number in [
        "1e400", "-1e400", "NaN", "Infinity", "01", "+1", ".5", "1.", "0x10",
    ] {
        let body = format!(r#"{{"key":"k","value":{number}}}"#);
        let answer = admin
            .send(Method::POST, "/api/config", Some(body.into()))
            .await;
        assert_eq!(answer.invalid_fields(), ["corpo"], "{number}");
    }
    assert_eq!(app.count_rows("config_log").await, 0);
}

#[tokio::test]
async fn a_value_is_required_though_it_may_be_null() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    assert_eq!(
        admin
            .post("/api/config", json!({ "key": "k" }))
            .await
            .invalid_fields(),
        ["value"]
    );
    assert_eq!(
        admin
            .post("/api/config", json!({ "value": 1 }))
            .await
            .invalid_fields(),
        ["key"]
    );
    assert_eq!(publish_version(&admin, "k", Value::Null).await, 1);
}

/// Lists nested to this depth.
fn nested_list(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, _| json!([inner]))
}

#[tokio::test]
async fn every_published_value_can_be_read_over_rest_and_mcp() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for depth in [
        1, 63, 64, 65, 100, 120, 124, 125, 126, 127, 128, 1_000, 100_000,
    ] {
        // The test cannot build such a deep `Value`, so it writes the value as text.
        let value = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let body = format!(r#"{{"key":"k","value":{value}}}"#);
        let answer = admin
            .send(Method::POST, "/api/config", Some(body.into()))
            .await;
        if depth <= 64 {
            answer.expect(200);
            let log = admin.get("/api/config/log?limit=1").await.expect(200).body;
            assert_eq!(log["log"][0]["value"], nested_list(depth));
        } else {
            assert_eq!(answer.status, 400, "{depth}: {}", answer.text);
        }
        let tool = admin.call_tool("get_config", json!({})).await;
        assert!(
            !tool.is_error && tool.rpc_error.is_none(),
            "{depth}: {tool:?}"
        );
    }
}

#[tokio::test]
async fn keys_are_listed_in_order_and_in_pages() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let keys = [
        "a", "a b", "a.b", "a/b", "ab", "á", "z", "ç", "日本", "🎉", "B", "_", "%", "\"", "\\",
        "a\nb", "a\\u0000",
    ];
    for key in keys {
        publish_version(&admin, key, json!(key)).await;
    }
    // The longest keys, and the keys with the longest cursor.
    let long = [
        "🎉".repeat(200),
        format!("{}a", "\u{1}".repeat(199)),
        "\"".repeat(200),
    ];
    for key in &long {
        publish_version(&admin, key, json!(key)).await;
    }
    let total = keys.len() + long.len();
    for limit in [1, 3, total, 200] {
        let (mut seen, mut cursor) = (vec![], String::new());
        loop {
            let path = format!("/api/config?limit={limit}{cursor}");
            let page = admin.get(&path).await.expect(200).body;
            for (key, entry) in page["config"].as_object().expect("an object") {
                assert_eq!(entry["value"], key.as_str());
                seen.push(key.clone());
            }
            let Some(next) = page["next_cursor"].as_str() else {
                break;
            };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(seen.len(), total, "limit {limit}");
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), total, "limit {limit}");
    }
}

#[tokio::test]
async fn the_log_is_listed_newest_first_in_pages_without_gaps() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let admin = app.session_client(&member).await;
    let mut published = vec![];
    for n in 0..12 {
        // Publishes three keys at the same instant, and the next three later.
        let key = ["b", "a", "c"][n % 3];
        let version = publish_version(&admin, key, json!(n)).await;
        published.push((app.now(), key, version));
        if n % 3 == 2 {
            app.advance_clock(5);
        }
    }
    published.sort_by(|one, other| (-one.0, one.1, -one.2).cmp(&(-other.0, other.1, -other.2)));
    let expected: Vec<_> = published
        .iter()
        .map(|(_, key, version)| (*key, *version))
        .collect();
    for limit in [1, 2, 5, 12, 13] {
        let (mut seen, mut cursor) = (vec![], String::new());
        loop {
            let path = format!("/api/config/log?limit={limit}{cursor}");
            let page = admin.get(&path).await.expect(200).body;
            for line in page["log"].as_array().expect("a list") {
                assert_eq!(line["updated_by"], member.id.as_str());
                assert_eq!(line["updated_by_name"], member.name.as_str());
                let key = line["key"].as_str().expect("a key").to_owned();
                seen.push((key, line["version"].as_i64().expect("a version")));
            }
            let Some(next) = page["next_cursor"].as_str() else {
                break;
            };
            cursor = format!("&cursor={next}");
        }
        let seen: Vec<_> = seen
            .iter()
            .map(|(key, version)| (&**key, *version))
            .collect();
        assert_eq!(seen, expected, "limit {limit}");
    }
    let of_a = admin.get("/api/config/log?key=a").await.expect(200).body;
    let versions: Vec<_> = of_a["log"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|l| l["version"].clone())
        .collect();
    assert_eq!(versions, [4, 3, 2, 1]);
    let of_none = admin.get("/api/config/log?key=A").await.expect(200).body;
    assert_eq!(of_none, json!({ "log": [], "next_cursor": null }));
}

#[tokio::test]
async fn versions_published_at_the_same_instant_have_different_times() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for _ in 0..3 {
        publish_version(&admin, "k", json!(1)).await;
    }
    let log = admin.get("/api/config/log").await.expect(200).body;
    let times: Vec<_> = log["log"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|l| l["updated_at"].clone())
        .collect();
    assert_eq!(
        times,
        [
            "2026-08-22T15:00:00.002Z",
            "2026-08-22T15:00:00.001Z",
            "2026-08-22T15:00:00.000Z"
        ]
    );
    let entry = admin.get("/api/config").await.expect(200).body["config"]["k"].clone();
    assert_eq!(entry["updated_at"], times[0]);
}

#[tokio::test]
async fn publishing_the_same_value_again_creates_a_new_version() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    assert_eq!(publish_version(&admin, "k", json!({ "a": 1 })).await, 1);
    assert_eq!(publish_version(&admin, "k", json!({ "a": 1 })).await, 2);
    assert_eq!(publish_version(&admin, "K", json!({ "a": 1 })).await, 1);
}

#[tokio::test]
async fn an_expected_version_that_is_not_the_current_one_is_refused() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let publish = async |value: &str, expected: Option<i64>| {
        let mut input = json!({ "key": "tom", "value": value });
        if let Some(expected) = expected {
            input["expected_version"] = expected.into();
        }
        admin.post("/api/config", input).await
    };
    for expected in [1, 9_007_199_254_740_991] {
        let refused = publish("x", Some(expected))
            .await
            .expect_refusal(409, "STALE_REVISION");
        assert_eq!(refused.body["details"]["current"], 0);
    }
    publish("x", Some(0)).await.expect(200);
    for expected in [0, 2] {
        let refused = publish("y", Some(expected))
            .await
            .expect_refusal(409, "STALE_REVISION");
        assert_eq!(refused.body["details"]["current"], 1);
    }
    assert_eq!(publish("y", Some(1)).await.expect(200).body["version"], 2);
    assert_eq!(publish("z", None).await.expect(200).body["version"], 3);
    assert_eq!(app.count_rows("config_log").await, 3);
}
