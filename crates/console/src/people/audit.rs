//! Reads the audit trail, and describes its rows in words.

use std::collections::HashMap;

use domain::Outcome;
use gateway::{Door, Result};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::words;
use crate::{
    piece::words::{channel_name, status_name},
    text,
    view::View,
};

/// The filter of the rows. An empty text matches everything.
#[derive(Debug, Default, Clone)]
pub(super) struct Filter {
    /// The names of the operation's input fields, with their values.
    pub fields: Vec<(&'static str, String)>,
}

impl Filter {
    fn to_input(&self, limit: u16, cursor: Option<&str>) -> Value {
        let mut input = json!({ "limit": limit });
        for (name, value) in &self.fields {
            if !value.is_empty() {
                input[*name] = value.as_str().into();
            }
        }
        if let Some(cursor) = cursor {
            input["cursor"] = cursor.into();
        }
        input
    }
}

#[derive(Deserialize)]
pub(super) struct Trail {
    pub audit: Vec<Row>,
    pub next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Row {
    pub occurred_at: String,
    pub request_id: Option<String>,
    pub actor_name: Option<String>,
    pub token_id: Option<String>,
    pub auth_method: String,
    pub action: String,
    pub resource_type: Option<String>,
    pub resource_id: Option<String>,
    pub resource_name: Option<String>,
    pub changes: Vec<FieldChange>,
    pub outcome: String,
    pub status_code: Option<i64>,
    metadata: Map<String, Value>,
}

/// A field that the call changed.
#[derive(Deserialize)]
pub(super) struct FieldChange {
    pub field: String,
    pub before: Value,
    pub after: Value,
}

impl Row {
    pub fn meta_text(&self, name: &str) -> &str {
        self.metadata
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// The number of calls in this row. Plain reads are aggregated.
    pub fn call_count(&self) -> i64 {
        self.metadata
            .get("count")
            .and_then(Value::as_i64)
            .unwrap_or(1)
    }
}

/// Reads a page of rows.
pub(super) async fn load_trail(
    view: &View<'_>,
    filter: &Filter,
    limit: u16,
    cursor: Option<&str>,
) -> Result<Trail> {
    view.read("list_audit_events", filter.to_input(limit, cursor))
        .await
}

/// The name and the owner of a token or agent.
pub(super) struct Holder {
    pub id: String,
    pub name: String,
    pub owner: String,
    pub is_agent: bool,
}

#[derive(Deserialize)]
struct Accesses {
    members: Vec<Access>,
}

#[derive(Deserialize)]
struct Access {
    id: String,
    name: String,
    tokens: Vec<Token>,
    agents: Vec<Agent>,
}

#[derive(Deserialize)]
struct Token {
    id: String,
    label: String,
}

#[derive(Deserialize)]
struct Agent {
    id: String,
    client_name: String,
}

/// The first 200 members with their tokens and agents.
#[derive(Default)]
pub(super) struct People {
    pub members: Vec<(String, String)>,
    pub holders: Vec<Holder>,
}

impl People {
    pub async fn load(view: &View<'_>) -> Result<Self> {
        let listed: Accesses = view
            .read("list_access_members", json!({ "limit": 200 }))
            .await?;
        let mut people = Self::default();
        for member in listed.members {
            let owner = &member.name;
            let agents = member.agents.into_iter().map(|agent| Holder {
                id: agent.id,
                name: agent.client_name,
                owner: owner.clone(),
                is_agent: true,
            });
            people.holders.extend(agents);
            let tokens = member.tokens.into_iter().map(|token| Holder {
                id: token.id,
                name: token.label,
                owner: owner.clone(),
                is_agent: false,
            });
            people.holders.extend(tokens);
            people.members.push((member.id, member.name));
        }
        Ok(people)
    }

