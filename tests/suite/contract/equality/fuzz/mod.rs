//! Sends the same random calls to one service by REST and to its twin by MCP. Responses, state and
//! audit trail must be equal.

mod generate;
mod side;

use serde_json::Value;

use super::telling::{as_tool_text, to_tool_result};
use crate::support::{Answer, count_from, split_request_id};
use generate::{Call, Generator, Known, id_kind};
use side::{Side, is_id};

const SEED: u64 = 20_260_822;

/// Returns the number of calls: 4,000, or the value of `PAUTA_TEST_CALLS`.
fn call_count() -> usize {
    count_from("PAUTA_TEST_CALLS", 4_000)
}

/// Allowed differences between the interfaces. Everything else must be equal.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Allowed {
    /// For a tool that the caller may not use, MCP returns -32602 (unknown tool) and REST 403. Both
    /// leave the same row in the audit trail.
    Withheld,
    /// The position of a JSON syntax error differs: the MCP body also contains the path and the
    /// key.
    Place,
    /// Rows of the audit trail name the interface, and over MCP the tool.
    Interface,
}

impl Allowed {
    /// Returns true if this rule allows the two responses to differ.
    fn permits_difference(self, rest: &Answer, mcp: &Answer) -> bool {
        self == Allowed::Withheld
            && rest.error_code() == "CAPABILITY_REQUIRED"
            && mcp.body["error"]["code"] == -32602
    }

    /// Removes from the text the parts in which this rule lets the two services differ.
    fn remove_differences(self, text: String) -> String {
        let cut = |text: &str, from: &str, to: char| {
            let start = text.find(from)?;
            let end = start + from.len() + text[start + from.len()..].find(to)? + 1;
            Some(format!("{}{}", &text[..start], &text[end..]))
        };
        match self {
            Allowed::Withheld => text,
            Allowed::Place => cut(&text, "(linha ", ')').unwrap_or(text),
            Allowed::Interface => {
                let text = cut(&text, "\"door\":\"", '"').unwrap_or(text);
                cut(&text, ",\"tool\":\"", '"').unwrap_or(text)
            }
        }
    }
}

// Three more differences between the interfaces cannot occur in these calls: only REST can have an
// empty path segment or require a nullable field, and only MCP can send a number where the query
// has text.

/// The compared tables, each with the columns that differ between the services: secrets, and
/// fingerprints over ids.
const TABLES: [(&str, &[&str]); 28] = [
    ("members", &[]),
    ("personal_tokens", &["prefix", "secret_sha256"]),
    ("session_families", &[]),
    ("idempotency_keys", &["fingerprint"]),
    ("events", &[]),
    ("event_assignees", &[]),
    ("event_people", &[]),
    ("event_texts", &[]),
    ("event_history", &[]),
    ("approvals", &[]),
    ("approval_votes", &[]),
    ("remarks", &[]),
    ("remark_mentions", &[]),
    ("config_entries", &[]),
    ("config_log", &[]),
    ("media", &[]),
    ("event_media", &[]),
    ("contents", &[]),
    ("media_jobs", &[]),
    ("videos", &[]),
    ("projects", &[]),
    ("project_operations", &[]),
    ("email_drafts", &[]),
    ("email_draft_html", &[]),
    ("skills", &[]),
    ("skill_versions", &[]),
    ("knowledge_documents", &[]),
    ("knowledge_chunks", &[]),
];

