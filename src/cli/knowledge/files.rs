//! Finds the files of a command line argument and reads their text.

use std::{
    io::Read,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use search::Document;

use super::pdf;

/// Maximum bytes of a text file.
const LARGEST_TEXT: u64 = 5_000_000;
/// Maximum bytes of a PDF, which often consists mostly of images.
const LARGEST_PDF: u64 = 50_000_000;

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
                match Format::from_extension(&path) {
                    Some(_) => found.push(path),
                    None => unsupported.push(path),
                }
            }
            _ => {}
        }
    }
}

/// The name of a file in citations. A relative path is kept as written. Any other path loses the
/// folders above the argument, and components such as `..`.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Markdown,
    Text,
    Html,
    Pdf,
}

impl Format {
    fn from_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_lowercase();
        Some(match extension.as_str() {
            "md" | "markdown" => Format::Markdown,
            "txt" | "text" => Format::Text,
            "html" | "htm" => Format::Html,
            "pdf" => Format::Pdf,
            _ => return None,
        })
    }
}

impl File {
    /// The title for a document without a title: its file name.
    pub(super) fn name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default();
        stem.to_string_lossy().replace(['-', '_'], " ")
    }

    /// Reads the file. Fails if its content does not match its format, or it is too large.
    pub(super) fn read(&self) -> Result<Document> {
        ensure!(!self.path.is_dir(), "a pasta não pôde ser lida");
        let format = Format::from_extension(&self.path)
            .context("o formato não é aceito; use .md, .txt, .html ou .pdf")?;
        if format == Format::Pdf {
            return pdf::read_document(self.read_bytes(LARGEST_PDF)?);
        }
        let text = String::from_utf8(self.read_bytes(LARGEST_TEXT)?)
            .ok()
            .context("o texto não está em UTF-8; converta o arquivo e tente de novo")?;
        if text.contains('\0') {
            bail!("o arquivo não é texto: há caracteres NUL nele");
        }
        Ok(match format {
            Format::Markdown => Document::from_markdown(&text),
            Format::Html => Document::from_html(&text),
            Format::Text | Format::Pdf => Document::from_text(&text),
        })
    }

    fn read_bytes(&self, largest: u64) -> Result<Vec<u8>> {
        let file = std::fs::File::open(&self.path).context("não pôde ser aberto")?;
        let regular = file.metadata().context("não pôde ser lido")?.is_file();
        ensure!(regular, "não é um arquivo comum");
        let mut bytes = vec![];
        file.take(largest + 1)
            .read_to_end(&mut bytes)
            .context("não pôde ser lido")?;
        if bytes.len() as u64 > largest {
            bail!(
                "é grande demais: o limite deste formato é {} MB",
                largest / 1_000_000
            );
        }
        Ok(bytes)
    }
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
