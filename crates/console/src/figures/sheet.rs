//! A table of figures that can be drawn on a page or downloaded as CSV.

use domain::time::LocalDay;
use gateway::Reply;
use maud::{Markup, html};

use super::amounts;
use crate::{csv, text};

/// One cell of a table.
pub(super) enum Cell {
    Text(String),
    /// An amount in cents, and its currency.
    Money(i64, String),
    Count(i64),
    /// A rate from 0 to 1.
    Rate(f64),
    Times(f64),
    Day(LocalDay),
    /// An ISO 8601 instant.
    Moment(String),
    /// A text, and the path of the page to which it links.
    Link(String, String),
    /// A figure that is not available, shown differently from 0.
    Unavailable,
    /// An empty cell.
    Nothing,
}

impl Cell {
    pub fn from_text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub fn from_rate(rate: Option<f64>) -> Self {
        rate.map_or(Self::Nothing, Self::Rate)
    }

    pub fn from_money(cents: Option<i64>, currency: &str) -> Self {
        cents.map_or(Self::Nothing, |cents| Self::Money(cents, currency.into()))
    }

    fn is_number(&self) -> bool {
        !matches!(
            self,
            Self::Text(_) | Self::Link(..) | Self::Day(_) | Self::Moment(_)
        )
    }

    /// Returns the text of the cell for the page.
    pub fn display_text(&self) -> String {
        match self {
            Self::Text(text) | Self::Link(text, _) => text.clone(),
            Self::Money(cents, currency) => amounts::format_money(*cents, currency),
            Self::Count(number) => amounts::format_count(*number),
            Self::Rate(rate) => amounts::format_rate(*rate),
            Self::Times(ratio) => amounts::format_ratio(*ratio),
            Self::Day(day) => amounts::format_day(*day),
            Self::Moment(iso) => text::format_iso_moment(iso),
            Self::Unavailable => "não disponível".into(),
            Self::Nothing => "–".into(),
        }
    }

    fn draw(&self) -> Markup {
        html! {
            @match self {
                Self::Link(text, path) => a href=(path) { (text) },
                other => (other.display_text()),
            }
        }
    }

    /// Returns the text of the cell for Brazilian spreadsheets, which never run it as a formula.
    fn csv_text(&self) -> String {
        let decimal = |number: f64, places: usize| format!("{number:.places$}").replace('.', ",");
        match self {
            Self::Text(text) | Self::Link(text, _) => csv::quote_cell(text),
            Self::Money(cents, _) => {
                let sign = if *cents < 0 { "-" } else { "" };
                let cents = cents.unsigned_abs();
                format!("{sign}{},{:02}", cents / 100, cents % 100)
            }
            Self::Count(number) => number.to_string(),
            Self::Rate(rate) => decimal(*rate, 4),
            Self::Times(ratio) => decimal(*ratio, 4),
            Self::Day(day) => day.0.to_string(),
            Self::Moment(iso) => iso.clone(),
            Self::Unavailable | Self::Nothing => String::new(),
        }
    }
}

/// A table, and the name of its CSV file.
pub(super) struct Sheet {
    pub name: &'static str,
    pub title: &'static str,
    pub columns: &'static [&'static str],
    pub rows: Vec<Vec<Cell>>,
}

impl Sheet {
    /// Draws the table with a link to its CSV file. `address` is the address of the page, including the
    /// query.
    pub fn draw_table(&self, address: &str) -> Markup {
        html! {
            div class="spread sheet-head" {
                h3 { (self.title) }
                @if !self.rows.is_empty() {
                    a href=(add_query_field(address, "csv", self.name)) download=(format!("{}.csv", self.name)) hx-boost="false" {
                        "Baixar CSV" span class="sr" { " de " (self.title) }
                    }
                }
            }
            @if self.rows.is_empty() {
                p class="soft" { "Nada no período." }
            } @else {
                (self.draw_plain(self.title))
            }
        }
    }

    /// Draws the table without a link to a CSV file.
    pub fn draw_plain(&self, label: &str) -> Markup {
        let numeric = |column: usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(column));
            !self.rows.is_empty() && cells.all(Cell::is_number)
        };
        html! {
            div class="scroll" tabindex="0" role="region" aria-label=(label) {
                table {
                    thead { tr {
                        @for (index, column) in self.columns.iter().enumerate() {
                            th scope="col" class=[numeric(index).then_some("number")] { (column) }
                        }
                    } }
                    tbody {
                        @for row in &self.rows {
                            tr {
                                @for (index, cell) in row.iter().enumerate() {
                                    @let class = match cell {
                                        Cell::Moment(_) => Some("when"),
                                        _ => numeric(index).then_some("number"),
                                    };
                                    td class=[class] dir="auto" { (cell.draw()) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Replies with the table as a CSV file, in which spreadsheets recognize the numbers, including
    /// negative ones.
    pub fn csv_reply(&self) -> Reply {
        let titles = self.columns.iter().map(|title| csv::quote_cell(title));
        let rows = self
            .rows
            .iter()
            .map(|row| row.iter().map(Cell::csv_text).collect());
        let rows = std::iter::once(titles.collect::<Vec<_>>()).chain(rows);
        csv::formatted_file(&format!("{}.csv", self.name), rows)
    }
}

/// Adds a query parameter to an address.
pub(super) fn add_query_field(address: &str, name: &str, value: &str) -> String {
    let mark = if address.contains('?') { '&' } else { '?' };
    format!("{address}{mark}{name}={value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_no_formulas_and_uses_decimal_commas() {
        assert_eq!(Cell::from_text("=1+1").csv_text(), "\"'=1+1\"");
        assert_eq!(
            Cell::from_text("Pão \"frio\"; quente").csv_text(),
            "\"Pão \"\"frio\"\"; quente\""
        );
        assert_eq!(Cell::Money(-123_405, "BRL".into()).csv_text(), "-1234,05");
        assert_eq!(Cell::Rate(0.22).csv_text(), "0,2200");
        assert_eq!(Cell::Nothing.csv_text(), "");
    }
}
