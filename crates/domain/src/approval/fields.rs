//! Reads the fields of a configuration value and collects their faults.

use serde_json::{Map, Value};

use crate::{Fault, MOST_FAULTS, is_blank};

/// An object within the configuration value, with its path, for example `value.regras.0`.
pub(super) struct Fields<'a> {
    pub place: String,
    fields: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// Reads the fields of an object. Adds a fault if the value is not an object, and a fault for
    /// each unknown field.
    pub fn new(
        place: String,
        value: &'a Value,
        known: &[&str],
        faults: &mut Vec<Fault>,
    ) -> Option<Self> {
        let Value::Object(fields) = value else {
            faults.push(fault(place, "type", "deve ser objeto"));
            return None;
        };
        let unknown = fields.keys().filter(|name| !known.contains(&&***name));
        for name in unknown.take(MOST_FAULTS) {
            let name: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
            let message = format!("não existe aqui; há `{}`", known.join("`, `"));
            let field = format!("{place}.{name}");
            faults.push(fault(field, "additionalProperties", &message));
        }
        Some(Self { place, fields })
    }

    pub fn place_of(&self, name: &str) -> String {
        format!("{}.{name}", self.place)
    }

    /// Returns the value of a field; null counts as absent.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    pub fn read_flag(&self, name: &str, faults: &mut Vec<Fault>) -> bool {
        let Some(value) = self.get(name) else {
            return false;
        };
        value.as_bool().unwrap_or_else(|| {
            faults.push(fault(self.place_of(name), "type", "deve ser true ou false"));
            false
        })
    }

    /// Reads a required text without line breaks, of at most `most` characters.
    pub fn read_text(&self, name: &str, most: usize, faults: &mut Vec<Fault>) -> String {
        let field = self.place_of(name);
        match self.get(name) {
            None => faults.push(fault(field, "required", "é obrigatório")),
            Some(value) => match valid_text(value, most) {
                Some(text) => return text,
                None => faults.push(text_fault(field, most)),
            },
        }
        String::new()
    }

    /// Reads a text that must be one of `words`. Returns `None` if the field is absent or invalid.
    pub fn read_word<T: std::str::FromStr>(
        &self,
        name: &str,
        words: &[&str],
        faults: &mut Vec<Fault>,
    ) -> Option<T> {
        let value = self.get(name)?;
        let text = value.as_str().filter(|text| words.contains(text));
        let word = text.and_then(|text| text.parse().ok());
        if word.is_none() {
            let message = format!("deve ser um de: `{}`", words.join("`, `"));
            faults.push(fault(self.place_of(name), "enum", &message));
        }
        word
    }

    /// Reads an optional list of 1 to `most` items. Returns each item with its path.
    pub fn read_list(
        &self,
        name: &str,
        most: usize,
        faults: &mut Vec<Fault>,
    ) -> Vec<(String, &'a Value)> {
        let Some(value) = self.get(name) else {
            return vec![];
        };
        let field = self.place_of(name);
        let items = value.as_array();
        let Some(items) = items.filter(|items| (1..=most).contains(&items.len())) else {
            let message = format!("deve ser uma lista de 1 a {most} itens");
            faults.push(fault(field, "items", &message));
            return vec![];
        };
        let items = items.iter().enumerate();
        items
            .map(|(at, item)| (format!("{field}.{at}"), item))
            .collect()
    }

    /// Reads a list of texts of at most `length` characters.
    pub fn read_texts(&self, name: &str, length: usize, faults: &mut Vec<Fault>) -> Vec<String> {
        let mut texts = vec![];
        for (field, item) in self.read_list(name, MOST_ITEMS, faults) {
            match valid_text(item, length) {
                Some(text) => texts.push(text),
                None => faults.push(text_fault(field, length)),
            }
        }
        texts
    }

    /// Reads a list of ids. Returns each id with its path, and adds a fault for each repeated id.
    pub fn read_ids(&self, name: &str, faults: &mut Vec<Fault>) -> Vec<(String, &'a str)> {
        let mut ids: Vec<(String, &str)> = vec![];
        for (field, item) in self.read_list(name, MOST_ITEMS, faults) {
            match item.as_str() {
                Some(id) if ids.iter().any(|(_, other)| other.eq_ignore_ascii_case(id)) => {
                    faults.push(fault(field, "uniqueItems", "não pode repetir itens"));
                }
                Some(id) => ids.push((field, id)),
                None => faults.push(fault(field, "type", "deve ser um id")),
            }
        }
        ids
    }
}

/// The maximum number of items in a list of names or ids.
const MOST_ITEMS: usize = 50;

fn valid_text(value: &Value, most: usize) -> Option<String> {
    let text = value.as_str()?.trim();
    let is_plain = !is_blank(text) && !text.chars().any(char::is_control);
    (is_plain && text.chars().count() <= most).then(|| text.to_owned())
}

fn text_fault(field: String, most: usize) -> Fault {
    let message = format!("deve ser um texto de 1 a {most} caracteres, em uma linha");
    fault(field, "length", &message)
}

pub(super) fn fault(field: impl Into<String>, rule: &str, message: &str) -> Fault {
    Fault {
        field: field.into(),
        rule: rule.into(),
        message: message.into(),
    }
}
