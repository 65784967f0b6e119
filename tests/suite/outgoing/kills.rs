//! The server process is killed while it sends: no e-mail is sent twice, and no message of a webhook is
//! lost.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use domain::{Capability, MailKind, Role};
use pauta::app::SystemClock;
use ports::Clock;
use serde_json::{Value, json};
use store::members::Member;
use tokio::task::block_in_place;

use super::Fixture;
use crate::{
    mail::server::Manner,
    support::{Random, Server, TestApp, count_from, exchange_request, http_request},
    webhooks::receiver::Received,
};

/// E-mails and pieces of a round.
const OF_A_ROUND: usize = 3;
/// How often the end of the sending is looked at, and the pause between.
const LOOKS: usize = 60;
const PAUSE: Duration = Duration::from_secs(2);

/// Starts the process, with the receivers of the fixture.
fn start(team: &Fixture, directory: &std::path::Path) -> Server {
    let settings = [
        ("PAUTA_SMTP_URL", team.smtp.url()),
        ("PAUTA_SMTP_FROM", "avisos@pauta.test".to_owned()),
        ("PAUTA_WEBHOOK_ORIGINS", team.receiver.origin.clone()),
    ];
    let url = team.app.database_url().to_owned();
    block_in_place(|| Server::start(&url, directory, &settings))
}

async fn close(app: &TestApp) {
    let db = app.app.gateway.services.db.clone();
    db.close().await.expect("closes");
}

/// What the tests do to the database while no process runs.
async fn with_database<T>(team: &Fixture, act: impl AsyncFnOnce(&TestApp) -> T) -> T {
    let app = team.app.second_instance().await;
    let done = act(&app).await;
    close(&app).await;
    done
}

async fn queue_mails(app: &TestApp, to: &Member) {
    let services = &app.app.gateway.services;
    let tx = app.begin().await;
    for _ in 0..OF_A_ROUND {
        let (kind, to) = (MailKind::PasswordChanged, Some(&to.id));
        let (db, now) = (tx.conn(), SystemClock.now());
        let queued = identity::mail::queue(services, &db, kind, to, None, now);
        queued.await.expect("queues").expect("e-mails are sent");
    }
    tx.commit().await.expect("commits");
}

/// As if a long time had passed: the leases of the killed process have ended, nobody can be sending the
/// e-mails any more that it was sending, and every job is due.
async fn pass_time(app: &TestApp) {
    for sql in [
        "UPDATE jobs SET due_at = 0 WHERE due_at IS NOT NULL",
        "UPDATE mails SET sending_since = 0 WHERE state = 'enviando'",
        "UPDATE webhook_messages SET due_at = 0 WHERE state = 'pendente'",
    ] {
        app.execute_statement(sql, []).await;
    }
}

async fn states(app: &TestApp, table: &str) -> BTreeMap<String, usize> {
    let rows = app.query_rows(format!("SELECT state FROM {table}")).await;
    let mut states = BTreeMap::new();
    for row in rows {
        let state: String = row.try_get("", "state").expect("a text");
        *states.entry(state).or_default() += 1;
    }
    states
}

/// What receivers do while the process is killed.
#[derive(Clone, Copy)]
enum KilledWhile {
    /// The server for e-mails has stopped answering at a step.
    EmailHangs,
    /// The receiver of webhooks has a message and does not answer.
    MessageHangs,
    /// An e-mail is sent, as fast as usual.
    EmailIsSent,
    /// A message is sent, as fast as usual.
    MessageIsSent,
}

/// One for each round, in turn.
const KILLED_WHILE: [KilledWhile; 4] = [
    KilledWhile::EmailHangs,
    KilledWhile::MessageHangs,
    KilledWhile::EmailIsSent,
    KilledWhile::MessageIsSent,
];

/// Waits until the process is to be killed. `before` messages had come before it started.
async fn wait_for_kill(team: &Fixture, moment: KilledWhile, step: usize, before: usize) {
    match moment {
        KilledWhile::EmailHangs | KilledWhile::EmailIsSent => {
            let reached = team.smtp.wait_for_step(step);
            let reached = tokio::time::timeout(Duration::from_secs(30), reached).await;
            reached.expect("an e-mail is sent");
        }
        KilledWhile::MessageHangs | KilledWhile::MessageIsSent => {
            team.receiver.wait_for(before + 1).await;
        }
    }
}

