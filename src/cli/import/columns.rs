//! The columns of import files, and their help text.

use std::fmt::Write;

/// A column of an import file.
pub(super) struct Column {
    pub name: &'static str,
    pub required: bool,
    /// The description of the column (Portuguese).
    pub holds: &'static str,
    pub example: &'static str,
}

pub(super) const fn required_column(
    name: &'static str,
    holds: &'static str,
    example: &'static str,
) -> Column {
    Column {
        name,
        required: true,
        holds,
        example,
    }
}

pub(super) const fn optional_column(
    name: &'static str,
    holds: &'static str,
    example: &'static str,
) -> Column {
    Column {
        required: false,
        ..required_column(name, holds, example)
    }
}

/// Returns the help text: the columns, and an example file in both formats.
pub(super) fn help_text(columns: &[Column]) -> String {
    let mut text = String::from("Colunas (* obrigatórias):\n");
    let widest = columns.iter().map(|column| column.name.len()).max();
    let widest = widest.unwrap_or_default();
    for column in columns {
        let mark = if column.required { '*' } else { ' ' };
        let line = format!("  {mark} {:widest$}  {}", column.name, column.holds);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let shown = || columns.iter().filter(|column| !column.example.is_empty());
    let joined = |part: fn(&Column) -> &'static str| {
        let parts: Vec<&str> = shown().map(part).collect();
        parts.join(";")
    };
    let _ = writeln!(
        text,
        "\nCSV com `,`, `;` ou tabulação:\n  {}\n  {}",
        joined(|column| column.name),
        joined(|column| column.example)
    );
    let pairs = shown().map(|column| format!("\"{}\": \"{}\"", column.name, column.example));
    let _ = write!(
        text,
        "\nJSON Lines, com um objeto por linha:\n  {{{}}}",
        pairs.collect::<Vec<_>>().join(", ")
    );
    text
}
