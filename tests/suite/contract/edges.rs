//! Dependencies between crates, and types that must never be on the wire.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::Command,
};

use serde_json::Value;

use super::repository_path;

/// Every package of the build with its dependencies, except the dependencies of tests and build
/// scripts.
struct Graph {
    names: BTreeMap<String, String>,
    edges: BTreeMap<String, Vec<String>>,
    /// The ids of the crates of the workspace.
    members: BTreeSet<String>,
}

impl Graph {
    fn read_packages() -> Self {
        let arguments = [
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--filter-platform",
        ];
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            .arg(host_target())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let names = as_list(&metadata["packages"])
            .iter()
            .map(|p| (text(&p["id"]), text(&p["name"])));
        let edges = as_list(&metadata["resolve"]["nodes"]).iter().map(|node| {
            let normal = |dep: &&Value| {
                as_list(&dep["dep_kinds"])
                    .iter()
                    .any(|k| k["kind"].is_null())
            };
            let deps = as_list(&node["deps"])
                .iter()
                .filter(normal)
                .map(|dep| text(&dep["pkg"]));
            (text(&node["id"]), deps.collect())
        });
        let members = as_list(&metadata["workspace_members"]).iter().map(text);
        Self {
            names: names.collect(),
            edges: edges.collect(),
            members: members.collect(),
        }
    }

    /// Returns the crates of the workspace, each with the workspace crates that it uses directly.
    fn workspace_uses(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut found = BTreeMap::new();
        for id in &self.members {
            let own = self.edges[id]
                .iter()
                .filter(|used| self.members.contains(*used));
            let own = own.map(|used| self.names[used].clone());
            found.insert(self.names[id].clone(), own.collect());
        }
        found
    }

    /// Returns the names of all packages on which a package depends, directly or indirectly.
    fn reached_from(&self, name: &str) -> BTreeSet<&str> {
        let start = self
            .names
            .iter()
            .find(|(_, n)| *n == name)
            .map(|(id, _)| id);
        let mut open = vec![start.unwrap_or_else(|| panic!("there is no package {name}"))];
        let mut found = BTreeSet::new();
        while let Some(id) = open.pop() {
            for next in &self.edges[id] {
                if found.insert(self.names[next].as_str()) {
                    open.push(next);
                }
            }
        }
        found
    }
}

fn as_list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn host_target() -> String {
    let output = Command::new("rustc")
        .arg("-vV")
        .output()
        .expect("rustc runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc names its host").to_owned()
}

/// Reads the table of crates in ARCHITECTURE.md; returns each crate with the crates that it uses
/// directly.
fn parse_documented_dependencies() -> Vec<(String, BTreeSet<String>)> {
    let text = std::fs::read_to_string(repository_path("docs/ARCHITECTURE.md")).expect("a file");
    let table = text
        .lines()
        .skip_while(|line| !line.starts_with("| crate | uses |"));
    let rows = table.skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let mut cells = row.split('|').skip(1).map(quoted_words);
        let name = cells.next().and_then(|mut names| names.pop_first());
        (
            name.expect("a crate"),
            cells.next().expect("the used crates"),
        )
    })
    .collect()
}

/// Returns the words between backticks.
fn quoted_words(cell: &str) -> BTreeSet<String> {
    let words = cell.split('`').skip(1).step_by(2);
    words.map(str::to_owned).collect()
}

/// Crates that only the service may depend on.
const OUTSIDE: [&str; 4] = ["axum", "hyper", "rmcp", "reqwest"];

#[test]
fn the_documented_dependencies_are_those_of_the_crates() {
    let documented = parse_documented_dependencies();
    let mut above = BTreeSet::new();
    for (name, uses) in &documented {
        let below: Vec<_> = uses.difference(&above).collect();
        assert!(
            below.is_empty(),
            "{name} uses {below:?}, which the table does not list above it"
        );
        above.insert(name.clone());
    }
    let documented: BTreeMap<_, _> = documented.into_iter().collect();
    assert_eq!(documented, Graph::read_packages().workspace_uses());
}

#[test]
fn only_the_intended_crates_use_transports_and_the_database() {
    let graph = Graph::read_packages();
    for (package, _) in parse_documented_dependencies() {
        // Skips the service, and the servers that the benches compare it with.
        if package == "pauta" || package == "by-hand" {
            continue;
        }
        let reached = graph.reached_from(&package);
        for other in OUTSIDE {
            assert!(!reached.contains(other), "{package} depends on {other}");
        }
    }
    for above in ["domain", "ports", "search", "typeset"] {
        let reached = graph.reached_from(above);
        assert!(
            !reached.contains("sea-orm"),
            "{above} depends on the database"
        );
    }
    let service = graph.reached_from("pauta");
    for below in ["tools", "migration", "typeset", "axum", "rmcp"] {
        assert!(service.contains(below), "pauta does not depend on {below}");
    }
}

#[test]
fn entities_are_never_wire_types() {
    let sources = sources_under(&repository_path("entity/src"));
    assert!(sources.len() > 5);
    for (path, text) in sources {
        for word in ["Serialize", "serde", "JsonSchema", "schemars"] {
            assert!(!text.contains(word), "{path} mentions {word}");
        }
    }
    let manifest = std::fs::read_to_string(repository_path("entity/Cargo.toml")).expect("a file");
    assert!(!manifest.contains("serde") && !manifest.contains("schemars"));
}

#[test]
fn the_registry_names_no_transport() {
    for (path, text) in sources_under(&repository_path("tools/src")) {
        for word in ["axum::", "rmcp::", "reqwest::", "hyper::", "sea_orm"] {
            assert!(!text.contains(word), "{path} mentions {word}");
        }
    }
}

#[test]
fn only_the_store_writes_sql() {
    let statement = [
        "SELECT ",
        "INSERT INTO ",
        "UPDATE ",
        "DELETE FROM ",
        "CREATE TABLE ",
        "DROP TABLE ",
    ];
    for folder in ["crates", "tools/src", "src"] {
        for (path, text) in sources_under(&repository_path(folder)) {
            if path.contains("/crates/store/") {
                continue;
            }
            for words in ["sea_orm", "postgres_protocol", "rusqlite"] {
                assert!(!text.contains(words), "{path} mentions {words}");
            }
            let texts = text
                .lines()
                .map(|line| line.trim_start().trim_start_matches('"'));
            for line in texts {
                let is_sql = statement.iter().any(|word| line.starts_with(word));
                assert!(!is_sql, "{path} writes SQL: {line}");
            }
        }
    }
}

/// Only the operations, the code that starts the service, and the operator's commands may use the
/// store. Code that serves requests must call operations.
#[test]
fn code_that_serves_requests_does_not_use_the_store() {
    let mut served = sources_under(&repository_path("crates/console/src"));
    for folder in ["artifacts", "config", "http", "mcp", "providers", "server"] {
        served.extend(sources_under(&repository_path("src").join(folder)));
    }
    assert!(served.len() > 100, "{}", served.len());
    for (path, text) in served {
        let knows = text.match_indices("store::").any(|(at, _)| {
            let before = text[..at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
        });
        assert!(!knows, "{path} uses the store");
    }
}

/// Returns every Rust file below a folder, with its text.
pub fn sources_under(folder: &Path) -> Vec<(String, String)> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources_under(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a text file");
            found.push((path.display().to_string(), text));
        }
    }
    found
}
