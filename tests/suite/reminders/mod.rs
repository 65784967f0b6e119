//! Posts that a person publishes by hand: the reminder at their hour, the page, and the record.

mod kills;
mod page;
mod record;
mod snoozed;
mod stale;
mod told;

use domain::{
    Role,
    time::{HOUR, LocalDate, MINUTE},
};
use serde_json::{Value, json};
use store::members::Member;

use crate::support::{Answer, Client, TestApp};

/// A second and a bit, after which the readers of the outbox run.
const SOON: i64 = 2_000;

/// A team of two leads and two criadores.
struct Team {
    app: TestApp,
    ana: Member,
    bia: Member,
    caio: Member,
    davi: Member,
}

impl Team {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let team = Self {
            ana: app.add_member(Role::Lider).await,
            bia: app.add_member(Role::Lider).await,
            caio: app.add_member(Role::Criador).await,
            davi: app.add_member(Role::Criador).await,
            app,
        };
        // Recurring jobs run at once for the first time.
        team.work().await;
        team
    }

    /// A client whose session began now.
    async fn client(&self, member: &Member) -> Client {
        self.app.session_client(member).await
    }

    /// An approved piece of these people, with one manual variant for WhatsApp in an hour.
    async fn post(&self, title: &str, people: &[&Member]) -> String {
        let ana = self.client(&self.ana).await;
        let variant = json!({ "canal": "whatsapp", "legenda": format!("{title} no zap") });
        let id = write_piece(&ana, title, people, &[dated(variant, self.hour())]).await;
        approve(&ana, &id).await;
        self.work().await;
        id
    }

    /// The full hour that is at least an hour away.
    fn hour(&self) -> i64 {
        (self.app.now() / HOUR + 2) * HOUR
    }

    /// Runs the jobs that are due.
    async fn work(&self) {
        self.app.app.worker().drain().await.expect("jobs");
    }

    /// Lets time pass until this instant, and a few minutes more, as the recurring jobs do.
    async fn pass(&self, until: i64) {
        self.app.advance_clock((until - self.app.now()).max(0));
        for _ in 0..3 {
            self.work().await;
            self.app.advance_clock(SOON);
            self.work().await;
            self.app.advance_clock(MINUTE);
        }
    }

    /// The reminders of a member, newest first.
    async fn reminders(&self, member: &Member) -> Vec<Value> {
        let client = self.client(member).await;
        let list = client.get("/api/notificacoes?todas=true").await.expect(200);
        let list = list.body["notificacoes"]
            .as_array()
            .expect("a list")
            .clone();
        let list = list.into_iter();
        list.filter(|one| one["tipo"] == "lembrete").collect()
    }
}

/// A variant with its own day and hour.
pub fn dated(mut variant: Value, at: i64) -> Value {
    let date = LocalDate::from_instant(at);
    let fields =
        json!({ "day": date.day, "month": date.month, "year": date.year, "hour": date.hour });
    let fields = fields.as_object().expect("fields").clone();
    variant.as_object_mut().expect("a variant").extend(fields);
    variant
}

/// A piece with a caption and these variants.
pub async fn write_piece(
    lead: &Client,
    title: &str,
    people: &[&Member],
    variants: &[Value],
) -> String {
    let id = lead.create_demand(json!({ "title": title })).await;
    let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "Pão quente" });
    lead.post("/api/draft", draft).await.expect(200);
    let ids: Vec<&str> = people.iter().map(|one| one.id.as_str()).collect();
    let assign = json!({ "expected_revision": 2, "assignee_ids": ids });
    let path = format!("/api/eventos/{id}");
    lead.patch(&path, assign).await.expect(200);
    if !variants.is_empty() {
        put(lead, &id, variants).await.expect(200);
    }
    id
}

/// Writes these variants with the current revision.
pub async fn put(lead: &Client, id: &str, variants: &[Value]) -> Answer {
    let input = json!({ "expected_revision": revision(lead, id).await, "variantes": variants });
    lead.put(&format!("/api/eventos/{id}/variantes"), input)
        .await
}

/// Submits and approves a piece.
pub async fn approve(lead: &Client, id: &str) {
    let input = json!({ "event_id": id, "expected_revision": revision(lead, id).await });
    lead.post("/api/enviar", input).await.expect(200);
    let decision = json!({ "event_id": id, "action": "aprovar" });
    lead.post("/api/aprovar", decision).await.expect(200);
}

async fn revision(client: &Client, id: &str) -> Value {
    client.load_event(id).await["api_revision"].clone()
}

/// The variants of a piece, by channel and format.
async fn variants(client: &Client, id: &str) -> Vec<Value> {
    let read = client.get(&format!("/api/eventos/{id}")).await.expect(200);
    let variants = read.body["variantes"].as_array();
    variants.cloned().unwrap_or_default()
}

/// Records the post of the variant of this channel, with the current revision.
async fn record(client: &Client, id: &str, channel: &str, link: Option<&str>) -> Answer {
    let all = variants(client, id).await;
    let variant = all.iter().find(|variant| variant["canal"] == channel);
    let mut input = json!({
        "expected_revision": revision(client, id).await,
        "variant_id": variant.expect("the variant")["id"],
    });
    if let Some(link) = link {
        input["post_url"] = link.into();
    }
    client.post(&format!("/api/eventos/{id}/post"), input).await
}
