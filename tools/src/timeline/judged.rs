//! The rules of one event. A refusal names the rule and never repeats the value.

use std::collections::BTreeMap;

use domain::{
    Email, has_email,
    time::{DAY, Millis, Timestamp},
    timeline::{Channel, DETAIL_KEYS, TimelineEventKind, UTM},
    without_emails,
};
use gateway::Pepper;
use serde_json::{Map, Value};
use store::timeline::NewEvent;

const KEYS: [&str; 8] = [
    "evento",
    "sessao",
    "id",
    "email",
    "produto",
    "lancamento",
    "ocorreu_em",
    "detalhe",
];

/// Maximum characters of a session and of an id.
const LONGEST_ID: usize = 128;
/// Maximum characters of a product and of a launch.
const LONGEST_NAME: usize = 200;
/// Maximum characters of a value in a detail.
const LONGEST_DETAIL: usize = 1_000;
/// Maximum campaign parameters of a detail.
const MOST_DETAILS: usize = 30;

/// The event, or why it is refused.
pub(super) fn judge(item: Value, pepper: &Pepper, now: Millis) -> Result<NewEvent, String> {
    let Value::Object(mut item) = item else {
        return Err("não é um objeto".into());
    };
    // An absent value may also be null.
    item.retain(|_, value| !value.is_null());
    if let Some(unknown) = item.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("{}: campo desconhecido", name(unknown)));
    }
    let kind = text(&item, "evento", LONGEST_NAME)?;
    let kind: TimelineEventKind = kind
        .and_then(|kind| kind.parse().ok())
        .ok_or("evento: não é um dos tipos aceitos")?;
    let person = match text(&item, "email", LONGEST_DETAIL)? {
        Some(address) => {
            let email: Email = address
                .parse()
                .map_err(|()| "email: não é um e-mail".to_owned())?;
            // Only a service that is not ready fails here; the gateway has refused it before.
            Some(pepper.person(&email).map_err(|error| error.to_string())?)
        }
        None if needs_person(kind) => {
            return Err(format!("email: é obrigatório em {kind}"));
        }
        None => None,
    };
    let occurred_at = match text(&item, "ocorreu_em", LONGEST_NAME)? {
        None => now,
        Some(at) => {
            let at: Timestamp = at
                .parse()
                .map_err(|_| "ocorreu_em: não é uma data com hora e fuso".to_owned())?;
            at.0
        }
    };
    if now.abs_diff(occurred_at) > DAY.unsigned_abs() {
        return Err("ocorreu_em: fica a mais de 1 dia de agora".into());
    }
    let detail = detail(item.get("detalhe"))?;
    let plain = |name| -> Result<Option<String>, String> {
        let given = text(&item, name, LONGEST_NAME)?;
        Ok(given.map(|text| without_emails(text).into_owned()))
    };
    Ok(NewEvent {
        session: key(&item, "sessao")?,
        id: key(&item, "id")?,
        kind,
        occurred_at,
        person,
        product: plain("produto")?,
        launch: plain("lancamento")?,
        channel: Channel::of(|key| detail.get(key).map(String::as_str)),
        detail: match detail.is_empty() {
            true => None,
            false => serde_json::to_string(&detail).ok(),
        },
    })
}

fn needs_person(kind: TimelineEventKind) -> bool {
    matches!(
        kind,
        TimelineEventKind::Identified | TimelineEventKind::AnsweredPoll
    )
}

/// A text that is required and is part of the event's key.
fn key(item: &Map<String, Value>, name: &str) -> Result<String, String> {
    let given = text(item, name, LONGEST_ID)?;
    let given = given.ok_or_else(|| format!("{name}: é obrigatório"))?;
    if has_email(given) {
        return Err(format!("{name}: não pode conter um e-mail"));
    }
    Ok(given.to_owned())
}

fn text<'a>(
    item: &'a Map<String, Value>,
    name: &str,
    longest: usize,
) -> Result<Option<&'a str>, String> {
    match item.get(name) {
        None => Ok(None),
        Some(Value::String(given)) => {
            require_plain(name, given, longest)?;
            Ok(Some(given))
        }
        Some(_) => Err(format!("{name}: não é um texto")),
    }
}

fn require_plain(name: &str, given: &str, longest: usize) -> Result<(), String> {
    if given.is_empty() {
        return Err(format!("{name}: está vazio"));
    }
    if given.chars().nth(longest).is_some() {
        return Err(format!("{name}: passa de {longest} caracteres"));
    }
    if given.chars().any(char::is_control) {
        return Err(format!("{name}: contém caracteres de controle"));
    }
    Ok(())
}

/// The detail without plain e-mail addresses, which sites leave in the addresses of pages.
fn detail(given: Option<&Value>) -> Result<BTreeMap<String, String>, String> {
    let given = match given {
        None => return Ok(BTreeMap::new()),
        Some(Value::Object(given)) => given,
        Some(_) => return Err("detalhe: não é um objeto".into()),
    };
    if given.len() > MOST_DETAILS {
        return Err(format!("detalhe: tem mais de {MOST_DETAILS} campos"));
    }
    let mut detail = BTreeMap::new();
    for (key, value) in given {
        let is_utm = key.strip_prefix(UTM).is_some_and(|rest| {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            (1..=40).contains(&rest.len()) && rest.chars().all(plain)
        });
        if !is_utm && !DETAIL_KEYS.contains(&key.as_str()) {
            return Err(format!("detalhe.{}: campo desconhecido", name(key)));
        }
        match value {
            Value::Null => {}
            Value::String(text) if text.is_empty() => {}
            Value::String(text) => {
                require_plain(&format!("detalhe.{key}"), text, LONGEST_DETAIL)?;
                detail.insert(key.clone(), without_emails(text).into_owned());
            }
            _ => return Err(format!("detalhe.{key}: não é um texto")),
        }
    }
    Ok(detail)
}

/// A name that a caller sent, as a refusal may show it.
fn name(given: &str) -> String {
    let shown = given.chars().filter(|c| !c.is_control()).take(40);
    without_emails(&shown.collect::<String>()).into_owned()
}
