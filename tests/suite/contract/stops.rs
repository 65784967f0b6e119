//! The steps of adding an operation. If a step is forgotten, a test here fails and says what to do.

use std::path::Path;

use tools::operations;

use super::{edges::sources_under, repository_path};
use crate::support::examples::{FOLDER, INPUTS, writing_instructions};

#[test]
fn every_operation_has_an_example_and_every_example_an_operation() {
    let absent = operations()
        .filter(|entry| !INPUTS.contains_key(entry.spec.name))
        .map(writing_instructions);
    let of_nothing = INPUTS
        .keys()
        .filter(|name| operations().all(|entry| entry.spec.name != **name))
        .map(|name| {
            format!("{FOLDER}/{name}.json is an example of no operation: delete or rename it.")
        });
    let faults: Vec<String> = absent.chain(of_nothing).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn every_implemented_operation_is_in_the_table() {
    let mut written = 0;
    let folders = ["tools/src", "crates"];
    for (path, text) in folders
        .map(repository_path)
        .iter()
        .flat_map(|f| sources_under(f))
    {
        // Specs in documentation comments are examples and need not be in a table.
        let is_code = |line: &&str| !line.trim_start().starts_with("///");
        let text = text.lines().filter(is_code).collect::<Vec<_>>().join("\n");
        let Some((before, spec)) = text.split_once("const SPEC: Spec = Spec::new(") else {
            continue;
        };
        // Skips a spec that belongs to no operation, as in a unit test of the gateway.
        let Some((_, target)) = before.rsplit_once("impl Operation for ") else {
            continue;
        };
        written += 1;
        let name = spec.split('"').nth(1).expect("a name");
        let target = target.split_whitespace().next().expect("a type");
        let file = Path::new(&path);
        let file = file
            .strip_prefix(repository_path(""))
            .expect("a path in the repository");
        let module = file.file_stem().expect("a name").display();
        let area = file.parent().expect("a folder").display();
        assert!(
            operations().any(|entry| entry.spec.name == name),
            "{} writes `{name}`, which is not in the table. In {area}/mod.rs add \
             `mod {module};` and `pub use {module}::{target};`, and list {target} in \
             the area.rs there.",
            file.display()
        );
    }
    assert!(written >= operations().count(), "{written}");
}

#[test]
fn the_documents_are_up_to_date() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_pauta"))
        .args(["artifacts", "--check"])
        .env_clear()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the command runs");
    assert!(
        output.status.success(),
        "{}\nRender them and review the difference: cargo run -- artifacts",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The compiler version and the release are repeated in files that cannot refer to each other, so
/// this test compares them.
#[test]
fn repeated_versions_agree() {
    let text = |path: &str| std::fs::read_to_string(repository_path(path)).expect("a file");
    let between = |text: &str, before: &str, after: &str| {
        let (_, rest) = text.split_once(before).expect(before);
        rest.split(after).next().expect("an end").to_owned()
    };
    let least = between(&text("Cargo.toml"), "rust-version = \"", "\"");
    let channel = between(&text("rust-toolchain.toml"), "channel = \"", "\"");
    assert!(
        channel.starts_with(&format!("{least}.")),
        "rust-toolchain.toml has {channel}, Cargo.toml {least}"
    );
    for document in ["README.md", "CONTRIBUTING.md"] {
        assert!(
            text(document).contains(&format!("Rust {least}")),
            "{document} does not name Rust {least}"
        );
    }
    let release = format!(
        "## {} ({})",
        pauta::artifacts::API_VERSION,
        pauta::artifacts::RELEASE_DATE
    );
    assert!(
        text("CHANGELOG.md").lines().any(|line| line == release),
        "CHANGELOG.md has no heading `{release}`"
    );
}