    pub fn holders_by_id(&self) -> HashMap<&str, &Holder> {
        let holders = self.holders.iter();
        holders.map(|holder| (holder.id.as_str(), holder)).collect()
    }
}

/// The author of a row: a person, or an agent or token on behalf of a person.
pub(super) fn describe_author(row: &Row, holders: &HashMap<&str, &Holder>) -> String {
    let person = row.actor_name.as_deref();
    let holder = row.token_id.as_deref().and_then(|id| holders.get(id));
    match (person, holder) {
        (Some(person), Some(holder)) if holder.is_agent => format!("{} por {person}", holder.name),
        (Some(person), Some(holder)) => format!("{person}, com o token “{}”", holder.name),
        (Some(person), None) => match row.auth_method.as_str() {
            "connected_agent" => format!("Um agente por {person}"),
            "personal_token" => format!("{person}, com um token"),
            _ => person.to_owned(),
        },
        (None, _) if row.auth_method == "system" => "Quem opera o serviço".into(),
        (None, _) => "Desconhecido".into(),
    }
}

/// The title of an operation, or of another action of the trail.
pub(super) fn action_title(view: &View<'_>, action: &str) -> String {
    if let Some((_, title)) = PIECES.iter().find(|(name, _)| *name == action) {
        return (*title).to_owned();
    }
    if let Some(operation) = view.find_operation(action) {
        return operation.spec.title.to_owned();
    }
    let entry = OTHERS.iter().find(|(name, _)| *name == action);
    entry.map_or(action, |(_, title)| title).to_owned()
}

/// Operations on pieces with the titles that the console shows. The published titles say "evento",
/// and the console says "peça".
const PIECES: [(&str, &str); 6] = [
    ("get_event", "Ler peça"),
    ("list_attachable_events", "Listar peças que aceitam mídia"),
    ("list_events", "Listar peças"),
    ("reopen_event", "Reabrir peça"),
    ("update_event", "Atualizar peça"),
    ("update_event_media", "Atualizar mídias da peça"),
];

/// Audited actions that are not operations, with their titles.
pub(super) const OTHERS: [(&str, &str); 8] = [
    ("sign_in", "Entrar"),
    ("sign_in_failed", "Entrar, sem sucesso"),
    ("token_refresh_reuse", "Reuso de um token de renovação"),
    ("agent_token_reuse", "Reuso de um token de agente"),
    ("create_admin", "Criar admin"),
    ("bind_identity", "Vincular conta do provedor"),
    ("import_sales", "Importar vendas"),
    ("post_mcp", "Pedido MCP"),
];

/// The names of resource kinds.
const KINDS: [(&str, &str); 18] = [
    ("agent", "agente"),
    ("cancellation", "saída de assinante"),
    ("config", "configuração"),
    ("connection", "conexão"),
    ("email_draft", "e-mail"),
    ("event", "peça"),
    ("knowledge", "conhecimento"),
    ("launch", "lançamento"),
    ("media", "mídia"),
    ("member", "membro"),
    ("person", "comprador"),
    ("platform", "plataforma"),
    ("project", "projeto"),
    ("publication", "publicação"),
    ("sales", "vendas"),
    ("skill", "skill"),
    ("token", "token"),
    ("video", "vídeo"),
];

pub(super) fn kind_name(name: &str) -> &str {
    let entry = KINDS.iter().find(|(kind, _)| *kind == name);
    entry.map_or(name, |(_, title)| title)
}

/// The names of changed fields.
const FIELDS: [(&str, &str); 7] = [
    ("access_level", "papel"),
    ("api_access_level", "nível de API"),
    ("channel", "canal"),
    ("due_at", "data"),
    ("financeiro", "vê vendas"),
    ("status", "situação"),
    ("title", "título"),
];

pub(super) fn field_name(name: &str) -> &str {
    let entry = FIELDS.iter().find(|(field, _)| *field == name);
    entry.map_or(name, |(_, title)| title)
}

/// A value of a changed field, in words.
pub(super) fn describe_value(field: &str, value: &Value) -> String {
    let in_words = match (field, value) {
        (_, Value::Null) => Some("nada".to_owned()),
        (_, Value::Bool(is)) => Some(if *is { "sim" } else { "não" }.to_owned()),
        ("status", _) => parse(value).map(|status| status_name(status).to_owned()),
        ("access_level", _) => parse(value).map(|role| words::role_name(role).to_owned()),
        ("api_access_level", _) => parse(value).map(|level| words::level_name(level).to_owned()),
        ("channel", Value::String(key)) => Some(channel_name(key).to_owned()),
        ("due_at", Value::String(at)) => Some(text::format_iso_moment(at)),
        (_, Value::String(text)) => Some(text.clone()),
        _ => None,
    };
    in_words.unwrap_or_else(|| value.to_string())
}

fn parse<T: serde::de::DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

/// The changed fields in one line, for a file.
pub(super) fn list_changes(changes: &[FieldChange]) -> String {
    let line = changes.iter().map(|change| {
        let [before, after] =
            [&change.before, &change.after].map(|one| describe_value(&change.field, one));
        format!("{}: {before} → {after}", field_name(&change.field))
    });
    line.collect::<Vec<_>>().join("; ")
}

pub(super) const DOORS: [(Door, &str); 4] = [
    (Door::Rest, "API"),
    (Door::Mcp, "MCP"),
    (Door::Console, "Console"),
    (Door::Cli, "Linha de comando"),
];

pub(super) fn door_name(name: &str) -> &str {
    let entry = DOORS.iter().find(|(door, _)| door.as_str() == name);
    entry.map_or(name, |(_, title)| title)
}

pub(super) const OUTCOMES: [(Outcome, &str); 4] = [
    (Outcome::Succeeded, "feito"),
    (Outcome::Allowed, "lido"),
    (Outcome::Denied, "negado"),
    (Outcome::Failed, "falhou"),
];

pub(super) fn outcome_word(outcome: &str) -> &str {
    let entry = OUTCOMES.iter().find(|(entry, _)| entry.as_str() == outcome);
    entry.map_or(outcome, |(_, word)| word)
}

/// An outcome as a word, in its colour.
pub(super) fn draw_outcome(outcome: &str) -> Markup {
    let class = match outcome {
        "succeeded" => "badge good",
        "denied" => "badge bad",
        "failed" => "badge wait",
        _ => "badge",
    };
    html! { span class=(class) { (outcome_word(outcome)) } }
}
