//! One of the two services: its callers and its ids.

use axum::http::Method;
use domain::{Capability, Level, Role};
use serde_json::{Value, json};

use super::generate::{Call, ID, RAW};
use crate::{
    contract::equality::{
        call::find_entry,
        story::{remove_cursors, remove_signatures},
    },
    support::{Answer, Client, TestApp},
};

pub(super) struct Side {
    pub(super) app: TestApp,
    pub(super) callers: Vec<Client>,
    /// The names of the members. Each name contains the id of its member.
    names: Vec<String>,
    /// The ids, by the number of their placeholder.
    pub(super) ids: Vec<String>,
}

impl Side {
    /// Creates a service with a team whose members have different rights, each with a session and a
    /// token.
    pub(super) async fn new() -> Self {
        let app = TestApp::new().await;
        let (mut callers, mut names, mut ids) = (vec![], vec![], vec![]);
        let mut admin = None;
        for (number, (role, level)) in [
            (Role::Admin, Level::Admin),
            (Role::Lider, Level::Lider),
            (Role::Criador, Level::Criador),
            (Role::Lider, Level::Nenhum),
        ]
        .into_iter()
        .enumerate()
        {
            // Stages list members in the order of their ids, which is the order of their creation.
            app.advance_clock(1);
            let mut member = app.add_member_with(role, level, role == Role::Admin).await;
            // Both services sort the team by name, so a member must have the same unique name in
            // both.
            member.name = format!("Membro {number}");
            let values = [member.name.clone(), member.id.clone().into()];
            app.execute_statement("UPDATE members SET name = $1 WHERE id = $2", values)
                .await;
            callers.push(app.token_client(&member).await);
            if role != Role::Criador {
                callers.push(app.session_client(&member).await);
            }
            let scopes = [Capability::TasksView, Capability::DraftSave];
            callers.push(app.token_client_with(&member, &scopes).await.0);
            if role == Role::Admin {
                admin = Some(app.session_client(&member).await);
            }
            names.push(member.name.clone());
            ids.push(member.id.into());
        }
        let admin = admin.expect("an admin");
        configure_stages(&admin, &ids).await;
        Self {
            app,
            callers,
            names,
            ids,
        }
    }

    /// Replaces the values in a text that differ between the two services.
    pub(super) fn normalise_text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (number, name) in self.names.iter().enumerate() {
            text = text.replace(name, &format!("Pessoa {number}"));
        }
        let mut plain = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let id = rest.get(..36).filter(|id| is_id(id));
            let Some(id) = id else {
                plain.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            };
            match self.ids.iter().position(|known| known == id) {
                Some(number) => plain.push_str(&format!("id-{number}")),
                None => plain.push_str("id-?"),
            }
            rest = &rest[36..];
        }
        plain
    }

    pub(super) fn normalise_body(&self, body: &Value) -> Value {
        let text = self.normalise_text(&body.to_string());
        let mut body = serde_json::from_str(&text).expect("still JSON");
        remove_signatures(&mut body);
        remove_cursors(&mut body);
        body
    }

    pub(super) async fn call_by_rest(&self, call: &Call, caller: &Client) -> Answer {
        let spec = find_entry(call.tool).spec;
        let mut arguments = call.arguments.clone();
        let part = |part: &str| {
            let name = part
                .strip_prefix('{')
                .and_then(|part| part.strip_suffix('}'));
            let Some(name) = name else {
                return part.to_owned();
            };
            let value = self.resolve_id(arguments.remove(name).expect("the path is whole"));
            let value = value.as_str().expect("an id as text");
            percent_encoding::utf8_percent_encode(value, percent_encoding::NON_ALPHANUMERIC)
                .to_string()
        };
        let path = spec.path.split('/').map(part).collect::<Vec<_>>().join("/");
        let method: Method = spec.verb.as_str().parse().expect("a method");
        let mut caller = caller.clone();
        if let Some(key) = &call.key {
            if call.key_in_header || !spec.has_body() {
                caller = caller.with_idempotency_key(key);
            } else {
                arguments.insert("idempotency_key".into(), key.as_str().into());
            }
        }
        if spec.has_body() {
            let body = self.render_json(&Value::Object(arguments), call);
            return caller.send(method, &path, Some(body.into())).await;
        }
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in arguments {
            let value = self.resolve_id(value);
            let text = value.as_str().map_or_else(|| value.to_string(), Into::into);
            query.append_pair(&name, &text);
            if call.twice.as_ref().is_some_and(|(_, twice)| *twice == name) {
                query.append_pair(&name, &text);
            }
        }
        let path = format!("{path}?{}", query.finish());
        caller.send(method, &path, None).await
    }

    pub(super) async fn call_by_mcp(&self, call: &Call, caller: &Client) -> Answer {
        let mut arguments = call.arguments.clone();
        if let Some(key) = &call.key {
            arguments.insert("idempotency_key".into(), key.as_str().into());
        }
        let arguments = self.render_json(&Value::Object(arguments), call);
        let params = format!(r#"{{"name":"{}","arguments":{arguments}}}"#, call.tool);
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let caller = caller.with_header("mcp-protocol-version", "2025-11-25");
        caller
            .send(Method::POST, "/api/mcp", Some(message.into()))
            .await
    }

    fn resolve_id(&self, value: Value) -> Value {
        let number = value.as_str().and_then(|text| text.strip_prefix(ID));
        match number.and_then(|number| number.parse::<usize>().ok()) {
            Some(number) => self.ids[number].as_str().into(),
            None => value,
        }
    }

    /// Renders a value as JSON for this service: with its own ids, raw JSON, and repeated names.
    fn render_json(&self, value: &Value, call: &Call) -> String {
        let twice = call.twice.as_ref().map(|(_, name)| name.as_str());
        match value {
            Value::Object(fields) => {
                let inner = Call {
                    twice: None,
                    ..call.clone()
                };
                let field = |(name, value): (&String, &Value)| {
                    let written = self.render_json(value, &inner);
                    let name_text = Value::from(name.as_str());
                    let once = format!("{name_text}:{written}");
                    match twice == Some(name.as_str()) {
                        true => format!("{once},{once}"),
                        false => once,
                    }
                };
                let fields: Vec<String> = fields.iter().map(field).collect();
                format!("{{{}}}", fields.join(","))
            }
            Value::Array(items) => {
                let items: Vec<String> = items
                    .iter()
                    .map(|item| self.render_json(item, call))
                    .collect();
                format!("[{}]", items.join(","))
            }
            Value::String(text) if text.starts_with(RAW) => text[RAW.len()..].to_owned(),
            value => self.resolve_id(value.clone()).to_string(),
        }
    }
}

/// Publishes rules by which pieces of Instagram, the usual channel, pass two stages. Other pieces
/// are decided at once.
async fn configure_stages(admin: &Client, members: &[String]) {
    let stages = json!([
        { "nome": "Revisão", "membros": [members[1]], "papel": "lider", "prazo_horas_uteis": 4 },
        { "nome": "Direção", "membros": [members[0], members[1]], "exige": "todos" },
    ]);
    let rules = json!({ "regras": [{ "nome": "Instagram", "canais": ["instagram"],
        "etapas": stages }] });
    let config = json!({ "key": "aprovacao", "value": rules });
    admin.post("/api/config", config).await.expect(200);
}

pub(super) fn is_id(text: &str) -> bool {
    domain::EventId::from(text).as_str() == text && text.len() == 36
}
