//! The contract of the interface, checked against what the service publishes and does.
//!
//! `routes.json` contains the routes of the contract, `missing.txt` those that are not built yet,
//! and `extensions.json` the access rules of the other routes. These tests cover a new route in the
//! table without further code, with its example as input. If a step of adding a route is forgotten,
//! a test in `stops` says which.

mod budgets;
mod circles;
pub mod edges;
mod equality;
mod examples;
mod guard;
mod lean;
mod live;
mod log_texts;
mod mcp_protocol;
mod parts;
mod projections;
mod providers;
mod reads;
mod routes;
mod stops;

use std::sync::LazyLock;

use domain::Role;
use gateway::ErrorForm;
use serde::Deserialize;
use serde_json::Value;
use tools::{operations, pages};

use crate::support::{Client, TestApp};

/// An id that does not exist.
pub const UNKNOWN_ID: &str = "0198c0de-0000-7000-8000-00000000000a";

/// A route of the contract.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    pub area: String,
    pub method: String,
    pub path: String,
    pub operation_id: String,
    pub auth: Auth,
    pub capability: Option<String>,
    pub min_level: Option<String>,
    pub mcp_tool: Option<String>,
    pub success: Vec<u16>,
    pub errors: Vec<u16>,
}

/// A route that is not in the contract.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Extension {
    area: String,
    operation_id: String,
    auth: Auth,
    /// The caller needs at least one of these capabilities.
    capabilities: Vec<String>,
    mcp_tool: Option<String>,
}

/// The credential that a route requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Auth {
    Public,
    Session,
    SessionOrToken,
    SharedSecret,
    SharedSecretRead,
    /// The link of a guest.
    GuestLink,
}

impl Auth {
    /// Returns whether the operation itself checks the sender's credential.
    pub fn is_webhook(self) -> bool {
        matches!(self, Auth::SharedSecret | Auth::SharedSecretRead)
    }

    /// Returns whether the route requires a member.
    pub fn requires_member(self) -> bool {
        matches!(self, Auth::Session | Auth::SessionOrToken)
    }
}

/// The 91 routes of the contract.
pub static CONTRACT: LazyLock<Vec<Route>> =
    LazyLock::new(|| serde_json::from_str(include_str!("routes.json")).expect("routes"));

static EXTENSIONS: LazyLock<Vec<Extension>> =
    LazyLock::new(|| serde_json::from_str(include_str!("extensions.json")).expect("extensions"));

/// The e-mail provider sends no bearer token: the signature of its message is the credential.
const SIGNED: &str = "receiveEmailDeliveryEvents";
/// Another capability that suffices for an operation: a caller may have it instead of the
/// capability in the contract.
const ALTERNATIVES: [(&str, &str); 1] = [("applyProjectOperation", "projects_manage")];

/// The access rule of a route, from the contract and not from the table.
pub struct Rule {
    pub auth: Auth,
    /// The caller needs at least one of these capabilities. The list is empty if membership
    /// suffices.
    pub capabilities: Vec<&'static str>,
    pub area: &'static str,
    pub tool: Option<&'static str>,
}

impl Rule {
    /// Returns the rule of a built route.
    pub fn of_operation(operation_id: &str) -> Self {
        if let Some(route) = CONTRACT.iter().find(|r| r.operation_id == operation_id) {
            let more = ALTERNATIVES.iter().filter(|(id, _)| *id == operation_id);
            let capabilities = route.capability.as_deref().into_iter();
            return Self {
                auth: if operation_id == SIGNED {
                    Auth::SharedSecret
                } else {
                    route.auth
                },
                capabilities: capabilities.chain(more.map(|(_, name)| *name)).collect(),
                area: &route.area,
                tool: route.mcp_tool.as_deref(),
            };
        }
        let extension = EXTENSIONS.iter().find(|e| e.operation_id == operation_id);
        let extension = extension.unwrap_or_else(|| {
            panic!(
                "only the table says who may call {operation_id}. Add what was decided, not what \
                 the spec says, to tests/suite/contract/extensions.json: {{\"area\": …, \
                 \"operation_id\": \"{operation_id}\", \"auth\": \"public\", \
                 \"session\", \"guest_link\" or \"session_or_token\", \"capabilities\": [any of which is enough], \
                 \"mcp_tool\": its name or null}}"
            )
        });
        Self {
            auth: extension.auth,
            capabilities: extension.capabilities.iter().map(String::as_str).collect(),
            area: &extension.area,
            tool: extension.mcp_tool.as_deref(),
        }
    }
}

