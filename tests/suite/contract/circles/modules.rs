//! The modules of a crate, and their dependencies.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::tokenize;

/// The path from the root of the crate to a module.
pub type Path = Vec<String>;

/// One imported name of a `use`; `name` is `None` for `*`.
struct Import {
    path: Path,
    name: Option<String>,
    public: bool,
}

#[derive(Default)]
struct Module {
    /// The module whose file contains this module: the module itself, unless it is inline.
    file: Path,
    children: BTreeSet<String>,
    imports: Vec<Import>,
    /// All tokens of the module except imports and inline modules.
    tokens: Vec<String>,
}

/// A use of one file in another, with the path as it is written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub from: Path,
    pub to: Path,
    pub written: String,
}

#[derive(Default)]
pub struct Modules(BTreeMap<Path, Module>);

impl Modules {
    /// Reads a crate from its root. `text` returns the text of a file below the root's folder.
    pub fn read_crate(root: &str, text: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut modules = Self::default();
        let root = text(root).unwrap_or_else(|| panic!("{root} does not exist"));
        modules.add_module(vec![], vec![], &tokenize(&root), text);
        modules
    }

    fn add_module(
        &mut self,
        path: Path,
        file: Path,
        tokens: &[String],
        text: &dyn Fn(&str) -> Option<String>,
    ) {
        let mut module = Module {
            file: file.clone(),
            ..Module::default()
        };
        let word = |at: usize| tokens.get(at).map_or("", String::as_str);
        let mut at = 0;
        while at < tokens.len() {
            match (word(at), word(at + 2)) {
                ("mod", ";") => {
                    module.children.insert(tokens[at + 1].clone());
                    let child = [path.as_slice(), &tokens[at + 1..at + 2]].concat();
                    let name = child.join("/");
                    let source =
                        text(&format!("{name}.rs")).or_else(|| text(&format!("{name}/mod.rs")));
                    let source = source.unwrap_or_else(|| panic!("the module {name} has no file"));
                    self.add_module(
                        child.clone(),
                        child,
                        &super::tokens::tokenize(&source),
                        text,
                    );
                    at += 3;
                }
                ("mod", "{") => {
                    module.children.insert(tokens[at + 1].clone());
                    let child = [path.as_slice(), &tokens[at + 1..at + 2]].concat();
                    let end = block_end(tokens, at + 2);
                    self.add_module(child, file.clone(), &tokens[at + 3..end], text);
                    at = end + 1;
                }
                ("use", _) => {
                    let length = tokens[at..]
                        .iter()
                        .position(|t| t == ";")
                        .unwrap_or(tokens.len() - at);
                    let public = at > 0 && (word(at - 1) == "pub" || is_restricted(tokens, at));
                    let mut tree = tokens[at + 1..at + length]
                        .iter()
                        .map(String::as_str)
                        .peekable();
                    collect_imports(&mut tree, &[], public, &mut module.imports);
                    at += length + 1;
                }
                _ => {
                    module.tokens.push(tokens[at].clone());
                    at += 1;
                }
            }
        }
        self.0.insert(path, module);
    }

    /// Returns every use of one file by another. A re-export of a child counts only if the parent
    /// uses the name itself.
    pub fn file_uses(&self) -> BTreeSet<Edge> {
        let mut edges = BTreeSet::new();
        for (path, module) in &self.0 {
            let mut add = |written: &[String]| {
                let to = self
                    .resolve_path(path, written, 0)
                    .map(|to| &self.0[&to].file);
                if let Some(to) = to.filter(|to| **to != module.file) {
                    let (from, to) = (module.file.clone(), to.clone());
                    edges.insert(Edge {
                        from,
                        to,
                        written: written.join("::"),
                    });
                }
            };
            for import in &module.imports {
                let used = import
                    .name
                    .as_ref()
                    .is_some_and(|name| module.tokens.contains(name));
                let child = self.resolve_path(path, &import.path, 0);
                let own_child = child.is_some_and(|c| c.len() > path.len() && c.starts_with(path));
                if used || !(import.public && own_child) {
                    add(&import.path);
                }
            }
            for written in multi_segment_paths(&module.tokens) {
                let first = written[0].as_str();
                if matches!(first, "crate" | "self" | "super") || module.children.contains(first) {
                    add(&written);
                }
            }
        }
        edges
    }

