//! Exactly the listed routes are served.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::Method;
use serde_json::{Value, json};

use super::{client_with_every_tool, name_set, parameter_names};
use crate::{
    contract::{Built, Published},
    support::TestApp,
};

const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Returns the methods of each path.
fn group_by_path(
    places: impl IntoIterator<Item = (String, String)>,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut paths = BTreeMap::<String, BTreeSet<String>>::new();
    for (method, path) in places {
        assert!(
            paths
                .entry(path.clone())
                .or_default()
                .insert(method.clone()),
            "{method} {path}"
        );
    }
    paths
}

#[tokio::test]
async fn table_catalog_and_openapi_list_the_same_routes() {
    let app = TestApp::new().await;
    let published = Published::load(&app).await;
    let text = |row: &Value, field: &str| row[field].as_str().expect("text").to_owned();
    let table = group_by_path(
        Built::all_routes()
            .into_iter()
            .map(|b| (b.method.into(), b.path.into())),
    );
    let rows = published.catalog_rows();
    let catalog = group_by_path(
        rows.iter()
            .map(|row| (text(row, "method"), text(row, "path"))),
    );
    let openapi = group_by_path(
        published
            .openapi_operations()
            .map(|(verb, path, _)| (verb, path.into())),
    );
    assert_eq!(catalog, table);
    assert_eq!(openapi, table);
    assert_eq!(published.catalog["total"], rows.len());
    let with_tool = rows
        .iter()
        .filter(|row| row["ferramenta_mcp"].is_string())
        .count();
    assert_eq!(published.catalog["com_ferramenta"], with_tool);
    assert_eq!(
        published.catalog["mcp_url"],
        "http://127.0.0.1:8080/api/mcp"
    );
}

#[tokio::test]
async fn catalog_and_openapi_describe_each_route_alike() {
    let app = TestApp::new().await;
    let published = Published::load(&app).await;
    for row in published.catalog_rows() {
        let (method, path) = (row["method"].as_str(), row["path"].as_str());
        let object = published.openapi_operation(method.expect("text"), path.expect("text"));
        let id = &row["operation_id"];
        assert_eq!(&object["operationId"], id);
        assert_eq!(object["summary"], row["summary"], "{id}");
        assert_eq!(object["tags"], json!([row["area"]]), "{id}");
        assert_eq!(object["x-capability"], row["permissao"], "{id}");
        assert_eq!(object["x-mcp-tool"], row["ferramenta_mcp"], "{id}");
        assert_eq!(
            object["x-extension"] == true,
            row["contrato"] == false,
            "{id}"
        );
        assert_eq!(
            parameter_names(object, "path"),
            name_set(&row["path_params"]),
            "{id}"
        );
        assert_eq!(
            parameter_names(object, "query"),
            name_set(&row["query_params"]),
            "{id}"
        );
    }
}

#[tokio::test]
async fn every_listed_route_is_served_and_no_other_method_is() {
    let app = TestApp::new().await;
    let client = client_with_every_tool(&app).await;
    let unrouted = client
        .get("/api/nada")
        .await
        .expect_refusal(404, "NOT_FOUND")
        .body;
    let mut paths = BTreeMap::<&str, Vec<Built>>::new();
    let built = Built::all_routes();
    for route in &built {
        paths.entry(route.path).or_default().push(route.clone());
    }
    for (path, routes) in paths {
        let served: BTreeSet<&str> = routes.iter().map(|route| route.method).collect();
        let concrete = routes[0].concrete_path();
        for method in METHODS {
            let what = format!("{method} {path}");
            let verb: Method = method.parse().expect("a method");
            // A request without a credential runs no operation, so its status shows only the
            // routing.
            let sender = if path == "/api/mcp" {
                &client
            } else {
                &app.anonymous()
            };
            let answer = sender.send(verb, &concrete, None).await;
            if served.contains(method) {
                assert_ne!(answer.status, 405, "{what}");
                assert_ne!(answer.body, unrouted, "{what} has no route");
                continue;
            }
            let answer = answer.expect_refusal(405, "METHOD_NOT_ALLOWED");
            let allow = answer
                .headers
                .get("allow")
                .unwrap_or_else(|| panic!("{what}: no Allow"));
            let allow: BTreeSet<&str> = allow
                .to_str()
                .expect("text")
                .split(',')
                .map(str::trim)
                .collect();
            let mut expected = served.clone();
            expected.extend(served.contains("GET").then_some("HEAD"));
            assert_eq!(allow, expected, "{what}: Allow");
        }
    }
}

#[tokio::test]
async fn an_unknown_path_gets_the_error_object() {
    let app = TestApp::new().await;
    let client = client_with_every_tool(&app).await;
    for path in [
        "/api",
        "/api/",
        "/api/me/",
        "/api/nada",
        "/api/mcp/x",
        "/API/ME",
        "/api//me",
    ] {
        for sender in [&client, &app.anonymous()] {
            let answer = sender.get(path).await.expect_refusal(404, "NOT_FOUND");
            assert_eq!(answer.headers["content-type"], "application/json", "{path}");
        }
    }
}
