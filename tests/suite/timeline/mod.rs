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

fn timeline_settings() -> Settings {
    vec![
        ("PAUTA_JORNADA_TOKEN", TOKEN.into()),
        ("PAUTA_JORNADA_LEAD_TOKEN", LEAD_TOKEN.into()),
    ]
}

async fn start_service() -> TestApp {
    TestApp::with_settings(timeline_settings()).await
}

/// Updates the figures from the rows that are not counted yet.
async fn settle_figures(app: &TestApp) {
    let db = &app.app.gateway.services.db;
    let counted = tools::figures::count_marked_rows(db, app.now()).await;
    counted.expect("counts");
}

/// A client with the secret for sending events.
fn site_client(app: &TestApp) -> Client {
    app.anonymous().with_header("x-jornada-token", TOKEN)
}

/// A client with the secret for reading leads.
fn crm_client(app: &TestApp) -> Client {
    app.anonymous().with_header("x-jornada-token", LEAD_TOKEN)
}

/// A client of a member who may read profiles.
async fn financial_client(app: &TestApp) -> Client {
    let member = app
        .add_member_with(Role::Criador, Level::Leitor, true)
        .await;
    app.session_client(&member).await
}

/// Formats the instant that is `from_now` milliseconds after the current time.
fn instant_text(app: &TestApp, from_now: i64) -> String {
    Timestamp(app.now() + from_now).to_string()
}

fn event_input(kind: &str, session: &str, id: &str, more: Value) -> Value {
    let mut event = json!({ "evento": kind, "sessao": session, "id": id });
    for (name, value) in more.as_object().expect("fields") {
        event[name] = value.clone();
    }
    event
}

fn visit_input(session: &str, id: &str, more: Value) -> Value {
    event_input("visitou_pagina", session, id, more)
}

/// Sends events in one request; returns the response body.
async fn send_events(client: &Client, events: Value) -> Value {
    let answer = client.post(EVENTS, json!({ "eventos": events })).await;
    answer.expect(200).body
}

async fn load_lead(app: &TestApp, email: &str) -> Value {
    let answer = crm_client(app).post(LEAD, json!({ "email": email })).await;
    answer.expect(200).body
}
