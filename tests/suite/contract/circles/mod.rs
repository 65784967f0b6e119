//! Modules of a crate depend on each other in one direction only.
//!
//! The check reads the imports and paths of the sources, not the compiled code, so it does not see
//! a use that names no module, such as a method call on a value.

mod modules;
mod planted;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};

use super::repository_path;
use modules::{Edge, Modules};

#[test]
fn the_modules_of_a_crate_form_no_dependency_cycle() {
    let mut found = vec![];
    let mut uses = 0;
    for (name, folder) in workspace_crates() {
        let text = |file: &str| {
            std::fs::read_to_string(repository_path(&format!("{folder}/src/{file}"))).ok()
        };
        let modules = Modules::read_crate("lib.rs", &text);
        uses += modules.file_uses().len();
        found.extend(find_cycles(&name, &modules));
    }
    assert!(uses > 500, "only {uses} uses were found in the sources");
    let told: Vec<String> = found
        .iter()
        .map(|circle| format!("{:?} depend on each other: {}", circle.modules, circle.told))
        .collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

/// Returns every crate of the workspace, with its name and folder.
fn workspace_crates() -> Vec<(String, String)> {
    let manifest = |folder: &str| {
        let text = std::fs::read_to_string(repository_path(&format!("{folder}/Cargo.toml")));
        text.expect("a manifest")
            .parse::<toml::Table>()
            .expect("TOML")
    };
    let workspace = manifest(".");
    let members = workspace["workspace"]["members"]
        .as_array()
        .expect("a list");
    let folders = members.iter().map(|member| member.as_str().expect("text"));
    std::iter::once(".")
        .chain(folders)
        .map(|folder| {
            let name = manifest(folder)["package"]["name"].clone();
            (name.as_str().expect("text").to_owned(), folder.to_owned())
        })
        .collect()
}

/// Modules that form a dependency cycle, and a description of the cycle with one use per step.
#[derive(Debug)]
struct Circle {
    modules: Vec<String>,
    told: String,
}

/// Finds the cycles of a crate, folder by folder. The nodes of a folder's graph are its own file
/// and its children; a child includes everything below it.
fn find_cycles(name: &str, modules: &Modules) -> Vec<Circle> {
    let edges = modules.file_uses();
    let folders: BTreeSet<&[String]> = edges.iter().map(common_folder).collect();
    let mut found = vec![];
    for folder in folders {
        let mut graph = Graph::new();
        for edge in edges.iter().filter(|edge| common_folder(edge) == folder) {
            let node = |path: &'_ [String]| path.len().min(folder.len() + 1);
            let (from, to) = (&edge.from[..node(&edge.from)], &edge.to[..node(&edge.to)]);
            graph.entry(from).or_default().entry(to).or_insert(edge);
        }
        found.extend(connected_components(&graph).into_iter().map(|component| {
            let told = shortest_cycle(&graph, component[0]);
            let told: Vec<_> = told
                .into_iter()
                .map(|edge| describe_edge(name, edge))
                .collect();
            Circle {
                modules: component
                    .into_iter()
                    .map(|path| full_path(name, path))
                    .collect(),
                told: told.join("; "),
            }
        }));
    }
    found
}

type Graph<'a> = BTreeMap<&'a [String], BTreeMap<&'a [String], &'a Edge>>;

/// Returns the innermost folder that contains both ends of an edge.
fn common_folder(edge: &Edge) -> &[String] {
    let pairs = edge.from.iter().zip(&edge.to);
    &edge.from[..pairs.take_while(|(a, b)| a == b).count()]
}

fn reachable_from<'a>(graph: &Graph<'a>, from: &'a [String]) -> BTreeSet<&'a [String]> {
    let mut open = vec![from];
    let mut found = BTreeSet::new();
    while let Some(node) = open.pop() {
        let next = graph.get(node).into_iter().flat_map(BTreeMap::keys);
        open.extend(next.filter(|next| found.insert(**next)));
    }
    found
}

/// Returns the strongly connected components of a graph.
fn connected_components<'a>(graph: &Graph<'a>) -> Vec<Vec<&'a [String]>> {
    let reached: BTreeMap<_, _> = graph
        .keys()
        .map(|node| (*node, reachable_from(graph, node)))
        .collect();
    let mut found: Vec<Vec<_>> = vec![];
    for (node, onward) in reached
        .iter()
        .filter(|(node, onward)| onward.contains(*node))
    {
        if !found.iter().any(|component| component.contains(node)) {
            let back =
                |other: &&&'a [String]| reached.get(**other).is_some_and(|r| r.contains(node));
            found.push(onward.iter().filter(back).copied().collect());
        }
    }
    found
}

fn shortest_cycle<'a>(graph: &Graph<'a>, start: &'a [String]) -> Vec<&'a Edge> {
    let mut ways = vec![(start, vec![])];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = vec![];
        for (node, way) in ways {
            for (next, edge) in graph.get(node).into_iter().flatten() {
                let way = [way.as_slice(), &[*edge]].concat();
                if *next == start {
                    return way;
                }
                if seen.insert(*next) {
                    longer.push((*next, way));
                }
            }
        }
        ways = longer;
    }
    vec![]
}

fn full_path(name: &str, path: &[String]) -> String {
    std::iter::once(name)
        .chain(path.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join("::")
}

fn describe_edge(name: &str, edge: &Edge) -> String {
    format!(
        "{} uses {} ({})",
        full_path(name, &edge.from),
        full_path(name, &edge.to),
        edge.written
    )
}