#[tokio::test]
async fn random_calls_have_the_same_outcome_over_both_interfaces() {
    let (mut rest, mut mcp) = (Side::new().await, Side::new().await);
    let mut generator = Generator::new(SEED);
    let mut known = Known {
        kinds: vec!["member".into(); rest.ids.len()],
        ..Known::default()
    };
    let mut outcomes = std::collections::BTreeMap::<String, usize>::new();
    for number in 0..call_count() {
        let call = generator.generate_call(&known);
        // Most calls are made by a caller who has the right to make them.
        let caller = match generator.random.random_bool(60) {
            true => generator.random.random_below(2),
            false => generator.random.random_below(rest.callers.len()),
        };
        let by_rest = rest.call_by_rest(&call, &rest.callers[caller]).await;
        let by_mcp = mcp.call_by_mcp(&call, &mcp.callers[caller]).await;
        let what = || format!("call {number} by caller {caller}: {call:?}");
        let outcome = match by_rest.status < 300 {
            true => "ok".to_owned(),
            false => by_rest.error_code().to_owned(),
        };
        *outcomes.entry(outcome).or_default() += 1;
        if !Allowed::Withheld.permits_difference(&by_rest, &by_mcp) {
            let answer = structured_content(&by_mcp);
            let pair = (
                rest_error_text(&rest, &by_rest),
                mcp_error_text(&mcp, &by_mcp),
            );
            assert_eq!(pair.0, pair.1, "{}", what());
            if by_rest.status < 300 {
                let body = to_tool_result(by_rest.body.clone());
                learn_values(&mut known, (&mut rest, &mut mcp), ("", &body), &answer);
                known.earlier.push(call.clone());
                let pair = (rest.normalise_body(&body), mcp.normalise_body(&answer));
                assert_eq!(pair.0, pair.1, "{}", what());
            }
        }
        let pause = i64::try_from(1 + generator.random.random_below(100)).expect("small");
        for side in [&rest, &mcp] {
            side.app.advance_clock(pause);
        }
    }
    println!("{} calls: {outcomes:?}", call_count());
    for code in [
        "ok",
        "INVALID_INPUT",
        "CAPABILITY_REQUIRED",
        "NOT_FOUND",
        "STALE_REVISION",
        "IDEMPOTENCY_KEY_REUSED",
    ] {
        assert!(
            outcomes.contains_key(code),
            "no call got the answer {code}: {outcomes:?}"
        );
    }
    for side in [&rest, &mcp] {
        side.app.app.write_all_reads().await;
    }
    // Without such rows, the comparison of the tables would not cover decisions in stages.
    let decided = "event_history WHERE changes LIKE '%\"stage\"%'";
    assert!(
        rest.app.count_rows(decided).await > 0,
        "nobody decided in a stage"
    );
    for (table, but) in TABLES {
        let pair = (
            normalised_rows(&rest, table, but).await,
            normalised_rows(&mcp, table, but).await,
        );
        assert_same_rows(table, pair);
    }
    assert_same_rows(
        "audit_events",
        (audit_rows(&rest).await, audit_rows(&mcp).await),
    );
}

/// Returns the structured content of a tool result.
fn structured_content(mcp: &Answer) -> Value {
    mcp.body["result"]["structuredContent"].clone()
}

/// Returns the error text of REST in the form of a tool result; `None` for a success.
fn rest_error_text(side: &Side, answer: &Answer) -> Option<String> {
    let words = (answer.status >= 300).then(|| side.normalise_text(&as_tool_text(&answer.body)));
    words.map(|words| Allowed::Place.remove_differences(words))
}

fn mcp_error_text(side: &Side, answer: &Answer) -> Option<String> {
    // The request was refused before the message was read.
    if answer.status != 200 {
        return Some(side.normalise_text(&as_tool_text(&answer.body)));
    }
    let result = &answer.body["result"];
    if result["isError"] == false {
        return None;
    }
    let text = result["content"][0]["text"].as_str();
    let (text, _) = split_request_id(text.unwrap_or(&answer.text));
    Some(Allowed::Place.remove_differences(side.normalise_text(text)))
}

