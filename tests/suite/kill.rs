//! The server process is killed between the effect and the response of a write, and then restarted.
//!
//! In each round, four writers write until the server dies. A fifth writer sends a write and does
//! not read the response. As soon as the effect of that write is visible, the process gets a
//! SIGKILL. After the restart, every idempotency key must have exactly one effect, and every
//! response that a writer received must be replayed byte for byte.

use std::{
    collections::BTreeMap,
    io::Write,
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use domain::Role;
use pauta::app::SystemClock;
use ports::Clock;
use serde_json::{Value, json};

use crate::support::{Given, Server, TestApp, exchange_request, http_request};

const ROUNDS: usize = 200;
/// The maximum number of writes per writer and round.
const WRITES: usize = 6;

impl Server {
    /// Sends the write over REST, because only REST shows whether the response is a replay.
    fn send_over_rest(&self, write: &KeyedWrite, token: &str) -> Given {
        let given = exchange_request(&self.address, &write.rest_request(token)).expect("an answer");
        assert_eq!(given.status, 200, "{}: {}", write.key, given.text);
        given
    }

    fn get_json(&self, path: &str, token: &str) -> Value {
        let given = exchange_request(&self.address, &http_request("GET", path, token, "", ""))
            .expect("answers");
        assert_eq!(given.status, 200, "{}", given.text);
        serde_json::from_str(&given.text).expect("JSON")
    }
}

/// A write with its idempotency key.
#[derive(Clone)]
struct KeyedWrite {
    key: String,
    path: &'static str,
    /// The tool name, if the write is sent over MCP.
    tool: Option<&'static str>,
    input: Value,
}

impl KeyedWrite {
    fn rest_request(&self, token: &str) -> String {
        let header = format!("Idempotency-Key: {}\r\n", self.key);
        http_request("POST", self.path, token, &header, &self.input.to_string())
    }

    fn request_text(&self, token: &str) -> String {
        let Some(tool) = self.tool else {
            return self.rest_request(token);
        };
        let mut arguments = self.input.clone();
        arguments["idempotency_key"] = self.key.as_str().into();
        let params = json!({ "name": tool, "arguments": arguments });
        let message =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let header = "Mcp-Protocol-Version: 2025-11-25\r\n";
        http_request("POST", "/api/mcp", token, header, &message.to_string())
    }
}

/// Returns the `n`th write of a writer in a round.
fn nth_write(writer: usize, round: usize, n: usize, event_id: &str) -> KeyedWrite {
    let key = format!("rodada-{round}-{writer}-{n}");
    match writer {
        0 | 3 => KeyedWrite {
            path: "/api/demanda",
            tool: (writer == 3).then_some("create_demand"),
            input: json!({ "title": event_title(&key) }),
            key,
        },
        1 => KeyedWrite {
            path: "/api/config",
            tool: Some("publish_config_version"),
            input: json!({ "key": format!("rodada.{round}"), "value": n }),
            key,
        },
        _ => KeyedWrite {
            path: "/api/draft",
            tool: None,
            // Each draft expects the revision of the previous draft.
            input: json!({ "event_id": event_id, "expected_revision": n + 1, "caption": key }),
            key,
        },
    }
}

/// Returns a title that is not a prefix of any other title.
fn event_title(key: &str) -> String {
    format!("{key}.")
}

/// The number of writes by outcome.
#[derive(Debug, Default)]
struct Tally {
    writes: usize,
    answered: usize,
    /// Writes whose response was lost and whose effect existed after the restart.
    effect_without_answer: usize,
    /// Writes without an effect before the restart; the repeated request created it.
    no_effect: usize,
    demands: i64,
    drafts: i64,
    configs: i64,
}

#[test]
fn after_200_kills_every_key_has_exactly_one_effect() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (app, token) = runtime.block_on(async {
        let app = TestApp::new().await;
        // The server under test reads the system clock.
        app.advance_clock(SystemClock.now() - app.now());
        let member = app.add_member(Role::Admin).await;
        let token = app.token_client(&member).await.credential().to_owned();
        app.app
            .gateway
            .services
            .db
            .clone()
            .close()
            .await
            .expect("closes");
        (app, token)
    });
    let directory = tempfile::tempdir().expect("a temporary directory");
    let start = || Server::start(app.database_url(), directory.path(), &[]);

    let begun = Instant::now();
    let mut tally = Tally::default();
    let mut server = start();
    for round in 0..ROUNDS {
        let event = KeyedWrite {
            key: format!("rodada-{round}-evento"),
            path: "/api/demanda",
            tool: None,
            input: json!({ "title": event_title(&format!("rodada-{round}-evento")) }),
        };
        let created = server.send_over_rest(&event, &token);
        let event_id: Value = serde_json::from_str(&created.text).expect("JSON");
        let event_id = event_id["event_id"].as_str().expect("an id").to_owned();
        let mut writes = vec![(event, Some(created))];

        writes.extend(write_until_killed(&mut server, &token, round, &event_id));
        server = start();
        for (write, given) in &writes {
            repeat_write(&server, &token, write, given.as_ref(), &mut tally);
        }
        verify_effects(&server, &token, round, &event_id, &writes, &mut tally);
    }
    server.kill();
    println!(
        "{ROUNDS} kills in {:.1} s: {tally:?}",
        begun.elapsed().as_secs_f32()
    );
    assert!(
        tally.effect_without_answer >= ROUNDS,
        "too few kills fell between effect and answer"
    );

    // Effect, history, audit row and idempotency key are committed in one transaction.
    runtime.block_on(async {
        let app = app.second_instance().await;
        let writes = i64::try_from(tally.writes).expect("a small number");
        assert_eq!(app.count_rows("events").await, tally.demands);
        assert_eq!(
            app.count_rows("event_history").await,
            tally.demands + tally.drafts
        );
        assert_eq!(app.count_rows("config_log").await, tally.configs);
        assert_eq!(
            app.count_rows("idempotency_keys WHERE status = 200").await,
            writes
        );
        assert_eq!(app.count_rows("idempotency_keys").await, writes);
        assert_eq!(
            app.count_rows("audit_events WHERE outcome = 'succeeded'")
                .await,
            writes
        );
    });
}

