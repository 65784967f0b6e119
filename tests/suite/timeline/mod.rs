//! The timeline: events, e-mail deliveries, and the profiles of people.

mod deliveries;
mod double;
mod events;
mod import;
mod months;
mod people;
mod privacy;

use domain::{Level, Role, time::Timestamp};
use serde_json::{Value, json};

use crate::support::{Client, Settings, TestApp};

const TOKEN: &str = "segredo-de-quem-envia";
const LEAD_TOKEN: &str = "segredo-de-quem-le";
const EVENTS: &str = "/api/jornada/eventos";
const LEAD: &str = "/api/jornada/lead";
const PROFILE: &str = "/api/jornada/perfil";

fn settings() -> Settings {
    vec![
        ("PAUTA_JORNADA_TOKEN", TOKEN.into()),
        ("PAUTA_JORNADA_LEAD_TOKEN", LEAD_TOKEN.into()),
    ]
}

async fn service() -> TestApp {
    TestApp::with_settings(settings()).await
}

/// Counts the figures.
async fn settle(app: &TestApp) {
    let db = &app.app.gateway.services.db;
    let counted = tools::figures::settle(db, app.now()).await;
    counted.expect("counts");
}

/// A caller with the secret for sending events.
fn site(app: &TestApp) -> Client {
    app.anonymous().with_header("x-jornada-token", TOKEN)
}

/// A caller with the secret for reading about leads.
fn crm(app: &TestApp) -> Client {
    app.anonymous().with_header("x-jornada-token", LEAD_TOKEN)
}

/// A member who may read profiles.
async fn financial(app: &TestApp) -> Client {
    let member = app.member_with(Role::Criador, Level::Leitor, true).await;
    app.session(&member).await
}

/// The instant this many milliseconds from now, as text.
fn at(app: &TestApp, from_now: i64) -> String {
    Timestamp(app.now() + from_now).to_string()
}

fn event(kind: &str, session: &str, id: &str, more: Value) -> Value {
    let mut event = json!({ "evento": kind, "sessao": session, "id": id });
    for (name, value) in more.as_object().expect("fields") {
        event[name] = value.clone();
    }
    event
}

fn visit(session: &str, id: &str, more: Value) -> Value {
    event("visitou_pagina", session, id, more)
}

/// Sends events in a valid request.
async fn send(client: &Client, events: Value) -> Value {
    let answer = client.post(EVENTS, json!({ "eventos": events })).await;
    answer.expect(200).body
}

async fn lead(app: &TestApp, email: &str) -> Value {
    let answer = crm(app).post(LEAD, json!({ "email": email })).await;
    answer.expect(200).body
}