/// Collects ids, revisions and tokens from the responses of both services to one call.
fn learn_values(known: &mut Known, sides: (&mut Side, &mut Side), at: (&str, &Value), mcp: &Value) {
    let (rest_side, mcp_side) = sides;
    let (field, rest) = at;
    match (rest, mcp) {
        (Value::String(one), Value::String(other)) if is_id(one) && is_id(other) => {
            let first = rest_side.ids.iter().position(|id| id == one);
            let second = mcp_side.ids.iter().position(|id| id == other);
            assert_eq!(first, second, "{field} names another resource at the twin");
            if first.is_none() {
                rest_side.ids.push(one.clone());
                mcp_side.ids.push(other.clone());
                known.kinds.push(id_kind(field).unwrap_or("other").into());
            }
        }
        (Value::Array(ones), Value::Array(others)) => {
            for (one, other) in ones.iter().zip(others) {
                learn_values(known, (rest_side, mcp_side), (field, one), other);
            }
        }
        (Value::Object(one), Value::Object(other)) => {
            for (name, value) in one {
                // An `id` has the kind of the object that contains it.
                let field = if name == "id" { field } else { name.as_str() };
                let other = other.get(name).unwrap_or(&Value::Null);
                learn_values(known, (rest_side, mcp_side), (field, value), other);
            }
            let id = ["event_id", "id", "project_id"]
                .iter()
                .find_map(|name| one.get(*name)?.as_str());
            let number = id.and_then(|id| rest_side.ids.iter().position(|known| known == id));
            let revision = ["api_revision", "revision"]
                .iter()
                .find_map(|name| one.get(*name));
            if let (Some(number), Some(revision)) = (number, revision) {
                known.revisions.insert(number, revision.clone());
            }
            if let (true, Some(token)) = (one.contains_key("template_id"), one.get("updated_at")) {
                known.tokens.push(token.clone());
            }
        }
        _ => {}
    }
}

async fn normalised_rows(side: &Side, table: &str, but: &[&str]) -> Vec<String> {
    let rows = side.app.table_texts(table, but).await;
    let mut rows: Vec<String> = rows.iter().map(|row| normalise_row(side, row)).collect();
    rows.sort();
    rows
}

/// Removes the signatures of links from a row. Signatures differ because they cover ids.
fn normalise_row(side: &Side, row: &str) -> String {
    let mut plain = String::new();
    let row = side.normalise_text(row);
    let mut parts = row.split("sig=1.");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let signed = part.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c));
        plain.push_str(&part[signed.unwrap_or(part.len())..]);
    }
    plain
}

async fn audit_rows(side: &Side) -> Vec<String> {
    let rows = normalised_rows(side, "audit_events", &["id", "request_id"]).await;
    let rows = rows.into_iter();
    let mut rows: Vec<String> = rows
        .map(|row| Allowed::Interface.remove_differences(row))
        .collect();
    rows.sort();
    rows
}

#[track_caller]
fn assert_same_rows(table: &str, (rest, mcp): (Vec<String>, Vec<String>)) {
    let odd = rest.iter().zip(&mcp).find(|(one, other)| one != other);
    assert_eq!(odd, None, "{table}");
    assert_eq!(rest.len(), mcp.len(), "{table}");
}

#[tokio::test]
async fn a_difference_between_the_services_is_detected() {
    let call = |title: &str| Call {
        tool: "create_demand",
        arguments: [("title".to_owned(), title.into())].into_iter().collect(),
        key: None,
        key_in_header: false,
        twice: None,
    };
    let (rest, mcp) = (Side::new().await, Side::new().await);
    let by_rest = rest
        .call_by_rest(&call("Festa"), &rest.callers[0])
        .await
        .expect(200);
    let by_mcp = mcp
        .call_by_mcp(&call("Feira"), &mcp.callers[0])
        .await
        .expect(200);
    assert_ne!(
        rest.normalise_body(&by_rest.body),
        mcp.normalise_body(&structured_content(&by_mcp))
    );
    let pair = (
        normalised_rows(&rest, "events", &[]).await,
        normalised_rows(&mcp, "events", &[]).await,
    );
    assert_ne!(pair.0, pair.1);
}
