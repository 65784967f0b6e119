//! Reads the audit trail, and describes its rows in words.

use std::collections::BTreeMap;

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
    pub actor_member_id: Option<String>,
    pub actor_name: Option<String>,
    pub token_id: Option<String>,
    pub token_name: Option<String>,
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

    /// Returns the number of calls that this row stands for. Several reads may share a row.
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

/// The active members, and their tokens and agents, as choices of the filters: pairs of id and label.
#[derive(Default)]
pub(super) struct People {
    pub members: Vec<(String, String)>,
    /// The tokens and agents, each with the name of its owner.
    pub credentials: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Accesses {
    members: Vec<Access>,
    next_cursor: Option<String>,
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

impl People {
    pub async fn load(view: &View<'_>) -> Result<Self> {
        let mut people = Self::default();
        let mut cursor = None;
        loop {
            let input = json!({ "limit": 200, "cursor": cursor });
            let listed: Accesses = view.read("list_access_members", input).await?;
            for member in listed.members {
                people.add(member);
            }
            cursor = listed.next_cursor;
            if cursor.is_none() {
                return Ok(people);
            }
        }
    }

    fn add(&mut self, member: Access) {
        let owner = &member.name;
        let agents = member.agents.into_iter();
        let agents = agents.map(|agent| (agent.id, agent.client_name));
        let tokens = member.tokens.into_iter();
        let tokens = tokens.map(|token| (token.id, token.label));
        let labelled = agents.chain(tokens);
        let labelled = labelled.map(|(id, name)| (id, format!("{name} ({owner})")));
        self.credentials.extend(labelled);
        self.members.push((member.id, member.name));
    }

    pub fn is_active(&self, id: &str) -> bool {
        self.members.iter().any(|(member, _)| member == id)
    }

    /// Returns the choices of the member filter: the active members, and former members who are the
    /// authors of these rows.
    pub fn member_choices(&self, rows: &[Row]) -> Vec<(String, String)> {
        let authors = rows.iter().filter_map(|row| {
            let (id, name) = row.actor_member_id.as_ref().zip(row.actor_name.as_ref())?;
            Some((id.clone(), format!("{name} (saiu da equipe)")))
        });
        add_missing_choices(&self.members, authors)
    }

    /// Returns the choices of the filter for tokens and agents: the credentials of active members, and
    /// the other credentials that occur in these rows.
    pub fn credential_choices(&self, rows: &[Row]) -> Vec<(String, String)> {
        let used = rows.iter().filter_map(|row| {
            let (id, name) = row.token_id.as_ref().zip(row.token_name.as_ref())?;
            let owner = row.actor_name.as_deref().unwrap_or_default();
            Some((id.clone(), format!("{name} ({owner})")))
        });
        add_missing_choices(&self.credentials, used)
    }
}

/// Returns `choices`, followed by the entries of `others` whose ids are not in `choices`.
fn add_missing_choices(
    choices: &[(String, String)],
    others: impl Iterator<Item = (String, String)>,
) -> Vec<(String, String)> {
    let missing: BTreeMap<String, String> = others
        .filter(|(id, _)| choices.iter().all(|(known, _)| known != id))
        .collect();
    choices.iter().cloned().chain(missing).collect()
}

/// Names the author of a row: a person, or an agent or token on behalf of a person.
pub(super) fn describe_author(row: &Row) -> String {
    let is_agent = row.auth_method == "connected_agent";
    let is_token = row.auth_method == "personal_token";
    match (row.actor_name.as_deref(), row.token_name.as_deref()) {
        (Some(person), Some(agent)) if is_agent => format!("{agent} por {person}"),
        (Some(person), None) if is_agent => format!("Um agente por {person}"),
        (Some(person), Some(token)) if is_token => format!("{person}, com o token “{token}”"),
        (Some(person), None) if is_token => format!("{person}, com um token"),
        (Some(person), _) => person.to_owned(),
        (None, _) if row.action.ends_with("_overdue_stage") => "O próprio serviço".into(),
        (None, _) if row.auth_method == "system" => "Quem opera o serviço".into(),
        (None, _) => "Desconhecido".into(),
    }
}

/// Returns the title of an operation, or of an audited action that is not an operation.
pub(super) fn action_title<'a>(view: &View<'_>, action: &'a str) -> &'a str {
    if let Some(title) = view.operation_title(action) {
        return title;
    }
    let entry = OTHERS.iter().find(|(name, _)| *name == action);
    entry.map_or(action, |(_, title)| title)
}

/// Audited actions that are not operations, with their titles.
pub(super) const OTHERS: [(&str, &str); 10] = [
    ("sign_in", "Entrar"),
    ("sign_in_failed", "Entrar, sem sucesso"),
    ("token_refresh_reuse", "Reuso de um token de renovação"),
    ("agent_token_reuse", "Reuso de um token de agente"),
    ("create_admin", "Criar admin"),
    ("bind_identity", "Vincular conta do provedor"),
    ("import_sales", "Importar vendas"),
    ("post_mcp", "Pedido MCP"),
    ("remind_overdue_stage", "Lembrar etapa atrasada"),
    ("escalate_overdue_stage", "Escalar etapa atrasada"),
];

/// The names of resource kinds.
const KINDS: [(&str, &str); 19] = [
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
    ("remark", "comentário"),
    ("token", "token"),
    ("video", "vídeo"),
];

pub(super) fn kind_name(name: &str) -> &str {
    let entry = KINDS.iter().find(|(kind, _)| *kind == name);
    entry.map_or(name, |(_, title)| title)
}

/// The names of changed fields.
const FIELDS: [(&str, &str); 8] = [
    ("access_level", "papel"),
    ("api_access_level", "nível de API"),
    ("channel", "canal"),
    ("decision", "decisão"),
    ("due_at", "data"),
    ("financeiro", "vê vendas"),
    ("status", "situação"),
    ("title", "título"),
];

pub(super) fn field_name(name: &str) -> &str {
    let entry = FIELDS.iter().find(|(field, _)| *field == name);
    entry.map_or(name, |(_, title)| title)
}

/// Returns the value of a changed field in words.
pub(super) fn describe_value(field: &str, value: &Value) -> String {
    let in_words = match (field, value) {
        (_, Value::Null) => Some("nada".to_owned()),
        (_, Value::Bool(is)) => Some(if *is { "sim" } else { "não" }.to_owned()),
        ("status", _) => parse(value).map(|status| status_name(status).to_owned()),
        ("access_level", _) => parse(value).map(|role| words::role_name(role).to_owned()),
        ("api_access_level", _) => parse(value).map(|level| words::level_name(level).to_owned()),
        ("channel", Value::String(key)) => Some(channel_name(key).to_owned()),
        ("decision", Value::String(text)) if text == "pedir_ajustes" => {
            Some("pedir ajustes".to_owned())
        }
        ("due_at", Value::String(at)) => Some(text::format_iso_moment(at)),
        (_, Value::String(text)) => Some(text.clone()),
        _ => None,
    };
    in_words.unwrap_or_else(|| value.to_string())
}

fn parse<T: serde::de::DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

/// Describes the changed fields in one line, for the CSV file.
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

/// Draws an outcome as a coloured word.
pub(super) fn draw_outcome(outcome: &str) -> Markup {
    let class = match outcome {
        "succeeded" => "badge good",
        "denied" => "badge bad",
        "failed" => "badge wait",
        _ => "badge",
    };
    html! { span class=(class) { (outcome_word(outcome)) } }
}