/// `PAUTA_TEST_KILLS` kills, or 4.
#[tokio::test(flavor = "multi_thread")]
async fn after_kills_each_piece_was_told_and_no_email_came_twice() {
    let kills: usize = count_from("PAUTA_TEST_KILLS", 4);
    assert!(
        kills >= 2,
        "PAUTA_TEST_KILLS is {kills}, and must be at least 2"
    );
    let team = Fixture::new(&[Role::Admin, Role::Criador]).await;
    team.app.advance_clock(SystemClock.now() - team.app.now());
    team.subscribe(0, &["piece_created"]).await;
    let (client, _) = team
        .app
        .token_client_with(&team.people[0].member, Capability::ALL)
        .await;
    let token = client.credential().to_owned();
    close(&team.app).await;
    let directory = tempfile::tempdir().expect("a directory");
    let mut random = Random::new(5);
    let (mut created, mut killed_while_sending) = (BTreeSet::new(), 0);
    for round in 0..kills {
        with_database(&team, async |app| {
            pass_time(app).await;
            queue_mails(app, &team.people[1].member).await;
        })
        .await;
        team.smtp.forget_steps();
        let moment = KILLED_WHILE[round % KILLED_WHILE.len()];
        let step = random.random_below(5);
        match moment {
            KilledWhile::EmailHangs => team.smtp.behave(Manner::Hanging(step)),
            KilledWhile::MessageHangs => team.receiver.answer_with(|_| std::future::pending()),
            KilledWhile::EmailIsSent | KilledWhile::MessageIsSent => {}
        }
        let before = team.receiver.count();
        let mut server = start(&team, directory.path());
        for number in 0..OF_A_ROUND {
            let body = json!({ "title": format!("Peça {round}-{number}") }).to_string();
            let request = http_request("POST", "/api/demanda", &token, "", &body);
            let given = block_in_place(|| exchange_request(&server.address, &request));
            let given = given.expect("an answer");
            let answer: Value = serde_json::from_str(&given.text).expect("JSON");
            let id = answer["event_id"].as_str().expect("an id").to_owned();
            created.insert(id);
        }
        wait_for_kill(&team, moment, step, before).await;
        let delay = random.random_below(3_000) as u64;
        tokio::time::sleep(Duration::from_micros(delay)).await;
        block_in_place(|| server.kill());
        team.smtp.behave(Manner::Accepting);
        team.receiver.answer_status(204);
        let unsure = with_database(&team, async |app| {
            app.count_rows("mails WHERE state = 'enviando'").await
        });
        killed_while_sending += usize::from(unsure.await > 0);
    }
    // Nobody kills the process while it sends these.
    with_database(&team, async |app| {
        queue_mails(app, &team.people[1].member).await;
    })
    .await;
    for look in 0..LOOKS {
        let left = with_database(&team, async |app| {
            pass_time(app).await;
            let mails = app.count_rows("mails WHERE state IN ('pendente', 'enviando')");
            let unread = app.count_rows("outbox WHERE position IS NULL").await;
            let waiting = "webhook_messages WHERE state = 'pendente'";
            mails.await + unread + app.count_rows(waiting).await
        });
        if left.await == 0 && look > 0 {
            break;
        }
        let server = start(&team, directory.path());
        tokio::time::sleep(PAUSE).await;
        drop(server);
    }
    let sent = team.smtp.take();
    let ids: BTreeSet<String> = sent.iter().map(|one| one.header("Message-ID")).collect();
    assert_eq!(ids.len(), sent.len(), "an e-mail was sent twice");
    let (mails, messages) = with_database(&team, async |app| {
        (
            states(app, "mails").await,
            states(app, "webhook_messages").await,
        )
    })
    .await;
    let count = |state: &str| mails.get(state).copied().unwrap_or_default();
    assert_eq!(
        count("enviado") + count("incerto"),
        (kills + 1) * OF_A_ROUND,
        "{mails:?}"
    );
    assert!(
        killed_while_sending > 0 && count("incerto") > 0,
        "{mails:?}"
    );
    // Those that nobody knows about may have been sent.
    assert!(
        count("enviado") <= sent.len() && count("enviado") > 0,
        "{mails:?}, {} came",
        sent.len()
    );
    assert_eq!(
        messages.keys().collect::<Vec<_>>(),
        ["recebida"],
        "{messages:?}"
    );
    let received = team.receiver.take();
    let told: BTreeSet<String> = received
        .iter()
        .map(|one| one.resource().to_owned())
        .collect();
    assert_eq!(told, created, "a piece was not told");
    let messages: BTreeSet<&str> = received.iter().map(Received::id).collect();
    assert_eq!(messages.len(), created.len(), "each piece has one message");
    // What the receiver had not answered came again.
    assert!(received.len() > created.len(), "no message was being sent");
    println!(
        "{kills} kills, {killed_while_sending} while an e-mail was sent; {} e-mails, {mails:?}; {} messages of {}",
        sent.len(),
        received.len(),
        created.len()
    );
}
