//! What leaves the service on all ways at once, as notifications, e-mails, messages to devices and
//! webhooks: only what its receiver may see when it is sent, in bounded numbers, and never twice.

mod kills;
mod seen;
mod storm;

use domain::Role;
use serde_json::json;
use store::members::Member;

use crate::{
    mail::server::SmtpServer,
    push::service::{Browser, PushService},
    support::{Client, TestApp},
    webhooks::receiver::Receiver,
};

/// A second and a bit, after which the readers of the outbox run.
const SOON: i64 = 2_000;

/// A person with a device.
struct Person {
    member: Member,
    browser: Browser,
}

/// A service with all ways out, and a team of which everybody has a device.
struct Fixture {
    app: TestApp,
    smtp: SmtpServer,
    push: PushService,
    receiver: Receiver,
    people: Vec<Person>,
}

impl Fixture {
    async fn new(roles: &[Role]) -> Self {
        let (smtp, push) = (SmtpServer::start().await, PushService::start().await);
        let receiver = Receiver::start().await;
        let settings = vec![
            ("PAUTA_SMTP_URL", smtp.url()),
            ("PAUTA_SMTP_FROM", "avisos@pauta.test".to_owned()),
            ("PAUTA_PUSH_ORIGINS", push.origin.clone()),
            ("PAUTA_PUSH_CONTACT", "ti@pauta.test".to_owned()),
            ("PAUTA_WEBHOOK_ORIGINS", receiver.origin.clone()),
        ];
        let app = TestApp::with_settings(settings).await;
        let mut people = vec![];
        for role in roles {
            let member = app.add_member(*role).await;
            let browser = push.open_browser();
            let session = app.session_client(&member).await;
            let added = session.post("/api/notificacoes/aparelhos", browser.subscription());
            added.await.expect(200);
            people.push(Person { member, browser });
        }
        let team = Self {
            app,
            smtp,
            push,
            receiver,
            people,
        };
        team.work().await;
        team
    }

    /// A client whose session began now.
    async fn client(&self, person: usize) -> Client {
        self.app.session_client(&self.people[person].member).await
    }

    fn id(&self, person: usize) -> &str {
        self.people[person].member.id.as_str()
    }

    /// A webhook of this person that sends all of these kinds.
    async fn subscribe(&self, person: usize, kinds: &[&str]) {
        let settings = json!({ "url": format!("{}/{person}", self.receiver.origin),
            "tipos": kinds, "descricao": "Painel" });
        let client = self.client(person).await;
        client.post("/api/webhooks", settings).await.expect(201);
    }

    async fn work(&self) {
        self.app.app.worker().drain().await.expect("jobs");
    }

    /// Runs the jobs that are due, and the readers of the outbox.
    async fn tell(&self) {
        self.work().await;
        self.app.advance_clock(SOON);
        self.work().await;
    }
}
