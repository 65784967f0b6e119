//! Notifications on devices: the messages to push services, of which none is sent twice.

mod attacks;
mod devices;
mod kills;
mod sending;
pub mod service;
mod told;

use domain::{Role, time::MINUTE};
use serde_json::{Value, json};
use store::members::Member;

use crate::support::{Client, Settings, TestApp};
use service::{Browser, PushService};

const SETTINGS: &str = "/api/notificacoes/preferencias";
const DEVICES: &str = "/api/notificacoes/aparelhos";
/// The delay in milliseconds after which the readers of the outbox are due.
const SOON: i64 = 2_000;

/// A service that may send to a push service on loopback, and a team of an admin and a criador named
/// Caio.
struct Fixture {
    app: TestApp,
    push: PushService,
    admin: Client,
    caio: Client,
    members: [Member; 2],
}

fn settings(push: &PushService) -> Settings {
    vec![
        ("PAUTA_PUSH_ORIGINS", push.origin.clone()),
        ("PAUTA_PUSH_CONTACT", "ti@pauta.test".to_owned()),
    ]
}

impl Fixture {
    async fn new() -> Self {
        let push = PushService::start().await;
        let app = TestApp::with_settings(settings(&push)).await;
        let admin = app.add_member(Role::Admin).await;
        let caio = app.add_member(Role::Criador).await;
        let team = Self {
            admin: app.session_client(&admin).await,
            caio: app.session_client(&caio).await,
            members: [admin, caio],
            app,
            push,
        };
        // Runs the recurring jobs, which are due as soon as the service starts.
        team.run_due_jobs().await;
        team
    }

    /// Creates a fixture in which Caio has one device; returns the browser of the device.
    async fn with_device() -> (Self, Browser) {
        let team = Self::new().await;
        let browser = team.push.open_browser();
        team.register(&team.caio, &browser).await;
        (team, browser)
    }

    fn caio(&self) -> &Member {
        &self.members[1]
    }

    /// Registers a browser, and returns the id of the device.
    async fn register(&self, client: &Client, browser: &Browser) -> String {
        let added = client.post(DEVICES, browser.subscription()).await;
        let added = added.expect(200).body;
        added["aparelho"]["id"].as_str().expect("an id").to_owned()
    }

    /// Requests the devices of the member.
    async fn list_devices(&self, client: &Client) -> Vec<Value> {
        let list = client.get(DEVICES).await.expect(200).body;
        list["aparelhos"].as_array().expect("a list").clone()
    }

    /// Runs the jobs that are due.
    async fn run_due_jobs(&self) {
        self.app.app.worker().drain().await.expect("jobs");
    }

    /// Makes the notifications of all changes so far, and sends the messages that are due immediately.
    async fn make_and_send_notifications(&self) {
        self.run_due_jobs().await;
        self.app.advance_clock(SOON);
        self.run_due_jobs().await;
    }

    /// Moves the clock forward minute by minute, and runs the due jobs after each minute.
    async fn pass_time(&self, time: i64) {
        let until = self.app.now() + time;
        while self.app.now() < until {
            self.app.advance_clock(MINUTE.min(until - self.app.now()));
            self.run_due_jobs().await;
        }
    }

    /// Creates a piece that the admin assigns to Caio; returns its id.
    async fn assign(&self, title: &str) -> String {
        let input = json!({ "title": title, "assignee_id": self.caio().id });
        // Uses a new session, because earlier sessions expire when a test moves the clock.
        let admin = self.app.session_client(&self.members[0]).await;
        admin.create_demand(input).await
    }

    /// Removes Caio from the people of the piece.
    async fn unassign(&self, id: &str) {
        let input = json!({ "expected_revision": 1, "assignee_ids": [] });
        let admin = self.app.session_client(&self.members[0]).await;
        let path = format!("/api/eventos/{id}");
        admin.patch(&path, input).await.expect(200);
    }

    /// Changes these fields in the notification settings of Caio.
    async fn change_settings(&self, fields: Value) {
        let caio = self.app.session_client(self.caio()).await;
        let read = caio.get(SETTINGS).await.expect(200).body;
        let mut input =
            json!({ "expected_revision": read["revision"], "ligados": read["ligados"] });
        let fields = fields.as_object().expect("fields").clone();
        input.as_object_mut().expect("an object").extend(fields);
        caio.put(SETTINGS, input).await.expect(200);
    }

    /// Returns the states of all push messages, oldest first.
    async fn message_states(&self) -> Vec<String> {
        let sql = "SELECT state FROM push_messages ORDER BY created_at, id";
        let rows = self.app.query_rows(sql.into()).await;
        let states = rows.iter().map(|row| row.try_get("", "state"));
        states.collect::<Result<_, _>>().expect("texts")
    }
}
