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

/// The number of e-mails, and of pieces, in each round.
const PER_ROUND: usize = 3;
/// The maximum number of checks whether everything was sent.
const LOOKS: usize = 60;
const PAUSE: Duration = Duration::from_secs(2);

/// Starts the server process, which sends e-mails and webhook messages to the doubles of the fixture.
fn start_server(team: &Fixture, directory: &std::path::Path) -> Server {
    let settings = [
        ("PAUTA_SMTP_URL", team.smtp.url()),
        ("PAUTA_SMTP_FROM", "avisos@pauta.test".to_owned()),
        ("PAUTA_WEBHOOK_ORIGINS", team.receiver.origin.clone()),
    ];
    let url = team.app.database_url().to_owned();
    block_in_place(|| Server::start(&url, directory, &settings))
}

async fn close_database(app: &TestApp) {
    let db = app.app.gateway.services.db.clone();
    db.close().await.expect("closes");
}

/// Runs `act` with a service over the database, while no server process runs.
async fn with_database<T>(team: &Fixture, act: impl AsyncFnOnce(&TestApp) -> T) -> T {
    let app = team.app.second_instance().await;
    let done = act(&app).await;
    close_database(&app).await;
    done
}

async fn queue_mails(app: &TestApp, to: &Member) {
    let services = &app.app.gateway.services;
    let tx = app.begin().await;
    for _ in 0..PER_ROUND {
        let (kind, to) = (MailKind::PasswordChanged, Some(&to.id));
        let (db, now) = (tx.conn(), SystemClock.now());
        let queued = identity::mail::queue(services, &db, kind, to, None, now);
        queued.await.expect("queues").expect("e-mails are sent");
    }
    tx.commit().await.expect("commits");
}

/// Changes the rows as if a long time had passed: every job and message is due, and the e-mails that the
/// killed process was sending can be declared uncertain.
async fn pass_time(app: &TestApp) {
    for sql in [
        "UPDATE jobs SET due_at = 0 WHERE due_at IS NOT NULL",
        "UPDATE mails SET sending_since = 0 WHERE state = 'enviando'",
        "UPDATE webhook_messages SET due_at = 0 WHERE state = 'pendente'",
    ] {
        app.execute_statement(sql, []).await;
    }
}

async fn count_states(app: &TestApp, table: &str) -> BTreeMap<String, usize> {
    let rows = app.query_rows(format!("SELECT state FROM {table}")).await;
    let mut states = BTreeMap::new();
    for row in rows {
        let state: String = row.try_get("", "state").expect("a text");
        *states.entry(state).or_default() += 1;
    }
    states
}

/// What the process does when it is killed.
#[derive(Clone, Copy)]
enum KilledWhile {
    /// It waits for the SMTP server, which has stopped answering at a step of the dialogue.
    EmailHangs,
    /// It waits for the webhook receiver, which has a message and does not answer.
    MessageHangs,
    /// It sends an e-mail to an SMTP server that answers at once.
    EmailIsSent,
    /// It sends a message to a webhook receiver that answers at once.
    MessageIsSent,
}

/// The rounds take these situations in turn.
const KILLED_WHILE: [KilledWhile; 4] = [
    KilledWhile::EmailHangs,
    KilledWhile::MessageHangs,
    KilledWhile::EmailIsSent,
    KilledWhile::MessageIsSent,
];

/// Waits for the situation in which the process is to be killed. `before` is the number of webhook
/// messages that had arrived before the process started.
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

/// `PAUTA_TEST_KILLS` sets the number of kills; the default is 4.
#[tokio::test(flavor = "multi_thread")]
async fn after_kills_each_piece_has_its_message_and_no_email_was_sent_twice() {
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
    close_database(&team.app).await;
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
        let mut server = start_server(&team, directory.path());
        for number in 0..PER_ROUND {
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
    // No kill follows, so these e-mails are certainly sent.
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
        let server = start_server(&team, directory.path());
        tokio::time::sleep(PAUSE).await;
        drop(server);
    }
    let sent = team.smtp.take();
    let ids: BTreeSet<String> = sent.iter().map(|one| one.header("Message-ID")).collect();
    assert_eq!(ids.len(), sent.len(), "an e-mail was sent twice");
    let (mails, messages) = with_database(&team, async |app| {
        (
            count_states(app, "mails").await,
            count_states(app, "webhook_messages").await,
        )
    })
    .await;
    let count = |state: &str| mails.get(state).copied().unwrap_or_default();
    assert_eq!(
        count("enviado") + count("incerto"),
        (kills + 1) * PER_ROUND,
        "{mails:?}"
    );
    assert!(
        killed_while_sending > 0 && count("incerto") > 0,
        "{mails:?}"
    );
    // An e-mail in state `incerto` may have been sent or not.
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
    // The messages that the receiver had not answered before a kill arrived a second time.
    assert!(received.len() > created.len(), "no message was being sent");
    println!(
        "{kills} kills, {killed_while_sending} while an e-mail was sent; {} e-mails, {mails:?}; {} messages of {}",
        sent.len(),
        received.len(),
        created.len()
    );
}
