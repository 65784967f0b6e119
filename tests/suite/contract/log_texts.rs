//! The texts of the log are in Portuguese.

use std::{fs, path::Path};

/// English words that are not Portuguese words.
const ENGLISH: [&str; 14] = [
    "the", "of", "and", "is", "are", "was", "were", "not", "with", "could", "for", "from", "to",
    "has",
];

/// Returns the texts of the log lines in a source file: string literals with several words.
fn log_texts(source: &str) -> Vec<&str> {
    let mut found = vec![];
    for (at, _) in source.match_indices("tracing::") {
        let call = &source[at..];
        let kinds = ["info!(", "warn!(", "error!(", "debug!("];
        let is_line = kinds
            .iter()
            .any(|kind| call["tracing::".len()..].starts_with(kind));
        let end = call.find(");").unwrap_or(call.len());
        if is_line {
            let literals = call[..end].split('"').skip(1).step_by(2);
            found.extend(literals.filter(|text| text.contains(' ')));
        }
    }
    found
}

fn find_english_word(text: &str) -> Option<&str> {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.find(|word| ENGLISH.contains(word))
}

fn check_folder(folder: &Path, lines: &mut usize) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            check_folder(&path, lines);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let source = fs::read_to_string(&path).expect("a file");
            for text in log_texts(&source) {
                *lines += 1;
                let found = find_english_word(text);
                assert!(found.is_none(), "{}: {found:?} in {text}", path.display());
            }
        }
    }
}

#[test]
fn log_lines_are_in_portuguese() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut lines = 0;
    for folder in ["src", "crates", "tools/src"] {
        check_folder(&root.join(folder), &mut lines);
    }
    assert!(lines > 40, "{lines}");
    let planted = r#"tracing::warn!(%error, "the job has failed");"#;
    assert_eq!(log_texts(planted), ["the job has failed"]);
    assert_eq!(find_english_word(log_texts(planted)[0]), Some("the"));
}
