//! The synonyms that a team configures.

use std::collections::BTreeMap;

use search::{
    question::{Question, Wanted},
    related::Relations,
    words::stems,
};
use serde_json::Value;

use domain::Fault;
use gateway::{Error, Result};
use store::Conn;

/// The configuration key of the synonyms.
pub(crate) const KEY: &str = "conhecimento.sinonimos";

/// Maximum number of words in the configuration.
const MOST_WORDS: usize = 200;
/// Maximum number of synonyms of a word.
const MOST_OTHERS: usize = 10;
/// Maximum number of characters of a word.
const LONGEST: usize = 60;

type Words = BTreeMap<String, Vec<String>>;

/// Refuses (400) synonyms that the search cannot use. `null` means no synonyms.
pub(crate) fn require_valid_synonyms(value: &Value) -> Result<()> {
    let words = match value {
        Value::Null => return Ok(()),
        Value::Object(words) => words,
        _ => return Err(Error::invalid_field("value", "type", "deve ser objeto")),
    };
    if words.len() > MOST_WORDS {
        let message = "deve ter no máximo 200 palavras";
        return Err(Error::invalid_field("value", "maxProperties", message));
    }
    let faults = words
        .iter()
        .flat_map(|(word, others)| word_faults(word, others));
    let faults: Vec<Fault> = faults.collect();
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Error::from_faults(faults)),
    }
}

fn word_faults(word: &str, others: &Value) -> Vec<Fault> {
    let name: String = word.chars().filter(|c| !c.is_control()).take(80).collect();
    let field = format!("value.{name}");
    let fault = |field: String, rule: &str, message: &str| Fault {
        field,
        rule: rule.into(),
        message: message.into(),
    };
    let mut faults = vec![];
    if word.chars().count() > LONGEST || stems(word).count() != 1 {
        let message = "deve ser uma só palavra pesquisável, de até 60 caracteres";
        faults.push(fault(field.clone(), "word", message));
    }
    let others = match others {
        Value::Array(others) if (1..=MOST_OTHERS).contains(&others.len()) => others,
        _ => {
            let message = "deve ser uma lista de 1 a 10 palavras";
            faults.push(fault(field, "type", message));
            return faults;
        }
    };
    for (at, other) in others.iter().enumerate() {
        let is_word = |text: &str| text.chars().count() <= LONGEST && stems(text).next().is_some();
        if !other.as_str().is_some_and(is_word) {
            let message = "deve ser texto pesquisável, de até 60 caracteres";
            faults.push(fault(format!("{field}.{at}"), "word", message));
        }
    }
    faults
}

/// Loads the synonyms of the words of a query; none if the configuration is absent or invalid.
pub(super) async fn load_synonyms(db: &Conn<'_>, question: &Question) -> Result<Relations> {
    let value = store::config::find_current_value(db, KEY).await?;
    let words: Words = value
        .and_then(|value| serde_json::from_str(&value).ok())
        .unwrap_or_default();
    let is_asked = |word: &str| {
        let stem = stems(word).next();
        stem.is_some_and(|stem| question.wanted.contains(&Wanted::Word(stem)))
    };
    let words = words.iter().take(MOST_WORDS);
    let asked = words.filter(|(word, _)| is_asked(word));
    Ok(Relations::from_team_words(asked.map(|(word, others)| {
        let others = others.iter().take(MOST_OTHERS).map(String::as_str);
        (word.as_str(), others.collect())
    })))
}
