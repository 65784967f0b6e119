//! Notifications: which changes a member is notified of, and which not.

mod channels;
mod clock;
mod counting;
mod kinds;
mod outbox;
mod queries;
mod reading;
mod remarks;
mod robustness;
mod services;
mod settings;
mod variants;

use domain::Role;
use serde_json::{Value, json};

use crate::support::{Client, TestApp};
use store::members::Member;

/// The delay in milliseconds after which the readers of the outbox are due.
const SOON: i64 = 2_000;

/// A team of an admin, two leads and two criadores.
struct Fixture {
    app: TestApp,
    admin: Client,
    ana: Client,
    bia: Client,
    caio: Client,
    davi: Client,
    /// The members in this order: the admin, Ana, Bia, Caio and Davi.
    members: [Member; 5],
}

impl Fixture {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let admin = app.add_member(Role::Admin).await;
        let ana = app.add_member(Role::Lider).await;
        let bia = app.add_member(Role::Lider).await;
        let caio = app.add_member(Role::Criador).await;
        let davi = app.add_member(Role::Criador).await;
        Self {
            admin: app.session_client(&admin).await,
            ana: app.session_client(&ana).await,
            bia: app.session_client(&bia).await,
            caio: app.session_client(&caio).await,
            davi: app.session_client(&davi).await,
            members: [admin, ana, bia, caio, davi],
            app,
        }
    }

    fn id(&self, person: usize) -> &str {
        self.members[person].id.as_str()
    }

    /// Makes the notifications of all changes so far: runs the due jobs, and runs the outbox readers
    /// after [`SOON`].
    async fn run_outbox_readers(&self) {
        // The first run notices the new outbox rows and schedules their readers. The second run executes
        // the readers.
        self.app.app.worker().drain().await.expect("jobs");
        self.app.advance_clock(SOON);
        self.app.app.worker().drain().await.expect("jobs");
    }

    /// Creates a piece that the admin assigns to Caio; returns its id.
    async fn assign(&self, title: &str) -> String {
        let input = json!({ "title": title, "assignee_id": self.id(CAIO) });
        self.admin.create_demand(input).await
    }

    /// Creates a piece of Caio that he submits for approval; its revision is 2. Returns its id.
    async fn submit(&self, title: &str) -> String {
        let id = self.assign(title).await;
        let input = json!({ "event_id": id, "expected_revision": 1 });
        self.caio.post("/api/enviar", input).await.expect(200);
        id
    }

    async fn reassign(&self, id: &str, revision: i64, people: &[usize]) {
        let ids: Vec<&str> = people.iter().map(|one| self.id(*one)).collect();
        let input = json!({ "expected_revision": revision, "assignee_ids": ids });
        let path = format!("/api/eventos/{id}");
        self.ana.patch(&path, input).await.expect(200);
    }
}

const ADMIN: usize = 0;
const ANA: usize = 1;
const BIA: usize = 2;
const CAIO: usize = 3;
const DAVI: usize = 4;

/// Requests all notifications of a member, newest first.
async fn list(client: &Client) -> Vec<Value> {
    let answer = client.get("/api/notificacoes?todas=true").await.expect(200);
    let list = answer.body["notificacoes"].as_array().expect("a list");
    list.clone()
}

/// Returns the kind and the sentence of each notification of a member, newest first.
async fn list_sentences(client: &Client) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let list = list(client).await;
    let list = list.iter();
    list.map(|one| (text(&one["tipo"]), text(&one["texto"])))
        .collect()
}

/// Returns the sentences of a member's notifications of this kind.
async fn list_texts(client: &Client, kind: &str) -> Vec<String> {
    let all = list_sentences(client).await.into_iter();
    all.filter(|(one, _)| one == kind)
        .map(|(_, text)| text)
        .collect()
}
