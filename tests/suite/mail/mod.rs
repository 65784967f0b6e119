//! E-mails: their content, and the guarantee that none is sent twice.

mod copies;
mod encryption;
mod invitations;
mod kills;
mod notifying;
mod passwords;
mod sending;
pub mod server;
mod undelivered;

use domain::{MailKind, Role};
use store::members::Member;

use crate::support::{Client, Settings, TestApp};
use server::{Manner, SmtpServer};

/// A service that sends e-mails through a server on loopback, an admin and a criador.
struct Fixture {
    app: TestApp,
    smtp: SmtpServer,
    admin: Client,
    caio: Client,
    members: [Member; 2],
}

fn settings(smtp: &SmtpServer) -> Settings {
    vec![
        ("PAUTA_SMTP_URL", smtp.url()),
        ("PAUTA_SMTP_FROM", "avisos@pauta.test".to_owned()),
        ("PAUTA_SMTP_TIMEOUT", "2".to_owned()),
    ]
}

impl Fixture {
    async fn new() -> Self {
        let smtp = SmtpServer::start().await;
        let app = TestApp::with_settings(settings(&smtp)).await;
        let admin = app.add_member(Role::Admin).await;
        let caio = app.add_member(Role::Criador).await;
        let team = Self {
            admin: app.session_client(&admin).await,
            caio: app.session_client(&caio).await,
            members: [admin, caio],
            app,
            smtp,
        };
        // Runs the recurring jobs, which are due immediately for the first time.
        team.run_due_jobs().await;
        team
    }

    fn caio(&self) -> &Member {
        &self.members[1]
    }

    /// Runs the jobs that are due.
    async fn run_due_jobs(&self) {
        self.app.app.worker().drain().await.expect("jobs");
    }

    /// Queues an e-mail to Caio that contains no link or secret.
    async fn queue(&self) {
        let services = &self.app.app.gateway.services;
        let tx = self.app.begin().await;
        let (kind, to) = (MailKind::PasswordChanged, Some(&self.caio().id));
        let (db, now) = (tx.conn(), self.app.now());
        let queued = identity::mail::queue(services, &db, kind, to, None, now);
        queued.await.expect("queues").expect("e-mails are sent");
        tx.commit().await.expect("commits");
    }

    /// Returns the states of all e-mails, the oldest e-mail first.
    async fn states(&self) -> Vec<String> {
        let rows = self
            .app
            .query_rows("SELECT state FROM mails ORDER BY created_at, id".into());
        let rows = rows.await;
        let states = rows.iter().map(|row| row.try_get("", "state"));
        states.collect::<Result<_, _>>().expect("texts")
    }
}
