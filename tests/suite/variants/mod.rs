//! Variants of pieces: the content for each channel, the rules of the channel, and the approval of
//! changed variants.

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

/// A service with a lead, who approves, and a criador, who writes.
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

    /// Creates a piece of the criador with this caption; its revision is 2. Returns its id.
    async fn create_piece(&self, caption: &str) -> String {
        let fields = json!({ "assignee_id": self.writer_member.id, "channel": "instagram",
            "day": 20, "month": 8, "hour": "10:00" });
        let id = self.lead.create_demand(fields).await;
        let draft = json!({ "event_id": id, "expected_revision": 1, "caption": caption });
        self.writer.post("/api/draft", draft).await.expect(200);
        id
    }

    /// Moves the clock by a millisecond, and runs the due jobs.
    async fn run_jobs_soon(&self) {
        self.app.advance_clock(1);
        self.app.app.worker().drain().await.expect("jobs");
    }

    /// Submits and approves a piece at this revision. Afterwards the revision is two higher.
    async fn approve(&self, id: &str, revision: i64) {
        submit_piece(&self.writer, id, revision).await.expect(200);
        let decision = json!({ "event_id": id, "action": "aprovar",
            "expected_revision": revision + 1 });
        self.lead.post("/api/aprovar", decision).await.expect(200);
    }
}

async fn put_variants(client: &Client, id: &str, revision: i64, variants: Value) -> Answer {
    let input = json!({ "expected_revision": revision, "variantes": variants });
    client
        .put(&format!("/api/eventos/{id}/variantes"), input)
        .await
}

async fn submit_piece(client: &Client, id: &str, revision: i64) -> Answer {
    let input = json!({ "event_id": id, "expected_revision": revision });
    client.post("/api/enviar", input).await
}

async fn decide_variants(client: &Client, id: &str, revision: i64, mut input: Value) -> Answer {
    input["expected_revision"] = revision.into();
    client
        .post(&format!("/api/eventos/{id}/variantes/decisao"), input)
        .await
}

async fn load_piece(client: &Client, id: &str) -> Value {
    client
        .get(&format!("/api/eventos/{id}"))
        .await
        .expect(200)
        .body
}

/// Returns the channel of each variant of the piece, and whether the variant is approved.
async fn list_approvals(client: &Client, id: &str) -> Vec<(String, bool)> {
    let read = load_piece(client, id).await;
    let variants = read["variantes"].as_array().expect("variants").iter();
    let approved = variants.map(|variant| {
        let channel = variant["canal"].as_str().expect("a channel").to_owned();
        (channel, variant["aprovada"] == true)
    });
    approved.collect()
}