    /// Returns the module that defines the item at a path, as seen from the module `from`. Follows
    /// re-exports.
    fn resolve_path(&self, from: &[String], path: &[String], depth: usize) -> Option<Path> {
        let (first, mut rest) = path.split_first()?;
        let module = &self.0[from];
        let mut at = match first.as_str() {
            "crate" => vec![],
            "self" => from.to_vec(),
            "super" => from[..from.len() - 1].to_vec(),
            name if module.children.contains(name) => [from, &path[..1]].concat(),
            _ => return None,
        };
        while let Some((name, further)) = rest.split_first() {
            let module = &self.0[&at];
            rest = further;
            if name == "super" {
                at.pop();
            } else if module.children.contains(name) {
                at.push(name.clone());
            } else {
                let named = module
                    .imports
                    .iter()
                    .filter(|i| i.name.as_ref() == Some(name));
                let globs = module.imports.iter().filter(|i| i.name.is_none());
                let whole = globs.map(|i| [i.path.as_slice(), std::slice::from_ref(name)].concat());
                let onward = named.map(|i| i.path.clone()).chain(whole);
                let found = onward
                    .filter(|_| depth < 8 && !defines_item(&module.tokens, name))
                    .find_map(|onward| self.resolve_path(&at, &onward, depth + 1));
                match found {
                    Some(found) => at = found,
                    None => break,
                }
            }
        }
        Some(at)
    }
}

/// Returns whether the tokens define an item with this name.
fn defines_item(tokens: &[String], name: &str) -> bool {
    let kinds = ["const", "enum", "fn", "static", "struct", "trait", "type"];
    tokens
        .windows(2)
        .any(|pair| pair[1] == name && kinds.contains(&pair[0].as_str()))
}

fn is_restricted(tokens: &[String], at: usize) -> bool {
    let open = tokens[..at].iter().rposition(|t| t == "(");
    tokens[at - 1] == ")" && open.is_some_and(|open| open > 0 && tokens[open - 1] == "pub")
}

fn block_end(tokens: &[String], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

/// Flattens the tree of a `use`.
fn collect_imports<'a>(
    tree: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    prefix: &[String],
    public: bool,
    found: &mut Vec<Import>,
) {
    let mut path = prefix.to_vec();
    let mut name = None;
    let mut grouped = false;
    while let Some(&token) = tree.peek() {
        match token {
            "}" => break,
            "," => {
                tree.next();
                break;
            }
            _ => {}
        }
        tree.next();
        match token {
            "::" => {}
            "{" => {
                grouped = true;
                while tree.peek().is_some_and(|token| *token != "}") {
                    collect_imports(tree, &path, public, found);
                }
                tree.next();
            }
            "as" => name = tree.next().map(str::to_owned),
            "self" if !path.is_empty() => {}
            word => path.push(word.to_owned()),
        }
    }
    if grouped || path.is_empty() {
        return;
    }
    if path.last().is_some_and(|last| last == "*") {
        path.pop();
        found.push(Import {
            path,
            name: None,
            public,
        });
    } else {
        let name = name.or_else(|| path.last().cloned());
        found.push(Import { path, name, public });
    }
}

/// Returns every path with more than one segment.
fn multi_segment_paths(tokens: &[String]) -> impl Iterator<Item = Path> {
    (0..tokens.len()).filter_map(|start| {
        let before = |by: usize| start.checked_sub(by).map_or("", |at| tokens[at].as_str());
        let further = tokens[start + 1..].chunks_exact(2);
        let further = further.take_while(|pair| pair[0] == "::" && is_identifier(&pair[1]));
        let path: Path = std::iter::once(&tokens[start])
            .chain(further.map(|pair| &pair[1]))
            .cloned()
            .collect();
        let is_path = path.len() > 1 && is_identifier(&path[0]) && !matches!(before(1), "::" | ".");
        // `pub(in path)` limits visibility and is not a use.
        let is_path = is_path && (before(2), before(1)) != ("(", "in");
        is_path.then_some(path)
    })
}

fn is_identifier(token: &str) -> bool {
    token.starts_with(|c: char| c == '_' || c.is_alphabetic())
}
