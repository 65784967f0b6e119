//! Tests that each sentence of the skill is advice to the agent, or a rule that a test of this
//! repository verifies. The permissions, codes and routes in its tables are compared with the table
//! of operations.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use domain::Capability;
use serde_json::Value;
use tools::operations;

use crate::{contract::repository_path, support::TestApp};

/// One sentence per line, after the name of the test that verifies it. The name is `advice` if the
/// sentence tells the agent what to do, and `index` if it refers to other text.
const SENTENCES: &str = include_str!("skill.txt");

/// The sentences of a Markdown text, without its code, tables and headings.
fn skill_sentences(text: &str) -> Vec<String> {
    let mut found = vec![];
    let (mut paragraph, mut is_code) = (String::new(), false);
    for line in text.lines().chain([""]) {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        let is_prose = !is_code
            && !["#", "| ", "|-", "```"]
                .iter()
                .any(|one| line.starts_with(one));
        if line.starts_with("- ") || line.trim().is_empty() || !is_prose {
            found.extend(split_sentences(&paragraph));
            paragraph.clear();
        }
        if is_prose {
            paragraph.push_str(line.trim_start_matches("- ").trim());
            paragraph.push(' ');
        }
    }
    found
}

/// Splits a paragraph into sentences. A sentence ends at punctuation before a capital, code or
/// emphasis.
fn split_sentences(paragraph: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for word in paragraph.split_whitespace() {
        let begins = word.starts_with(|c: char| c.is_uppercase() || c == '`' || c == '*');
        let last = found.last_mut().expect("the list is never empty");
        if last.is_empty() {
            last.push_str(word);
        } else if begins && last.ends_with(['.', ':', '!', '?']) {
            found.push(word.to_owned());
        } else {
            last.push(' ');
            last.push_str(word);
        }
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// Collects the names of all functions in the Rust files of a folder.
fn collect_functions(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect_functions(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("text");
            let names = text
                .split("fn ")
                .skip(1)
                .filter_map(|rest| rest.split('(').next());
            found.extend(names.map(str::to_owned));
        }
    }
}

async fn load_document(path: &str) -> String {
    let app = TestApp::new().await;
    let text = app.anonymous().get(path).await.expect(200).text;
    text.replace("http://127.0.0.1:8080", "{url}")
}

#[tokio::test]
async fn every_sentence_of_the_skill_is_advice_or_verified_by_a_test() {
    let text = load_document("/api/ai/SKILL.md").await;
    let body = text
        .splitn(3, "---\n")
        .nth(2)
        .expect("a frontmatter and a body");
    let stated: BTreeSet<String> = skill_sentences(body).into_iter().collect();
    let lines = SENTENCES.lines().filter(|line| !line.starts_with('#'));
    let held: BTreeMap<&str, &str> = lines
        .map(|line| {
            line.split_once(' ')
                .expect("the name of a test, and the sentence")
        })
        .map(|(by, sentence)| (sentence, by))
        .collect();
    let untied: Vec<&String> = stated
        .iter()
        .filter(|sentence| !held.contains_key(sentence.as_str()))
        .collect();
    assert!(
        untied.is_empty(),
        "add these sentences to tests/suite/stated/skill.txt: {untied:#?}"
    );
    let gone: Vec<&&str> = held.keys().filter(|one| !stated.contains(**one)).collect();
    assert!(
        gone.is_empty(),
        "these sentences are no longer in the skill: {gone:#?}"
    );
    let mut functions_found = BTreeSet::new();
    for folder in ["tests/suite", "crates", "tools", "src"] {
        collect_functions(&repository_path(folder), &mut functions_found);
    }
    let unknown: Vec<&&str> = held
        .values()
        .filter(|by| !["advice", "index"].contains(by) && !functions_found.contains(**by))
        .collect();
    assert!(unknown.is_empty(), "these tests do not exist: {unknown:?}");
}

/// The cells of every table row, without backticks.
fn table_rows(text: &str) -> impl Iterator<Item = Vec<String>> {
    let rows = text.lines().filter(|line| line.starts_with("| "));
    rows.map(|row| {
        let cells = row.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().replace('`', "")).collect()
    })
}

#[tokio::test]
async fn the_permissions_that_the_skill_names_begin_at_the_levels_that_it_names() {
    let text = load_document("/api/ai/SKILL.md").await;
    let mut seen = 0;
    for row in table_rows(&text) {
        let [_, permissions, level] = row.as_slice() else {
            continue;
        };
        for permission in permissions.replace(" ou ", ", ").split(", ") {
            let Ok(capability) = permission.parse::<Capability>() else {
                continue;
            };
            let lowest = capability.min_level().map(domain::Level::as_str);
            // If one of several permissions suffices, the row names the lowest level that has one
            // of them.
            let is_one_of_several = permissions.contains(" ou ");
            assert!(is_one_of_several || lowest == Some(level), "{row:?}");
            seen += 1;
        }
    }
    assert!(seen >= 9, "only {seen}");
}

#[tokio::test]
async fn the_codes_that_the_skill_explains_have_the_status_that_it_says() {
    let text = load_document("/api/ai/SKILL.md").await;
    let mut seen = 0;
    for row in table_rows(&text) {
        let Some((names, status)) = row[0].rsplit_once(" (") else {
            continue;
        };
        let status: u16 = status.trim_end_matches(')').parse().expect("a status");
        for name in names.split(", ") {
            let code = tools::error_codes().find(|code| code.as_str() == name);
            assert_eq!(code.expect("a code").status(), status, "{name}");
            seen += 1;
        }
    }
    assert!(seen >= 18, "only {seen}");
}

#[tokio::test]
async fn the_steps_that_the_skill_lists_are_routes_with_their_permission() {
    let text = load_document("/.well-known/agent-skills/pauta/references/fluxos.md").await;
    let mut seen = 0;
    for row in table_rows(&text) {
        let [_, route, permissions, ..] = row.as_slice() else {
            continue;
        };
        let Some((verb, path)) = route
            .split_once(' ')
            .filter(|(_, path)| path.starts_with('/'))
        else {
            continue;
        };
        let mut entries = operations();
        let entry = entries.find(|one| one.spec.verb.as_str() == verb && one.spec.path == path);
        let access = entry.unwrap_or_else(|| panic!("{route}")).spec.access;
        for permission in permissions.split(", ") {
            let capability: Capability = permission.parse().expect("a permission");
            assert!(access.capabilities().contains(&capability), "{row:?}");
        }
        seen += 1;
    }
    assert!(seen >= 10, "only {seen}");
}

/// The default image size is defined by one constant and written in three documents.
#[tokio::test]
async fn the_guides_name_the_default_size_of_an_image() {
    let app = TestApp::new().await;
    let contract = app
        .anonymous()
        .get("/api/ai/openapi.json")
        .await
        .expect(200)
        .body;
    let art = &contract["paths"]["/api/art"]["post"];
    let answered = &art["responses"]["200"]["content"]["application/json"]["example"];
    let sent = &art["requestBody"]["content"]["application/json"]["schema"];
    let described = sent["properties"]["size"]["description"]
        .as_str()
        .expect("text");
    assert!(described.contains("`1080x1350` (padrão)"), "{described}");
    assert_ne!(answered, &Value::Null);
    for path in [
        "/api/ai/llms-full.txt",
        "/.well-known/agent-skills/pauta/references/fluxos.md",
    ] {
        let text = load_document(path).await;
        assert!(text.contains("(padrão `1080x1350`)"), "{path}");
        assert!(!text.contains("padrão `1024x1536`"), "{path}");
    }
}