/// A route of the table, operation or page.
#[derive(Debug, Clone)]
pub struct Built {
    pub operation_id: String,
    pub method: &'static str,
    pub path: &'static str,
    /// True if the input of the route is not JSON, or if its refusals are plain text.
    pub raw: bool,
}

impl Built {
    /// Returns every route of the table, operations first.
    pub fn all_routes() -> Vec<Self> {
        let routes = operations().chain(pages()).map(|entry| Self {
            operation_id: entry.spec.operation_id(),
            method: entry.spec.verb.as_str(),
            path: entry.spec.path,
            raw: entry.spec.file_field().is_some()
                || entry.spec.is_page()
                || entry.spec.error_form(400) == ErrorForm::Text,
        });
        routes.collect()
    }

    pub fn access_rule(&self) -> Rule {
        Rule::of_operation(&self.operation_id)
    }

    /// Returns the path with an unknown id in every placeholder.
    pub fn concrete_path(&self) -> String {
        let part = |part: &'static str| {
            if part.starts_with('{') {
                UNKNOWN_ID
            } else {
                part
            }
        };
        self.path.split('/').map(part).collect::<Vec<_>>().join("/")
    }

    pub fn has_body(&self) -> bool {
        matches!(self.method, "POST" | "PUT" | "PATCH")
    }
}

/// The OpenAPI document and the catalog of a service.
pub struct Published {
    pub openapi: Value,
    pub catalog: Value,
}

impl Published {
    pub async fn load(app: &TestApp) -> Self {
        let admin = app.as_member(Role::Admin).await;
        Self {
            openapi: app
                .anonymous()
                .get("/api/ai/openapi.json")
                .await
                .expect(200)
                .body,
            catalog: admin.get("/api/access/catalog").await.expect(200).body,
        }
    }

    /// Returns the OpenAPI object of a route.
    pub fn openapi_operation(&self, method: &str, path: &str) -> &Value {
        &self.openapi["paths"][path][method.to_lowercase()]
    }

    /// Returns every (method, path) of OpenAPI, with its object.
    pub fn openapi_operations(&self) -> impl Iterator<Item = (String, &str, &Value)> {
        let paths = self.openapi["paths"].as_object().expect("paths");
        paths.iter().flat_map(|(path, item)| {
            let item = item.as_object().expect("a path item");
            item.iter()
                .map(move |(verb, object)| (verb.to_uppercase(), path.as_str(), object))
        })
    }

    /// Returns the catalog's rows.
    pub fn catalog_rows(&self) -> &[Value] {
        self.catalog["rotas"].as_array().expect("rows")
    }

    pub fn catalog_row(&self, operation_id: &str) -> &Value {
        let row = self
            .catalog_rows()
            .iter()
            .find(|row| row["operation_id"] == operation_id);
        row.unwrap_or_else(|| panic!("{operation_id} is not in the catalog"))
    }
}

/// Returns the complete definitions of the tools that a client sees.
pub async fn list_tools(client: &Client) -> Vec<Value> {
    let answer = client
        .send_rpc("tools/list", serde_json::json!({}))
        .await
        .expect(200);
    answer.body["result"]["tools"]
        .as_array()
        .expect("a list")
        .clone()
}

/// Returns the absolute path of a file in this repository.
pub fn repository_path(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
