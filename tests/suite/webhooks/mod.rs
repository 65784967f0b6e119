//! Webhooks: which messages receivers get, and which not.

mod addresses;
mod copies;
mod delivery;
mod filters;
mod log;
mod mirror;
mod pauses;
pub mod receiver;
mod rights;
mod robustness;
mod signatures;

use domain::Role;
use serde_json::{Value, json};
use store::members::Member;

use crate::support::{Client, TestApp};
use receiver::Receiver;

/// The delay in milliseconds after which the readers of the outbox are due.
const SOON: i64 = 2_000;

/// A service whose webhooks may be sent to a receiver on loopback, and an admin.
struct Fixture {
    app: TestApp,
    receiver: Receiver,
    admin: Client,
    member: Member,
}

/// A webhook and its secret.
struct Subscription {
    id: String,
    secret: String,
}

impl Subscription {
    fn path(&self, of: &str) -> String {
        format!("/api/webhooks/{}{of}", self.id)
    }
}

impl Fixture {
    async fn new() -> Self {
        let receiver = Receiver::start().await;
        let settings = vec![("PAUTA_WEBHOOK_ORIGINS", receiver.origin.clone())];
        let app = TestApp::with_settings(settings).await;
        let member = app.add_member(Role::Admin).await;
        let team = Self {
            admin: app.session_client(&member).await,
            member,
            app,
            receiver,
        };
        // Runs the recurring jobs, which are due as soon as the service starts.
        team.run_due_jobs().await;
        team
    }

    /// Signs the admin in again, because the clock has passed the end of the session.
    async fn sign_in(&mut self) {
        self.admin = self.app.session_client(&self.member).await;
    }

    /// Replaces the secret of a webhook, and returns the new one.
    async fn rotate_secret(&self, webhook: &Subscription) -> String {
        let rotated = self.admin.post(&webhook.path("/segredo"), json!({})).await;
        let secret = rotated.expect(200).body["segredo"].clone();
        secret.as_str().expect("a secret").to_owned()
    }

    /// The settings of a webhook that sends created and updated pieces to the receiver.
    fn settings(&self) -> Value {
        json!({
            "url": format!("{}/entrada?chave=do-destino", self.receiver.origin),
            "tipos": ["piece_created", "piece_updated"],
            "descricao": "Painel",
        })
    }

    async fn subscribe(&self) -> Subscription {
        self.subscribe_with(self.settings()).await
    }

    async fn subscribe_with(&self, settings: Value) -> Subscription {
        let created = self.admin.post("/api/webhooks", settings).await;
        let body = created.expect(201).body;
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        Subscription {
            id: text(&body["webhook"]["id"]),
            secret: text(&body["segredo"]),
        }
    }

    /// Runs the due jobs, and runs the outbox readers and the delivery after [`SOON`].
    async fn make_and_send_messages(&self) {
        self.run_due_jobs().await;
        self.app.advance_clock(SOON);
        self.run_due_jobs().await;
    }

    /// Runs the jobs that are due.
    async fn run_due_jobs(&self) {
        self.app.app.worker().drain().await.expect("jobs");
    }

    /// Creates a piece that is assigned to the admin; its revision is 1. Returns its id.
    async fn assign(&self, title: &str) -> String {
        let input = json!({ "title": title, "assignee_id": self.member.id });
        self.admin.create_demand(input).await
    }

    /// Sets the status of a piece.
    async fn set_status(&self, id: &str, revision: i64, status: &str) {
        let input = json!({ "expected_revision": revision, "status": status });
        let path = format!("/api/eventos/{id}");
        self.admin.patch(&path, input).await.expect(200);
    }

    /// Returns the webhook's entry in the list of webhooks.
    async fn load_webhook(&self, webhook: &Subscription) -> Value {
        let all = self.admin.get("/api/webhooks").await.expect(200).body;
        let all = all["webhooks"].as_array().expect("a list").clone();
        let mut all = all.into_iter();
        all.find(|one| one["id"] == webhook.id.as_str())
            .expect("the webhook")
    }

    async fn load_state(&self, webhook: &Subscription) -> String {
        let state = &self.load_webhook(webhook).await["estado"];
        state.as_str().expect("a state").to_owned()
    }

    /// Returns the log of the webhook, newest message first.
    async fn list_messages(&self, webhook: &Subscription) -> Vec<Value> {
        let log = self.admin.get(&webhook.path("/mensagens")).await;
        let log = log.expect(200).body;
        log["mensagens"].as_array().expect("a list").clone()
    }
}
