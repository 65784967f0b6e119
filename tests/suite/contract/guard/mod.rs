//! Tests every credential against every route, by REST and MCP.

mod credentials;
mod narrowing;
mod rights;

use std::collections::BTreeSet;

use axum::http::Method;
use domain::{Level, Role};
use serde_json::json;
use tools::operations;

use super::{Auth, Built, Rule};
use crate::support::{Answer, Client};

/// The capabilities that each level adds; `vendas` depends on the `financeiro` flag instead.
const LEVELS: [(&str, &[&str]); 5] = [
    ("nenhum", &[]),
    (
        "leitor",
        &[
            "config_view",
            "tasks_view",
            "skills_view",
            "projects_view",
            "reels_view",
            "connections_view",
            "email_drafts_view",
            "analytics",
            "rag",
        ],
    ),
    (
        "criador",
        &[
            "art",
            "carousel",
            "draft_save",
            "enviar",
            "email_drafts_edit",
            "projects_edit",
            "roteiro",
            "video",
        ],
    ),
    (
        "lider",
        &[
            "approve",
            "tasks_assign",
            "publish",
            "projects_manage",
            "projects_audit_view",
            "delete",
        ],
    ),
    ("admin", &["config", "connections", "team_admin", "members"]),
];

/// Returns the capabilities of a level and those below it.
fn capabilities_up_to(level: &str) -> BTreeSet<&'static str> {
    let place = LEVELS
        .iter()
        .position(|(name, _)| *name == level)
        .expect("a level");
    LEVELS[..=place]
        .iter()
        .flat_map(|(_, added)| added.iter().copied())
        .collect()
}

/// Returns the capabilities of a member's session.
fn session_capabilities(role: Role, financeiro: bool) -> BTreeSet<&'static str> {
    let mut capabilities = capabilities_up_to(role.as_str());
    capabilities.extend(financeiro.then_some("vendas"));
    capabilities
}

/// Returns the capabilities of a member's token with every scope: its level, limited by the role.
fn token_capabilities(role: Role, level: Level, financeiro: bool) -> BTreeSet<&'static str> {
    let mut capabilities: BTreeSet<_> = capabilities_up_to(level.as_str())
        .intersection(&capabilities_up_to(role.as_str()))
        .copied()
        .collect();
    capabilities.extend((financeiro && level.as_str() != "nenhum").then_some("vendas"));
    capabilities
}

#[derive(Debug, PartialEq)]
enum Verdict {
    Allowed,
    SessionRequired,
    Lacks(&'static str),
}

fn expected_verdict(rule: &Rule, may: &BTreeSet<&'static str>, is_session: bool) -> Verdict {
    if rule.auth == Auth::Session && !is_session {
        return Verdict::SessionRequired;
    }
    match rule.capabilities.first() {
        Some(first) if !rule.capabilities.iter().any(|c| may.contains(c)) => Verdict::Lacks(first),
        _ => Verdict::Allowed,
    }
}

/// Returns the tools that a credential with these capabilities sees, in the order of the table.
fn visible_tools(may: &BTreeSet<&'static str>, is_session: bool) -> Vec<String> {
    tools_where(|rule| expected_verdict(rule, may, is_session) == Verdict::Allowed)
}

fn tools_where(keep: impl Fn(&Rule) -> bool) -> Vec<String> {
    let rules = operations().map(|entry| Rule::of_operation(&entry.spec.operation_id()));
    rules
        .filter(keep)
        .filter_map(|rule| rule.tool.map(Into::into))
        .collect()
}

fn guarded_routes() -> Vec<Built> {
    Built::all_routes()
        .into_iter()
        .filter(|built| built.access_rule().auth.requires_member())
        .collect()
}

/// Calls a route with an unknown field, so that the call fails right after the guard.
async fn call_with_unknown_field(client: &Client, built: &Built) -> Answer {
    let method: Method = built.method.parse().expect("a method");
    let path = built.concrete_path();
    if built.has_body() {
        let body = json!({ "campo_que_nao_existe": true }).to_string();
        client.send(method, &path, Some(body.into())).await
    } else {
        client
            .send(method, &format!("{path}?campo_que_nao_existe=1"), None)
            .await
    }
}

#[track_caller]
fn assert_refused_with_401(answer: Answer, code: &str, what: &str) -> Answer {
    assert_eq!(
        (answer.status, answer.error_code()),
        (401, code),
        "{what}: {}",
        answer.text
    );
    let challenge = answer.headers.get("www-authenticate").expect("a challenge");
    assert!(
        challenge.to_str().expect("text").starts_with("Bearer"),
        "{what}: {challenge:?}"
    );
    assert!(
        !answer.body["error"].as_str().unwrap_or_default().is_empty(),
        "{what}"
    );
    answer
}

/// Asserts that a withheld tool is answered like an unknown one.
async fn assert_unknown_tool(client: &Client, tool: &str) {
    // An error contains the id of its request, so all requests get the same id.
    let client = &client.with_header("x-request-id", "pedido-um");
    let call = |name: String| async move {
        let params = json!({ "name": name, "arguments": {} });
        client.send_rpc("tools/call", params).await
    };
    let withheld = call(tool.to_owned()).await;
    let absent = call("does_not_exist".into()).await;
    assert_eq!(
        withheld.body["error"]["code"], -32602,
        "{tool}: {}",
        withheld.text
    );
    assert_eq!(withheld.status, absent.status, "{tool}");
    assert_eq!(withheld.text.replace(tool, "does_not_exist"), absent.text);
}
