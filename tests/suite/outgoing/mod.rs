//! Notifications, e-mails, messages to devices and webhook messages together: each contains only what
//! its receiver may see when it is sent, their number is bounded, and none is sent twice.

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

/// The delay in milliseconds after which the readers of the outbox are due.
const SOON: i64 = 2_000;

/// A person with a device.
struct Person {
    member: Member,
    browser: Browser,
}

/// A service with doubles for e-mail, push and webhooks, and a team in which each member has a device.
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
        team.run_due_jobs().await;
        team
    }

    /// Returns a client of this person in a new session, because the clock may have ended earlier
    /// sessions.
    async fn client(&self, person: usize) -> Client {
        self.app.session_client(&self.people[person].member).await
    }

    fn id(&self, person: usize) -> &str {
        self.people[person].member.id.as_str()
    }

    /// Creates a webhook of this person that sends these kinds of events.
    async fn subscribe(&self, person: usize, kinds: &[&str]) {
        let settings = json!({ "url": format!("{}/{person}", self.receiver.origin),
            "tipos": kinds, "descricao": "Painel" });
        let client = self.client(person).await;
        client.post("/api/webhooks", settings).await.expect(201);
    }

    async fn run_due_jobs(&self) {
        self.app.app.worker().drain().await.expect("jobs");
    }

    /// Runs the due jobs, and the outbox readers after [`SOON`].
    async fn run_outbox_readers(&self) {
        self.run_due_jobs().await;
        self.app.advance_clock(SOON);
        self.run_due_jobs().await;
    }
}
