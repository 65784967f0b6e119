//! Variants of pieces: what each channel says, its rules, and the approval of what changed.

mod day;
mod decisions;
mod forms;
mod rules;
mod shown;
mod writing;

use domain::Role;
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp};
use store::members::Member;

/// A lead who decides, and a criador who writes.
struct Team {
    app: TestApp,
    lead: Client,
    lead_id: String,
    lead_member: Member,
    writer: Client,
    writer_member: Member,
}

impl Team {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let lead = app.add_member(Role::Lider).await;
        let writer = app.add_member(Role::Criador).await;
        Self {
            lead: app.session_client(&lead).await,
            lead_id: lead.id.as_str().to_owned(),
            lead_member: lead,
            writer: app.session_client(&writer).await,
            writer_member: writer,
            app,
        }
    }

    /// A piece of the criador with this caption; its revision is 2.
    async fn piece(&self, caption: &str) -> String {
        let fields = json!({ "assignee_id": self.writer_member.id, "channel": "instagram",
            "day": 20, "month": 8, "hour": "10:00" });
        let id = self.lead.create_demand(fields).await;
        let draft = json!({ "event_id": id, "expected_revision": 1, "caption": caption });
        self.writer.post("/api/draft", draft).await.expect(200);
        id
    }

    /// Runs the jobs that are due, a moment later.
    async fn tell(&self) {
        self.app.advance_clock(1);
        self.app.app.worker().drain().await.expect("jobs");
    }

    /// Submits and approves a piece that was read at this revision. It has two revisions more then.
    async fn approve(&self, id: &str, revision: i64) {
        submit(&self.writer, id, revision).await.expect(200);
        let decision = json!({ "event_id": id, "action": "aprovar",
            "expected_revision": revision + 1 });
        self.lead.post("/api/aprovar", decision).await.expect(200);
    }
}

async fn put(client: &Client, id: &str, revision: i64, variants: Value) -> Answer {
    let input = json!({ "expected_revision": revision, "variantes": variants });
    client
        .put(&format!("/api/eventos/{id}/variantes"), input)
        .await
}

async fn submit(client: &Client, id: &str, revision: i64) -> Answer {
    let input = json!({ "event_id": id, "expected_revision": revision });
    client.post("/api/enviar", input).await
}

async fn decide(client: &Client, id: &str, revision: i64, mut input: Value) -> Answer {
    input["expected_revision"] = revision.into();
    client
        .post(&format!("/api/eventos/{id}/variantes/decisao"), input)
        .await
}

async fn load(client: &Client, id: &str) -> Value {
    client
        .get(&format!("/api/eventos/{id}"))
        .await
        .expect(200)
        .body
}

/// Whether each variant of a piece is approved, by its channel.
async fn approved(client: &Client, id: &str) -> Vec<(String, bool)> {
    let read = load(client, id).await;
    let variants = read["variantes"].as_array().expect("variants").iter();
    let approved = variants.map(|variant| {
        let channel = variant["canal"].as_str().expect("a channel").to_owned();
        (channel, variant["aprovada"] == true)
    });
    approved.collect()
}
