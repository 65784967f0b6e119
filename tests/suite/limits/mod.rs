//! The validation of tool input, field by field.

mod blanks;
mod dates;
mod fields;
mod lengths;
mod text;

use domain::{Level, Role};
use gateway::Entry;
use serde_json::{Map, Value};

use crate::support::{Answer, Client, TestApp, examples::required_input, published_name};

/// The id of an event that does not exist. Input is validated before the event is loaded.
const NO_EVENT: &str = "0198c0de-0000-7000-8000-000000000000";

/// Returns the required fields of an operation's example. The resources that they name need not
/// exist, because input is validated before resources are loaded.
fn minimal_input(name: &str) -> Value {
    Value::Object(required_input(name))
}

/// Returns the operations that are tools. Both interfaces serve them.
fn tool_entries() -> impl Iterator<Item = &'static Entry> {
    tools::operations().filter(|entry| entry.spec.tool)
}

fn input_properties(entry: &Entry) -> Map<String, Value> {
    entry.input_schema()["properties"]
        .as_object()
        .expect("properties")
        .clone()
}

/// Creates a member who may call every tool; returns a client of this member.
async fn admin_client(app: &TestApp) -> Client {
    let member = app.add_member_with(Role::Admin, Level::Admin, true).await;
    app.session_client(&member).await
}

/// Sends the input over REST: placeholders in the path, all other fields in the body or the query.
async fn send_over_rest(client: &Client, entry: &Entry, mut input: Value) -> Answer {
    let fields = input.as_object_mut().expect("an object");
    let mut path = entry.spec.path.to_owned();
    for name in entry.spec.placeholders() {
        let value = fields.remove(name).expect("the placeholder");
        path = path.replace(&format!("{{{name}}}"), value.as_str().expect("text"));
    }
    if entry.spec.has_body() {
        let method = entry.spec.verb.as_str().parse().expect("a method");
        return client
            .send(method, &path, Some(input.to_string().into()))
            .await;
    }
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields {
        let text = value.as_str().map_or_else(|| value.to_string(), Into::into);
        query.append_pair(name, &text);
    }
    let method = entry.spec.verb.as_str().parse().expect("a method");
    client
        .send(method, &format!("{path}?{}", query.finish()), None)
        .await
}

/// Asserts that both interfaces refuse the input with 400 and name exactly this field.
async fn assert_refused_by_name(client: &Client, entry: &Entry, field: &str, input: &Value) {
    let name = entry.spec.name;
    let answer = send_over_rest(client, entry, input.clone()).await;
    assert_eq!(answer.status, 400, "{name} {input}: {}", answer.text);
    let mut fields = answer.invalid_fields();
    fields.dedup();
    assert_eq!(fields, [field], "{name} {input}: {}", answer.text);
    let tool = client.call_tool(name, input.clone()).await;
    assert!(
        tool.is_error && tool.text.starts_with("INVALID_INPUT"),
        "{name} {input}"
    );
    // An unknown field is named as it was sent.
    let is_known = input_properties(entry).contains_key(field);
    let named = match is_known {
        true => published_name(field),
        false => field.to_owned(),
    };
    assert!(
        tool.text.contains(&format!("`{named}`")),
        "{name} {input}: {}",
        tool.text
    );
}

/// Texts that reveal faulty handling of Unicode, escapes, SQL and markup.
pub const TEXTS: [&str; 16] = [
    "Ação e reação",
    "Ac\u{327}a\u{303}o decomposta",
    "👩‍👩‍👧‍👦 família 🏳️‍🌈 🇧🇷",
    "مرحبا \u{202e}ao contrário\u{202c} שלום",
    "Z\u{351}\u{36b}\u{343}\u{36a}\u{302}\u{36b}\u{33d}a\u{34f}\u{334}l\u{323}go",
    "\u{feff}com BOM",
    "largura\u{200b}zero\u{2060}",
    "\u{10ffff}\u{fffd}\u{e000}",
    "separador\u{2028}de\u{2029}linha",
    "\u{1}\u{8}\u{b}\u{1f}\u{7f}\u{85} controles",
    "\t recuo\r\nlinha \r\n",
    "aspas \" ' ` e \\ barra \\u0041 \\\" fim\\",
    "'; DROP TABLE events; -- $1 ?1 :x",
    "100% _ \\% [a-z]* {0} %s",
    "<script>alert('&amp;')</script>",
    "ﬁ ŉ ẞ İ ı ǅ",
];

#[tokio::test]
async fn half_of_a_surrogate_pair_is_not_json() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for title in [r"\ud83c", r"\udf89", r"\udf89\ud83c", r"\ud83cx", r"\u12"] {
        let body = format!(r#"{{"title":"{title}"}}"#);
        let answer = lead
            .send(axum::http::Method::POST, "/api/demanda", Some(body.into()))
            .await;
        assert_eq!(answer.invalid_fields(), ["corpo"], "{title}");
    }
    let body = r#"{"title":"\ud83c\udf89"}"#;
    let answer = lead
        .send(axum::http::Method::POST, "/api/demanda", Some(body.into()))
        .await;
    assert_eq!(answer.expect(200).body["event"]["title"], "🎉");
}
