//! Sends expensive requests, ten at once, to the real binary. The memory of the binary must stay
//! below a limit, and other clients must not be delayed.

use std::{
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::Duration,
};

use domain::Role;
use pauta::app::SystemClock;
use ports::Clock;
use serde_json::json;

use crate::support::{Meter, Server, TestApp, http_request, request_head};

/// The number of simultaneous requests.
const AT_ONCE: usize = 10;
/// The maximum peak memory of the process, in MB.
const MEMORY: u64 = 300;
/// The maximum processor time that the server uses while another client waits, at the 99th
/// percentile.
const WAIT: Duration = Duration::from_millis(200);

/// A request, and the allowed statuses of its answer.
pub(super) struct Attack {
    pub(super) name: &'static str,
    pub(super) request: Vec<u8>,
    pub(super) answers: &'static [u16],
}

fn costly_attacks(token: &str) -> Vec<Attack> {
    let attack = |name, request: String, answers| Attack {
        name,
        request: request.into_bytes(),
        answers,
    };
    let mcp = |params: String| {
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        http_request("POST", "/api/mcp", token, "", &message)
    };
    let strange = |bytes: usize| {
        let names: String = (0..bytes / 12).map(|n| format!(r#""{n:07}":1,"#)).collect();
        format!(r#"{{{names}"x":1}}"#)
    };
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let many = strange(23_700_000);
    let config = |value: &str| format!(r#"{{"key":"k","value":{value}}}"#);
    // An array with the maximum number of values, each of them an object.
    let maps = vec![r#"{"":0}"#; 24_000].join(",");
    let maps = config(&format!("[{maps}]"));
    let forms = format!(
        r#"{{"expected_revision":1,"type":"item.assign","payload":{{"assignee_member_ids":[{}]}}}}"#,
        vec!["1"; 3_900].join(",")
    );
    let project = "/api/projects/0198c0de-0000-7000-8000-000000000000/operations";
    vec![
        attack(
            "a long get_me, named first",
            mcp(format!(r#"{{"name":"get_me","arguments":{many}}}"#)),
            &[413],
        ),
        attack(
            "a long get_me, named last",
            mcp(format!(r#"{{"arguments":{many},"name":"get_me"}}"#)),
            &[200, 413],
        ),
        attack(
            "a long list of tools",
            http_request("POST", "/api/mcp", token, "", &many),
            &[400, 413],
        ),
        attack(
            "unknown names by REST",
            http_request("PUT", "/api/email-drafts/a", token, "", &many),
            &[400],
        ),
        attack(
            "unknown names by MCP",
            mcp(format!(
                r#"{{"name":"put_email_draft","arguments":{many}}}"#
            )),
            &[200],
        ),
        attack(
            "a stranger's sign-in",
            http_request(
                "POST",
                "/auth/v1/token?grant_type=password",
                "",
                "",
                &strange(900_000),
            ),
            &[413],
        ),
        attack(
            "deep nesting by REST",
            http_request("POST", "/api/config", token, "", &config(&deep(450_000))),
            &[400],
        ),
        attack(
            "deep nesting by MCP",
            mcp(format!(
                r#"{{"name":"publish_config_version","arguments":{}}}"#,
                config(&deep(450_000))
            )),
            &[200],
        ),
        attack(
            "as many objects as there may be",
            http_request("POST", "/api/config", token, "", &maps),
            &[200],
        ),
        attack(
            "faults in every form of a choice",
            http_request("POST", project, token, "", &forms),
            &[400],
        ),
        Attack {
            name: "an image with an inflating profile",
            request: upload_request(token, &inflating_png()),
            answers: &[201],
        },
        Attack {
            name: "images of many pixels",
            request: upload_request(token, &png_image(6_000, 4_000)),
            answers: &[201],
        },
    ]
}

/// Returns a PNG of one pixel whose colour profile of half a megabyte inflates to several
/// gigabytes.
fn inflating_png() -> Vec<u8> {
    const BLOCK: usize = 8_000_000;
    let mut deflate = flate2::Compress::new(flate2::Compression::best(), true);
    let mut profile = b"x\0\0".to_vec();
    let zeros = vec![0; BLOCK];
    let mut block = Vec::with_capacity(BLOCK);
    for _ in 0..2 {
        // A full flush resets the compressor, so the second block can be repeated any number of
        // times.
        block.clear();
        deflate
            .compress_vec(&zeros, &mut block, flate2::FlushCompress::Full)
            .expect("deflates");
        profile.extend_from_slice(&block);
    }
    while profile.len() < 500_000 {
        profile.extend_from_slice(&block);
    }
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let mut sum = flate2::Crc::new();
        sum.update(kind);
        sum.update(data);
        let length = u32::try_from(data.len())
            .expect("a small length")
            .to_be_bytes();
        [&length, kind.as_slice(), data, &sum.sum().to_be_bytes()].concat()
    };
    let file = png_image(1, 1);
    let head = 8 + 25;
    [&file[..head], &chunk(b"iCCP", &profile), &file[head..]].concat()
}

fn png_image(width: u32, height: u32) -> Vec<u8> {
    let mut file = std::io::Cursor::new(vec![]);
    image::RgbImage::new(width, height)
        .write_to(&mut file, image::ImageFormat::Png)
        .expect("encodes");
    file.into_inner()
}

fn upload_request(token: &str, file: &[u8]) -> Vec<u8> {
    let head = "--xx\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n";
    let form = [head.as_bytes(), file, b"\r\n--xx--\r\n"].concat();
    let head = format!(
        "POST /api/upload HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Authorization: Bearer {token}\r\nContent-Type: multipart/form-data; boundary=xx\r\n\
         Content-Length: {}\r\n\r\n",
        form.len()
    );
    [head.as_bytes(), &form].concat()
}

/// Sends a request; returns the status of the response, or `None` if the server sends no response.
fn response_status(address: &str, request: &[u8]) -> Option<u16> {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    // The server may refuse the request before it has read the whole body.
    let _ = stream.write_all(request);
    let mut answer = vec![];
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    answer.split(' ').nth(1)?.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_uses_much_memory_or_delays_others() {
    let app = TestApp::new().await;
    app.advance_clock(SystemClock.now() - app.now());
    let member = app.add_member(Role::Admin).await;
    let token = app.token_client(&member).await.credential().to_owned();
    assert_cheap(&costly_attacks(&token), app.database_url());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_of_the_most_pieces_with_the_longest_captions_uses_little_memory() {
    let app = TestApp::new().await;
    app.advance_clock(SystemClock.now() - app.now());
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = session.post("/api/calendarios", json!({ "nome": "Agenda" }));
    let made = made.await.expect(201).body;
    let (_, address) = made["url"]
        .as_str()
        .and_then(|url| url.split_once("://"))
        .expect("an address");
    let (_, path) = address.split_once('/').expect("a path");
    let piece = session.create_demand(json!({ "title": "Bolo" })).await;
    let sql = format!(
        "INSERT INTO events (id, api_revision, title, channel, status, description, due_at,
             agenda_at, created_by, created_at, updated_at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
         SELECT 'copia' || n.i, 1, 'Cópia ' || n.i, e.channel, e.status, CAST($2 AS TEXT),
             {now} + CAST(n.i AS BIGINT), {now} + CAST(n.i AS BIGINT), e.created_by, e.created_at,
             e.updated_at
         FROM n CROSS JOIN events e WHERE e.id = $1",
        now = app.now()
    );
    app.execute_statement(&sql, [piece, "ção ".repeat(5_000)])
        .await;
    let request = request_head("GET", &format!("/{path}"), "Connection: close\r\n");
    let attack = Attack {
        name: "a calendar of long captions",
        request: request.into_bytes(),
        answers: &[200],
    };
    assert_cheap(&[attack], app.database_url());
}

/// Asserts that no attack makes the process grow beyond the limit or delays other clients. Each
/// attack is sent many times in parallel to its own server.
pub(super) fn assert_cheap(attacks: &[Attack], database_url: &str) {
    for attack in attacks {
        assert_one_cheap(attack, database_url);
    }
}

fn assert_one_cheap(attack: &Attack, database_url: &str) {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::start(database_url, directory.path(), &[]);
    let meter = Meter::start(&server);
    let answers: Vec<_> = thread::scope(|scope| {
        let send = || response_status(&server.address, &attack.request);
        let sent: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(send)).collect();
        let answer = |sent: thread::ScopedJoinHandle<'_, _>| sent.join().expect("sent");
        sent.into_iter().map(answer).collect()
    });
    thread::sleep(Duration::from_millis(500));
    let measured = meter.finish_measuring();
    eprintln!("{}: {answers:?} {measured:?}", attack.name);
    // The server may refuse a request without reading it, and close the connection without an
    // answer.
    let fits = |status: &Option<u16>| {
        status.map_or(attack.answers.contains(&413), |status| {
            attack.answers.contains(&status)
        })
    };
    // On a busy machine, the wait for memory may time out. The request is then refused (429) before
    // its body is read.
    let fits_or_waited = |status: &Option<u16>| fits(status) || *status == Some(429);
    let is_expected = answers.iter().all(fits_or_waited) && answers.iter().any(fits);
    assert!(is_expected, "{}: {answers:?}", attack.name);
    assert!(measured.memory < MEMORY, "{}: {measured:?}", attack.name);
    assert!(measured.requests > 20);
    assert!(measured.p99 < WAIT, "{}: {measured:?}", attack.name);
}
