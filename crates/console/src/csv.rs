//! Writes tables as CSV for spreadsheets.

use gateway::{Content, Reply, StaticDocument};

/// The cell separator. In Brazilian spreadsheets a comma is the decimal separator.
const SEPARATOR: char = ';';

/// Replies with a CSV file to download. The first row is the header.
pub(crate) fn csv_file<R>(name: &str, rows: impl IntoIterator<Item = R>) -> Reply
where
    R: IntoIterator,
    R::Item: AsRef<str>,
{
    let quoted = |row: R| row.into_iter().map(|cell| quote_cell(cell.as_ref()));
    formatted_file(name, rows.into_iter().map(quoted))
}

/// Replies with a CSV file whose cells are already formatted: numbers, or texts from `quote_cell`.
pub(crate) fn formatted_file<R>(name: &str, rows: impl IntoIterator<Item = R>) -> Reply
where
    R: IntoIterator<Item = String>,
{
    // Spreadsheets recognize UTF-8 by the byte order mark.
    let mut text = String::from("\u{feff}");
    for row in rows {
        for (n, cell) in row.into_iter().enumerate() {
            if n > 0 {
                text.push(SEPARATOR);
            }
            text.push_str(&cell);
        }
        text.push_str("\r\n");
    }
    let document = StaticDocument::new("text/csv", text.into_bytes());
    Reply::new(Content::Document(document))
        .with_header("cache-control", "no-store")
        .with_header(
            "content-disposition",
            format!("attachment; filename=\"{name}\""),
        )
}

/// Quotes a cell. A text that a spreadsheet would run as a formula is prefixed with an apostrophe.
pub(crate) fn quote_cell(cell: &str) -> String {
    let is_formula =
        cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let mark = if is_formula { "'" } else { "" };
    format!("\"{mark}{}\"", cell.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_never_a_formula() {
        assert_eq!(
            quote_cell("=HYPERLINK(\"x\")"),
            "\"'=HYPERLINK(\"\"x\"\")\""
        );
        for formula in ["+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1"] {
            assert!(quote_cell(formula).starts_with("\"'"), "{formula:?}");
        }
        assert_eq!(quote_cell("a;b\nc"), "\"a;b\nc\"");
    }
}
