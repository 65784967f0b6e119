//! Validates one event. An error message names the rule and never repeats the value.

use std::borrow::Cow;

use domain::{
    Email,
    time::{DAY, Millis, Timestamp},
    timeline::{Channel, DETAIL_KEYS, TimelineEventKind, UTM},
    without_emails,
};
use gateway::Pepper;
use serde_json::{Map, Value};
use store::timeline::NewEvent;

use super::site_text::SiteText;

/// The fields of an event.
const FIELDS: [&str; 8] = [
    "evento",
    "sessao",
    "id",
    "email",
    "produto",
    "lancamento",
    "ocorreu_em",
    "detalhe",
];

/// The maximum length of a session and of an id, in characters.
const LONGEST_ID: usize = 128;
/// The maximum length of a product and of a launch, in characters.
const LONGEST_NAME: usize = 200;
/// The maximum length of a value in a detail, in characters.
const LONGEST_DETAIL: usize = 1_000;
/// The maximum number of fields in a detail.
const MOST_DETAILS: usize = 30;

/// Validates an event. Returns the event, or the reason for refusing it.
pub(super) fn validate_event<'a>(
    item: &'a Value,
    pepper: &Pepper,
    now: Millis,
) -> Result<NewEvent<'a>, String> {
    let Value::Object(item) = item else {
        return Err("não é um objeto".into());
    };
    let is_unknown = |key: &&String| !item[*key].is_null() && !FIELDS.contains(&key.as_str());
    if let Some(key) = item.keys().find(is_unknown) {
        return Err(format!("{}: campo desconhecido", printable_name(key)));
    }
    let kind = optional_text(item, "evento", LONGEST_NAME)?;
    let kind: TimelineEventKind = kind
        .and_then(|kind| kind.as_str().parse().ok())
        .ok_or("evento: não é um dos tipos aceitos")?;
    let person = match optional_text(item, "email", LONGEST_DETAIL)? {
        Some(address) => {
            let email: Email = address
                .as_str()
                .parse()
                .map_err(|()| "email: não é um e-mail".to_owned())?;
            // `person_id` fails only while the service is not ready, and then the gateway has already
            // refused the call.
            Some(
                pepper
                    .person_id(&email)
                    .map_err(|error| error.to_string())?,
            )
        }
        None if needs_person(kind) => {
            return Err(format!("email: é obrigatório em {kind}"));
        }
        None => None,
    };
    let occurred_at = match optional_text(item, "ocorreu_em", LONGEST_NAME)? {
        None => now,
        Some(at) => {
            let at: Timestamp = at
                .as_str()
                .parse()
                .map_err(|_| "ocorreu_em: não é uma data com hora e fuso".to_owned())?;
            at.0
        }
    };
    if now.abs_diff(occurred_at) > DAY.unsigned_abs() {
        return Err("ocorreu_em: fica a mais de 1 dia de agora".into());
    }
    let detail = parse_detail(field_value(item, "detalhe"))?;
    let clean = |name| {
        let text = optional_text(item, name, LONGEST_NAME)?;
        Ok::<_, String>(text.map(SiteText::to_clean_text))
    };
    Ok(NewEvent {
        session: required_text(item, "sessao")?,
        id: required_text(item, "id")?,
        kind,
        occurred_at,
        person,
        product: clean("produto")?,
        launch: clean("lancamento")?,
        channel: Channel::from_detail(|key| detail.get(key)),
        detail: detail.to_json(),
    })
}

/// Returns the value of a field; `null` counts as absent.
fn field_value<'a>(item: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    item.get(name).filter(|value| !value.is_null())
}

fn needs_person(kind: TimelineEventKind) -> bool {
    matches!(
        kind,
        TimelineEventKind::Identified | TimelineEventKind::AnsweredPoll
    )
}

/// Reads a required text that is part of the event's key.
fn required_text<'a>(item: &'a Map<String, Value>, name: &str) -> Result<Cow<'a, str>, String> {
    let given = optional_text(item, name, LONGEST_ID)?;
    let given = given.ok_or_else(|| format!("{name}: é obrigatório"))?;
    if given.has_email() {
        return Err(format!("{name}: não pode conter um e-mail"));
    }
    Ok(given.as_str().into())
}

fn optional_text<'a>(
    item: &'a Map<String, Value>,
    name: &str,
    longest: usize,
) -> Result<Option<SiteText<'a>>, String> {
    let given = match field_value(item, name) {
        None => return Ok(None),
        Some(Value::String(given)) => SiteText::new(given, longest),
        Some(_) => Err("não é um texto".into()),
    };
    let given = given.map_err(|fault| format!("{name}: {fault}"));
    given.map(Some)
}

/// The fields of a detail in the form that the caller sent, ordered by key.
struct Detail<'a>(Vec<(&'a str, SiteText<'a>)>);

impl<'a> Detail<'a> {
    fn get(&self, key: &str) -> Option<&'a str> {
        let found = self.0.iter().find(|(known, _)| *known == key);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the detail as a JSON object, without e-mail addresses; `None` if the detail has no fields.
    fn to_json(&self) -> Option<String> {
        let length = |(key, value): &(&str, SiteText<'_>)| key.len() + value.as_str().len() + 6;
        let mut json = String::with_capacity(2 + self.0.iter().map(length).sum::<usize>());
        for (key, value) in &self.0 {
            json.push_str(if json.is_empty() { "{\"" } else { ",\"" });
            // The keys come from a fixed list and need no escapes.
            json.push_str(key);
            json.push_str("\":");
            value.push_json_to(&mut json)?;
        }
        json.push('}');
        (!self.0.is_empty()).then_some(json)
    }
}

fn parse_detail(given: Option<&Value>) -> Result<Detail<'_>, String> {
    let given = match given {
        None => return Ok(Detail(vec![])),
        Some(Value::Object(given)) => given,
        Some(_) => return Err("detalhe: não é um objeto".into()),
    };
    if given.len() > MOST_DETAILS {
        return Err(format!("detalhe: tem mais de {MOST_DETAILS} campos"));
    }
    let mut detail = Vec::with_capacity(given.len());
    for (key, value) in given {
        if !is_utm(key) && !DETAIL_KEYS.contains(&key.as_str()) {
            return Err(format!(
                "detalhe.{}: campo desconhecido",
                printable_name(key)
            ));
        }
        match value {
            Value::Null => {}
            Value::String(text) if text.is_empty() => {}
            Value::String(text) => match SiteText::new(text, LONGEST_DETAIL) {
                Ok(text) => detail.push((key.as_str(), text)),
                Err(fault) => return Err(format!("detalhe.{key}: {fault}")),
            },
            _ => return Err(format!("detalhe.{key}: não é um texto")),
        }
    }
    detail.sort_unstable_by_key(|(key, _)| *key);
    Ok(Detail(detail))
}

fn is_utm(key: &str) -> bool {
    key.strip_prefix(UTM).is_some_and(|rest| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        (1..=40).contains(&rest.len()) && rest.bytes().all(plain)
    })
}

/// Shortens a name that the caller sent and removes control characters and e-mail addresses, so
/// that an error message can show it.
fn printable_name(given: &str) -> String {
    let shown = given.chars().filter(|c| !c.is_control()).take(40);
    without_emails(&shown.collect::<String>()).into_owned()
}
