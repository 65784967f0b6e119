//! Parses the values of a record by the rules of their columns.

use std::{ops::Range, sync::LazyLock};

use domain::{
    Email, PersonId, has_email,
    sales::parse_cents,
    time::{Millis, parse_day, start_of_day},
};
use gateway::Pepper;
use jiff::civil::{Date, date};

use super::columns::Column;

/// Maximum characters of a text.
const LONGEST: usize = 200;
/// The accepted years of instants. Any other year is probably a typing error.
const YEARS: std::ops::RangeInclusive<i16> = 2000..=2100;

/// The values of a record in the order of the columns.
pub(super) struct Values {
    columns: &'static [Column],
    texts: Vec<String>,
    faults: Vec<String>,
}

impl Values {
    pub(super) fn new(columns: &'static [Column]) -> Self {
        Self {
            columns,
            texts: vec![String::new(); columns.len()],
            faults: vec![],
        }
    }

    pub(super) fn set(&mut self, place: usize, text: String) {
        self.texts[place] = text;
    }

    /// Returns the row if no value was invalid, otherwise the faults.
    pub(super) fn finish<T>(self, row: Option<T>) -> Result<T, Vec<String>> {
        match row {
            Some(row) if self.faults.is_empty() => Ok(row),
            _ => Err(self.faults),
        }
    }

    pub(super) fn add_fault(&mut self, name: &str, message: impl std::fmt::Display) {
        self.faults.push(format!("{name}: {message}"));
    }

    fn get_non_empty(&self, name: &str) -> Option<&str> {
        let place = self.columns.iter().position(|column| column.name == name)?;
        let text = self.texts.get(place)?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// Parses a value with `read`; `None` if it is absent or invalid.
    fn parse_optional<T, E: std::fmt::Display>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let read = read(self.get_non_empty(name)?);
        read.map_err(|fault| self.add_fault(name, fault)).ok()
    }

    /// Parses a required value.
    fn parse_required<T, E: std::fmt::Display>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        if self.get_non_empty(name).is_none() {
            self.add_fault(name, "está vazia");
            return None;
        }
        self.parse_optional(name, read)
    }

    pub(super) fn required_text(&mut self, name: &str) -> Option<String> {
        self.parse_required(name, parse_text)
    }

    pub(super) fn optional_text(&mut self, name: &str) -> Option<String> {
        self.parse_optional(name, parse_text)
    }

    /// Parses a text that identifies a row.
    pub(super) fn required_key(&mut self, name: &str) -> Option<String> {
        self.parse_required(name, parse_key)
    }

    pub(super) fn optional_key(&mut self, name: &str) -> Option<String> {
        self.parse_optional(name, parse_key)
    }

    pub(super) fn required_instant(&mut self, name: &str) -> Option<Millis> {
        self.parse_required(name, parse_instant)
    }

    pub(super) fn optional_instant(&mut self, name: &str) -> Option<Millis> {
        self.parse_optional(name, parse_instant)
    }

    pub(super) fn required_day(&mut self, name: &str) -> Option<Date> {
        self.parse_required(name, |text| {
            let day = parse_day(text).filter(|day| YEARS.contains(&day.year()));
            day.ok_or("não é uma data como 2026-08-22 ou 22/08/2026")
        })
    }

    pub(super) fn required_cents(&mut self, name: &str) -> Option<i64> {
        self.parse_required(name, parse_cents)
    }

    pub(super) fn optional_cents(&mut self, name: &str) -> Option<i64> {
        self.parse_optional(name, parse_cents)
    }

    pub(super) fn required_count(&mut self, name: &str) -> Option<i64> {
        self.parse_required(name, |text| {
            let count = text.parse().ok().filter(|count| *count >= 0);
            count.ok_or("não é um número inteiro sem separadores")
        })
    }

    /// Parses a currency code; the default is BRL.
    pub(super) fn currency_or_default(&mut self) -> Option<String> {
        let name = "moeda";
        if self.get_non_empty(name).is_none() {
            return Some("BRL".into());
        }
        self.parse_optional(name, |text| {
            let text = text.to_ascii_uppercase();
            let is_code = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
            is_code.then_some(text).ok_or("não é uma moeda como BRL")
        })
    }

    pub(super) fn required_choice<T: std::str::FromStr>(
        &mut self,
        name: &str,
        known: impl Fn() -> String,
    ) -> Option<T> {
        self.parse_required(name, |text| {
            let found = text.to_lowercase().parse();
            found.map_err(|_| format!("deve ser {}", known()))
        })
    }

    pub(super) fn required_person(&mut self, pepper: &Pepper) -> Option<PersonId> {
        self.parse_required("email", |text| parse_person(text, pepper))
    }

    pub(super) fn optional_person(&mut self, pepper: &Pepper) -> Option<PersonId> {
        self.parse_optional("email", |text| parse_person(text, pepper))
    }
}

fn parse_person(text: &str, pepper: &Pepper) -> Result<PersonId, String> {
    let email: Result<Email, ()> = text.parse();
    let email = email.map_err(|()| "não é um e-mail")?;
    pepper.person_id(&email).map_err(|error| error.to_string())
}

fn parse_text(text: &str) -> Result<String, String> {
    // Counts characters only if there are more bytes than allowed characters.
    if text.len() > LONGEST && text.chars().nth(LONGEST).is_some() {
        return Err(format!("passa de {LONGEST} caracteres"));
    }
    if text
        .chars()
        .any(|c| c.is_control() && c != '\n' && c != '\t')
    {
        return Err("contém caracteres de controle".into());
    }
    Ok(text.to_owned())
}

fn parse_key(text: &str) -> Result<String, String> {
    if has_email(text) {
        return Err("não pode conter um e-mail; use um código ou um nome".into());
    }
    parse_text(text)
}

fn parse_instant(text: &str) -> Result<Millis, &'static str> {
    static BOUNDS: LazyLock<Range<Millis>> = LazyLock::new(|| {
        let start = |year| start_of_day(date(year, 1, 1));
        start(*YEARS.start())..start(*YEARS.end() + 1)
    });
    let at = domain::time::parse_instant(text).filter(|at| BOUNDS.contains(at));
    at.ok_or("não é uma data como 2026-08-22 14:30, 22/08/2026 14:30 ou 2026-08-22T14:30:00-03:00")
}