/// Runs four writers until the server dies. A fifth writer sends a write and does not read the response.
/// Kills the server as soon as the effect of the fifth write is visible. Returns all writes, each with
/// its response if the response arrived.
fn write_until_killed(
    server: &mut Server,
    token: &str,
    round: usize,
    event_id: &str,
) -> Vec<(KeyedWrite, Option<Given>)> {
    let address = server.address.clone();
    thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let address = &address;
                scope.spawn(move || {
                    let mut writes = vec![];
                    for n in 0..WRITES {
                        let write = nth_write(writer, round, n, event_id);
                        let given = exchange_request(address, &write.request_text(token));
                        let died = given.is_none();
                        writes.push((write, given));
                        if died {
                            break;
                        }
                    }
                    writes
                })
            })
            .collect();
        // Varies the delay from round to round.
        thread::sleep(Duration::from_micros(700 * (round as u64 * 7 % 13)));
        let unread = KeyedWrite {
            key: format!("rodada-{round}-sem-leitura"),
            path: "/api/demanda",
            tool: None,
            input: json!({ "title": event_title(&format!("rodada-{round}-sem-leitura")) }),
        };
        let mut stream = TcpStream::connect(&address).expect("connects");
        stream
            .write_all(unread.request_text(token).as_bytes())
            .expect("sends");
        let sought = format!("/api/eventos?q=rodada-{round}-sem-leitura");
        while server.get_json(&sought, token)["eventos"] == json!([]) {}
        server.kill();
        drop(stream);

        let written = writers
            .into_iter()
            .flat_map(|writer| writer.join().expect("a writer"));
        written.chain([(unread, None)]).collect()
    })
}

/// Repeats a write with its idempotency key. If the writer received a response before the kill, asserts
/// that the server replays this response. Otherwise asserts that a second repetition replays the
/// response of the first repetition.
fn repeat_write(
    server: &Server,
    token: &str,
    write: &KeyedWrite,
    given: Option<&Given>,
    tally: &mut Tally,
) {
    let again = server.send_over_rest(write, token);
    tally.writes += 1;
    match given {
        Some(given) => {
            assert_eq!(given.status, 200, "{}: {}", write.key, given.text);
            assert_eq!(again.text, given.text, "{}", write.key);
            assert!(again.replayed, "{}", write.key);
            tally.answered += 1;
        }
        None if again.replayed => tally.effect_without_answer += 1,
        None => {
            assert!(
                !write.key.ends_with("sem-leitura"),
                "{}: the write that triggered the kill must have an effect",
                write.key
            );
            let once_more = server.send_over_rest(write, token);
            assert_eq!(once_more.text, again.text, "{}", write.key);
            assert!(once_more.replayed, "{}", write.key);
            tally.no_effect += 1;
        }
    }
}

/// Asserts that each effect of the round exists exactly once.
fn verify_effects(
    server: &Server,
    token: &str,
    round: usize,
    event_id: &str,
    writes: &[(KeyedWrite, Option<Given>)],
    tally: &mut Tally,
) {
    let of = |path| writes.iter().filter(move |(write, _)| write.path == path);
    let events = server.get_json(&format!("/api/eventos?q=rodada-{round}-&limit=200"), token);
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for event in events["eventos"].as_array().expect("a list") {
        *times
            .entry(event["title"].as_str().expect("a title"))
            .or_default() += 1;
    }
    let demanded: BTreeMap<&str, usize> = of("/api/demanda")
        .map(|(write, _)| (write.input["title"].as_str().expect("a title"), 1))
        .collect();
    assert_eq!(times, demanded);

    let published = of("/api/config").count();
    let log = server.get_json(&format!("/api/config/log?key=rodada.{round}"), token);
    let log = log["log"].as_array().expect("a list").iter();
    let mut values: Vec<_> = log
        .map(|version| version["value"].as_u64().expect("a number"))
        .collect();
    values.sort_unstable();
    assert_eq!(values, (0..published as u64).collect::<Vec<_>>());

    let drafted = of("/api/draft").count();
    let event = server.get_json(&format!("/api/eventos/{event_id}"), token);
    assert_eq!(event["evento"]["api_revision"], 1 + drafted);
    let history = event["historico"].as_array().expect("a list");
    assert_eq!(history.len(), 1 + drafted);

    tally.demands += i64::try_from(demanded.len()).expect("a small number");
    tally.configs += i64::try_from(published).expect("a small number");
    tally.drafts += i64::try_from(drafted).expect("a small number");
}
