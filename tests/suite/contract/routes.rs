//! The routes of the contract: built routes agree with it, and the others are listed as missing.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Auth, Built, CONTRACT, Published, Route, Rule};
use crate::support::TestApp;

/// Operation ids of the contract that are not built yet, one per line.
const MISSING: &str = include_str!("missing.txt");

#[test]
fn the_contract_has_91_routes_with_distinct_names_and_paths() {
    assert_eq!(CONTRACT.len(), 91);
    let names: BTreeSet<_> = CONTRACT.iter().map(|r| &r.operation_id).collect();
    assert_eq!(names.len(), 91);
    let places: BTreeSet<_> = CONTRACT.iter().map(|r| (&r.method, &r.path)).collect();
    assert_eq!(places.len(), 91);
}

#[test]
fn every_route_of_the_contract_is_built_or_listed_as_missing_never_both() {
    let in_contract = |id: &str| CONTRACT.iter().any(|route| route.operation_id == id);
    let built: Vec<String> = Built::all_routes()
        .into_iter()
        .map(|b| b.operation_id)
        .collect();
    let built: Vec<&str> = built
        .iter()
        .map(String::as_str)
        .filter(|id| in_contract(id))
        .collect();
    let mut found: Vec<&str> = MISSING.lines().chain(built).collect();
    found.sort_unstable();
    let mut all: Vec<&str> = CONTRACT.iter().map(|r| r.operation_id.as_str()).collect();
    all.sort_unstable();
    let (once, twice) = split_duplicates(&found);
    let absent: Vec<_> = all.iter().filter(|id| !once.contains(*id)).collect();
    assert!(
        twice.is_empty(),
        "these are built, so remove them from tests/suite/contract/missing.txt: {twice:?}"
    );
    assert!(
        absent.is_empty(),
        "these are not built, so list them in tests/suite/contract/missing.txt: {absent:?}"
    );
    assert_eq!(
        found, all,
        "missing.txt names an operation that the contract does not have"
    );
}

/// Returns the distinct names, and the names that occur more than once.
fn split_duplicates<'a>(sorted: &[&'a str]) -> (BTreeSet<&'a str>, Vec<&'a str>) {
    let twice = sorted
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| pair[0])
        .collect();
    (sorted.iter().copied().collect(), twice)
}

#[tokio::test]
async fn every_built_route_agrees_with_the_contract() {
    let app = TestApp::new().await;
    let published = Published::load(&app).await;
    let mut faults = vec![];
    for built in Built::all_routes() {
        let route = CONTRACT
            .iter()
            .find(|route| route.operation_id == built.operation_id);
        if let Some(route) = route {
            collect_disagreements(route, &published, &mut faults);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn collect_disagreements(route: &Route, published: &Published, faults: &mut Vec<String>) {
    let id = &route.operation_id;
    let rule = Rule::of_operation(id);
    let row = published.catalog_row(id);
    let object = published.openapi_operation(&route.method, &route.path);
    let mut expect = |what: &str, found: &Value, wanted: Value| {
        if *found != wanted {
            faults.push(format!(
                "{id}: {what} is {found}, the contract says {wanted}"
            ));
        }
    };
    expect("method", &row["method"], json!(route.method));
    expect("path", &row["path"], json!(route.path));
    expect("area", &row["area"], json!(route.area));
    expect("permissao", &row["permissao"], json!(route.capability));
    expect("nivel_minimo", &row["nivel_minimo"], json!(route.min_level));
    expect(
        "somente_sessao",
        &row["somente_sessao"],
        json!(route.auth == Auth::Session),
    );
    expect("webhook", &row["webhook"], json!(rule.auth.is_webhook()));
    expect(
        "ferramenta_mcp",
        &row["ferramenta_mcp"],
        json!(route.mcp_tool),
    );
    expect("contrato", &row["contrato"], json!(true));
    if rule.capabilities.len() > 1 {
        expect("permissoes", &row["permissoes"], json!(rule.capabilities));
    }
    expect("operationId in OpenAPI", &object["operationId"], json!(id));
    expect("tag in OpenAPI", &object["tags"], json!([route.area]));
    expect("x-extension", &object["x-extension"], Value::Null);
    expect("x-mcp-tool", &object["x-mcp-tool"], json!(route.mcp_tool));
    expect(
        "x-capability",
        &object["x-capability"],
        json!(route.capability),
    );
    if let Some(security) = expected_security(rule.auth) {
        expect("security", &object["security"], security);
    }
    for status in &route.success {
        let response = &object["responses"][status.to_string()];
        if response.is_null() || response.get("$ref").is_some() {
            faults.push(format!(
                "{id}: {status} is not declared as a success, but {response}"
            ));
        }
    }
    for status in &route.errors {
        if object["responses"][status.to_string()].is_null() {
            faults.push(format!("{id}: the refusal {status} is not declared"));
        }
    }
}

/// Returns the expected `security`; `None` if the contract leaves it open, because a webhook has
/// its own credential.
fn expected_security(auth: Auth) -> Option<Value> {
    match auth {
        Auth::Public => Some(json!([])),
        Auth::Session => Some(json!([{ "session": [] }])),
        Auth::SessionOrToken => Some(json!([{ "personalToken": [] }, { "session": [] }])),
        Auth::GuestLink | Auth::SharedSecret | Auth::SharedSecretRead => None,
    }
}

#[tokio::test]
async fn routes_beyond_the_contract_are_marked_as_extensions() {
    let app = TestApp::new().await;
    let published = Published::load(&app).await;
    let beyond = |id: &str| CONTRACT.iter().all(|route| route.operation_id != id);
    let extensions: Vec<Built> = Built::all_routes()
        .into_iter()
        .filter(|built| beyond(&built.operation_id))
        .collect();
    assert!(!extensions.is_empty());
    for built in extensions {
        let id = &built.operation_id;
        assert_eq!(
            published.catalog_row(id)["contrato"],
            false,
            "the catalog lists {id} as part of the contract"
        );
        let object = published.openapi_operation(built.method, built.path);
        assert_eq!(object["x-extension"], true, "{id} in OpenAPI");
        let rule = built.access_rule();
        assert_eq!(published.catalog_row(id)["area"], rule.area, "{id}");
        assert_eq!(
            published.catalog_row(id)["ferramenta_mcp"],
            json!(rule.tool),
            "{id}"
        );
        assert_eq!(
            published.catalog_row(id)["somente_sessao"],
            rule.auth == Auth::Session,
            "{id}"
        );
    }
}
