//! Tables as CSV, for spreadsheets.

use gateway::{Content, Reply, StaticDocument};

/// What separates the cells: spreadsheets in Portuguese read a comma as part of a number.
const SEPARATOR: char = ';';

/// A file for download. The first row is the head.
pub(crate) fn file<R>(name: &str, rows: impl IntoIterator<Item = R>) -> Reply
where
    R: IntoIterator,
    R::Item: AsRef<str>,
{
    // With a byte order mark, so that spreadsheets read UTF-8.
    let mut text = String::from("\u{feff}");
    for row in rows {
        for (n, cell) in row.into_iter().enumerate() {
            if n > 0 {
                text.push(SEPARATOR);
            }
            push(&mut text, cell.as_ref());
        }
        text.push_str("\r\n");
    }
    let document = StaticDocument::new("text/csv", text.into_bytes());
    Reply::new(Content::Document(document))
        .header("cache-control", "no-store")
        .header(
            "content-disposition",
            format!("attachment; filename=\"{name}\""),
        )
}

/// A cell in quotes. One that a spreadsheet would take for a formula begins with an apostrophe.
fn push(text: &mut String, cell: &str) {
    text.push('"');
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
        text.push('\'');
    }
    text.push_str(&cell.replace('"', "\"\""));
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cell: &str) -> String {
        let mut text = String::new();
        push(&mut text, cell);
        text
    }

    #[test]
    fn a_cell_is_never_a_formula() {
        assert_eq!(written("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
        for formula in ["+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1"] {
            assert!(written(formula).starts_with("\"'"), "{formula:?}");
        }
        assert_eq!(written("a;b\nc"), "\"a;b\nc\"");
    }
}
