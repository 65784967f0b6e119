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

use super::{Fixture, count_from};
use crate::{
    support::{Random, Server, TestApp, exchange_request, http_request},
    webhooks::receiver::Received,
};

/// E-mails and pieces of a round.
const OF_A_ROUND: usize = 3;
/// How often the end of the sending is looked at, and the pause between.
const LOOKS: usize = 60;
const PAUSE: Duration = Duration::from_millis(500);

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

/// `PAUTA_TEST_KILLS` kills, or 4.
#[tokio::test(flavor = "multi_thread")]
async fn after_kills_each_piece_was_told_and_no_email_came_twice() {
    let kills = count_from("PAUTA_TEST_KILLS", 4);
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
        // Killed at any step of an e-mail, or while the receiver has messages.
        if random.random_bool(50) {
            let step = random.random_below(5);
            let reached = team.smtp.wait_for_step(step);
            drop(tokio::time::timeout(Duration::from_secs(20), reached).await);
        } else {
            let before = team.receiver.count();
            let more = team.receiver.count_more_than(before);
            drop(tokio::time::timeout(Duration::from_secs(20), more).await);
        }
        let delay = random.random_below(3_000) as u64;
        tokio::time::sleep(Duration::from_micros(delay)).await;
        block_in_place(|| server.kill());
        let unsure = with_database(&team, async |app| {
            app.count_rows("mails WHERE state = 'enviando'").await
        });
        killed_while_sending += usize::from(unsure.await > 0);
    }
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
        tokio::time::sleep(PAUSE * 4).await;
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
        kills * OF_A_ROUND,
        "{mails:?}"
    );
    // Those that nobody knows about may have been sent.
    assert!(
        count("enviado") <= sent.len(),
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
    println!(
        "{kills} kills, {killed_while_sending} while an e-mail was sent; {} e-mails, {mails:?}; {} messages of {}",
        sent.len(),
        received.len(),
        created.len()
    );
}
