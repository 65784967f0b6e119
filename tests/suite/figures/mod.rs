//! The figures of the dashboards, compared with the definitions in `docs/METRICS.md`.

mod attribution;
mod buyers;
mod descriptions;
mod differential;
mod edges;
mod freshness;
mod generate;
mod instants;
mod journeys;
mod launches;
mod months;
mod pages;
mod panels;
mod passes;
mod plans;
mod sales;
mod stores;
mod subscriptions;

use domain::{
    Email, Level, PersonId, Role,
    sales::{Purchase, PurchaseStatus, Utm},
    time::Timestamp,
    timeline::{Channel, TimelineEventKind},
};
use gateway::Pepper;
use serde_json::{Value, json};
use store::timeline::NewEvent;

use crate::support::{Client, TestApp};

/// Parses an RFC 3339 text into milliseconds.
fn instant_millis(text: &str) -> i64 {
    let at: Timestamp = serde_json::from_value(text.into()).expect("an instant");
    at.0
}

/// Creates a member who may see sales; returns a client of this member.
async fn financial_client(app: &TestApp) -> Client {
    let member = app
        .add_member_with(Role::Criador, Level::Leitor, true)
        .await;
    app.session_client(&member).await
}

fn derive_person_id(app: &TestApp, name: &str) -> PersonId {
    let email: Email = format!("{name}@exemplo.com.br").parse().expect("an e-mail");
    let pepper = app.app.gateway.services.parts.get::<Pepper>();
    pepper.person_id(&email).expect("the database is migrated")
}

/// Returns an approved purchase without a person.
fn approved_purchase(transaction: &str, occurred_at: &str, cents: i64) -> Purchase {
    Purchase {
        store: "hotmart".into(),
        transaction_id: transaction.into(),
        occurred_at: instant_millis(occurred_at),
        status: PurchaseStatus::Approved,
        person: None,
        severed: false,
        product_id: "p1".into(),
        product: "Curso".into(),
        amount_cents: cents,
        refunded_cents: 0,
        currency: "BRL".into(),
        seller: None,
        launch: None,
        utm: Utm::default(),
    }
}

/// Saves purchases as imports and connectors do, and updates the figures.
async fn save_and_settle(app: &TestApp, purchases: Vec<Purchase>) {
    save_purchases(app, purchases).await;
    settle_figures(app).await;
}

async fn save_purchases(app: &TestApp, purchases: Vec<Purchase>) {
    let tx = app.begin().await;
    let saved = store::sales::save_purchases(&tx.conn(), purchases, app.now()).await;
    saved.expect("saves");
    tx.commit().await.expect("commits");
}

async fn settle_figures(app: &TestApp) {
    let db = &app.app.gateway.services.db;
    tools::figures::count_marked_rows(db, app.now())
        .await
        .expect("settles");
}

/// Returns an event of the launch `L`.
fn launch_event(
    session: &str,
    kind: TimelineEventKind,
    occurred_at: &str,
    detail: Value,
) -> NewEvent<'static> {
    NewEvent {
        session: session.to_owned().into(),
        id: format!("{kind} {occurred_at}").into(),
        kind,
        occurred_at: instant_millis(occurred_at),
        person: None,
        product: None,
        launch: Some("L".into()),
        channel: Channel::from_detail(|key| detail[key].as_str()),
        detail: Some(detail.to_string()),
    }
}

fn visit_event(session: &str, occurred_at: &str, detail: Value) -> NewEvent<'static> {
    launch_event(session, TimelineEventKind::VisitedPage, occurred_at, detail)
}

fn identification_event(session: &str, occurred_at: &str, person: PersonId) -> NewEvent<'static> {
    NewEvent {
        person: Some(person),
        ..launch_event(
            session,
            TimelineEventKind::Identified,
            occurred_at,
            json!({}),
        )
    }
}

/// Records events as the ingestion does, and updates the figures.
async fn record_and_settle(app: &TestApp, events: &[NewEvent<'_>]) {
    record_events(app, events).await;
    settle_figures(app).await;
}

async fn record_events(app: &TestApp, events: &[NewEvent<'_>]) {
    let tx = app.begin().await;
    let recorded = store::timeline::record_events(&tx.conn(), events, app.now()).await;
    recorded.expect("records");
    tx.commit().await.expect("commits");
}

async fn get(client: &Client, path: &str) -> Value {
    client.get(path).await.expect(200).body
}

/// Creates a launch; returns the id of its project.
async fn create_launch(app: &TestApp, more: Value) -> String {
    let admin = app.as_member(Role::Admin).await;
    let project = admin
        .post("/api/projects", json!({ "name": "Lançamento" }))
        .await;
    let id = project.expect(201).body["project"]["id"].clone();
    let id = id.as_str().expect("an id").to_owned();
    let mut input = json!({
        "nome": "Lançamento", "inicio": "2026-08-10", "fim": "2026-08-29",
        "meta_centavos": 1_000_000, "produtos": [], "campanhas": [], "lancamento": "L",
    });
    for (name, value) in more.as_object().expect("fields") {
        input[name] = value.clone();
    }
    let path = format!("/api/lancamentos/{id}");
    admin.put(&path, input).await.expect(200);
    id
}

/// Returns the values of some fields of an object.
fn pick_fields(value: &Value, fields: &[&str]) -> Vec<Value> {
    fields.iter().map(|field| value[*field].clone()).collect()
}
