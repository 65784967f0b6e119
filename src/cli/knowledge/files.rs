//! Finds the files of a command line argument.

use std::path::{Component, Path, PathBuf};

use tools::knowledge::is_document_name;

/// A file to add.
#[derive(Debug)]
pub(super) struct File {
    pub path: PathBuf,
    /// The name of the file in citations, without the folders above the argument.
    pub source: String,
}

/// The files of an argument, sorted by name.
#[derive(Default)]
pub(super) struct Found {
    pub files: Vec<File>,
    /// Files in a folder whose format is not supported.
    pub unsupported: Vec<PathBuf>,
}

/// Finds the file itself, or all files below a folder except hidden ones.
pub(super) fn find_files(argument: &Path) -> Found {
    let (mut found, mut unsupported) = (vec![], vec![]);
    if argument.is_dir() {
        collect_files(argument, &mut found, &mut unsupported);
        found.sort();
        unsupported.sort();
    } else {
        found.push(argument.to_owned());
    }
    let named = |path: PathBuf| File {
        source: citation_name(argument, &path),
        path,
    };
    Found {
        files: found.into_iter().map(named).collect(),
        unsupported,
    }
}

fn collect_files(folder: &Path, found: &mut Vec<PathBuf>, unsupported: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        // An unreadable folder is listed like a file; reading it later reports the error.
        found.push(folder.to_owned());
        return;
    };
    for entry in entries.flatten() {
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        // Symbolic links are not followed, because they may form loops.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !hidden => {
                collect_files(&entry.path(), found, unsupported);
            }
            Ok(kind) if kind.is_file() && !hidden => {
                let path = entry.path();
                match is_document_name(&path.to_string_lossy()) {
                    true => found.push(path),
                    false => unsupported.push(path),
                }
            }
            _ => {}
        }
    }
}

/// Returns the name of a file in citations. A relative path is kept as written. Any other path loses
/// the folders above the argument, and components such as `..`.
fn citation_name(argument: &Path, path: &Path) -> String {
    let plain = |path: &Path| {
        path.components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    };
    let shown = if plain(path) {
        path
    } else {
        let above = argument.parent().unwrap_or(argument);
        path.strip_prefix(above)
            .ok()
            .filter(|rest| plain(rest))
            .unwrap_or(path)
    };
    let parts = shown.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().replace(char::is_control, " ")),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citation_names_do_not_reveal_folders_of_the_machine() {
        let cases = [
            ("guia.md", "guia.md", "guia.md"),
            ("./docs", "./docs/a/b.md", "docs/a/b.md"),
            ("docs/a.md", "docs/a.md", "docs/a.md"),
            ("/srv/equipe/docs", "/srv/equipe/docs/a.md", "docs/a.md"),
            ("/srv/equipe/a.md", "/srv/equipe/a.md", "a.md"),
            ("../docs", "../docs/a.md", "docs/a.md"),
        ];
        for (argument, path, expected) in cases {
            assert_eq!(
                citation_name(Path::new(argument), Path::new(path)),
                expected,
                "{path}"
            );
        }
    }
}
