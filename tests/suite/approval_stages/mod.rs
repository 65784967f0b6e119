//! Approval in stages: the configuration, decisions, races, deadlines and what answers say.

mod barred;
mod changed_content;
mod configuration;
mod deadlines;
mod decisions;
mod guests;
mod lists;
mod races;
mod staying;

use domain::Role;
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp};
use store::members::Member;

/// A team with two leads, and an admin who configures it.
struct Fixture {
    app: TestApp,
    admin: Client,
    admin_id: String,
    ana: Client,
    ana_id: String,
    bia: Client,
    bia_id: String,
    /// The client of a member with the role `criador`.
    caio: Client,
    caio_id: String,
    /// The admin, Ana, Bia and Caio, in this order.
    members: [Member; 4],
}

impl Fixture {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let admin = app.add_member(Role::Admin).await;
        let ana = app.add_member(Role::Lider).await;
        let bia = app.add_member(Role::Lider).await;
        let caio = app.add_member(Role::Criador).await;
        let id = |member: &Member| member.id.as_str().to_owned();
        Self {
            admin: app.session_client(&admin).await,
            ana: app.session_client(&ana).await,
            bia: app.session_client(&bia).await,
            caio: app.session_client(&caio).await,
            admin_id: id(&admin),
            ana_id: id(&ana),
            bia_id: id(&bia),
            caio_id: id(&caio),
            members: [admin, ana, bia, caio],
            app,
        }
    }

    /// Creates a team whose rule sends every piece through these stages.
    async fn with_stages(stages: impl FnOnce(&Self) -> Value) -> Self {
        let team = Self::new().await;
        let value = json!({ "regras": [{ "nome": "Tudo", "etapas": stages(&team) }] });
        team.configure(value).await;
        team
    }

    /// Creates a team in which Ana decides the first stage and Bia the second.
    async fn with_two_stages() -> Self {
        Self::with_stages(|team| {
            json!([
                { "nome": "Revisão", "membros": [team.ana_id] },
                { "nome": "Direção", "membros": [team.bia_id] },
            ])
        })
        .await
    }

    /// Advances the clock, and then signs all members in again.
    async fn advance_clock(&mut self, millis: i64) {
        self.app.advance_clock(millis);
        let clients = [
            &mut self.admin,
            &mut self.ana,
            &mut self.bia,
            &mut self.caio,
        ];
        for (client, member) in clients.into_iter().zip(&self.members) {
            *client = self.app.session_client(member).await;
        }
    }

    async fn configure(&self, value: Value) {
        publish(&self.admin, value).await.expect(200);
    }

    /// Creates a piece that is assigned to Caio, and submits it as Caio. Returns the id of the
    /// piece, whose revision is then 2.
    async fn submit_piece(&self) -> String {
        self.submit(json!({})).await
    }

    /// Creates a piece with these fields and submits it; returns the id of the piece.
    async fn submit(&self, mut fields: Value) -> String {
        // Ids sort by their creation time, so each piece gets a different instant.
        self.app.advance_clock(1);
        fields["assignee_id"] = self.caio_id.as_str().into();
        let id = self.admin.create_demand(fields).await;
        self.resubmit(&id, 1).await;
        id
    }

    async fn resubmit(&self, id: &str, revision: i64) {
        let input = json!({ "event_id": id, "expected_revision": revision });
        self.caio.post("/api/enviar", input).await.expect(200);
    }

    async fn remove_member(&self, id: &str) {
        let path = format!("/api/membros/{id}");
        self.admin.delete(&path).await.expect(200);
    }
}

async fn publish(client: &Client, value: Value) -> Answer {
    let body = json!({ "key": "aprovacao", "value": value });
    client.post("/api/config", body).await
}

async fn decide(client: &Client, id: &str, action: &str, revision: i64) -> Answer {
    let body = json!({ "event_id": id, "action": action, "expected_revision": revision });
    client.post("/api/aprovar", body).await
}

async fn approve(client: &Client, id: &str, revision: i64) -> Answer {
    decide(client, id, "aprovar", revision).await
}

/// Returns the approval of a piece, as this client sees it; `null` if it has none.
async fn load_approval(client: &Client, id: &str) -> Value {
    client.load_event(id).await["aprovacao"].clone()
}

async fn load_history(client: &Client, id: &str) -> Vec<Value> {
    let path = format!("/api/eventos/{id}");
    let answer = client.get(&path).await.expect(200).body;
    answer["historico"].as_array().expect("a list").clone()
}

/// Returns the ids of the pieces in the list of pending approvals.
async fn list_pending(client: &Client, query: &str) -> Vec<String> {
    let path = format!("/api/aprovacoes{query}");
    let answer = client.get(&path).await.expect(200).body;
    let pending = answer["pendentes"].as_array().expect("a list").iter();
    let ids = pending.map(|one| one["id"].as_str().expect("an id").to_owned());
    ids.collect()
}
