//! Encoded forms, with and without a session.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::{body::Body, http::Method};
use domain::Role;
use futures::{StreamExt, stream};
use gateway::Access;
use pauta::app::SystemClock;
use ports::Clock;

use super::costs::{Attack, assert_cheap};
use crate::{
    console::visible_text,
    support::{Answer, Client, Meter, Server, TestApp, Wire},
};

/// The maximum size of a response to a caller without a session, in bytes.
const SHORT: usize = 5_000;

async fn post_encoded_form(client: &Client, path: &str, form: String) -> Answer {
    let form_type = "application/x-www-form-urlencoded";
    let client = client.with_header("content-type", form_type);
    client
        .send(Method::POST, path, Some(Body::from(form)))
        .await
}

/// Returns the console paths that accept a form of a signed-in member.
fn console_form_paths(app: &TestApp) -> Vec<String> {
    let pages = app.app.gateway.registry.console.iter();
    let forms = pages.filter(|page| page.spec.has_body() && page.spec.access == Access::Browser);
    let id = "0198c0de-0000-7000-8000-000000000000";
    let filled = |path: &str| {
        let part = |part: &str| {
            if part.starts_with('{') {
                id.to_owned()
            } else {
                part.to_owned()
            }
        };
        path.split('/').map(part).collect::<Vec<_>>().join("/")
    };
    forms.map(|page| filled(page.spec.path)).collect()
}

#[tokio::test]
async fn the_form_of_an_unauthenticated_request_is_neither_read_nor_returned() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let (name, value) = app.session_cookie(&member).await;
    let stranger = app.anonymous().with_header("sec-fetch-site", "same-origin");
    let (payload, signature) = value.split_once('.').expect("a signed cookie");
    let forged = [
        format!("{name}="),
        format!("{name}=x"),
        format!("{name}={payload}."),
        format!(
            "{name}={payload}.{}",
            signature.replace(|c: char| c.is_alphanumeric(), "A")
        ),
        format!("{name}={payload}x.{signature}"),
        format!("{name}={value}; {name}={value}"),
    ];
    let mut strangers = vec![stranger.clone()];
    strangers.extend(forged.map(|cookie| stranger.with_header("cookie", cookie)));
    let paths = console_form_paths(&app);
    assert!(paths.len() > 20, "{paths:?}");
    for path in &paths {
        for client in &strangers {
            let form = "campo=segredo-digitado&".repeat(40_000);
            let answer = post_encoded_form(client, path, form).await.expect(303);
            assert_eq!(answer.headers["location"], "/entrar?volta=%2F", "{path}");
            assert!(answer.text.len() < SHORT, "{path}");
            let script = client.with_header("hx-request", "true");
            let answer = post_encoded_form(&script, path, "campo=segredo-digitado".into())
                .await
                .expect(401);
            assert!(!answer.text.contains("segredo-digitado"), "{path}");
        }
    }
}

#[tokio::test]
async fn a_form_sent_after_the_session_ended_is_returned_only_if_it_is_short() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let browser = app.browser_client(&member).await;
    browser
        .post_form::<&str, &str>("/sair", &[])
        .await
        .expect(303);
    let titled = |title: &str| format!("title={title}&notes=abc");
    let short = post_encoded_form(&browser, "/acao/create_demand", titled("guardado"))
        .await
        .expect(401);
    assert!(visible_text(&short).contains("guardado"));
    let long = titled(&"guardado".repeat(2_000));
    let many = "a=1&".repeat(3_999);
    for form in [long, many] {
        let answer = post_encoded_form(&browser, "/acao/create_demand", form)
            .await
            .expect(401);
        assert!(answer.text.len() < SHORT && !answer.text.contains("guardado"));
        assert!(visible_text(&answer).contains("Volte à página anterior"));
    }
}

#[tokio::test]
async fn a_chunked_body_has_the_same_limit_as_a_body_of_known_length() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let ended = app.browser_client(&member).await;
    ended
        .post_form::<&str, &str>("/sair", &[])
        .await
        .expect(303);
    let stranger = app.anonymous().with_header("sec-fetch-site", "same-origin");
    for (client, path) in [(&ended, "/acao/create_demand"), (&stranger, "/entrar")] {
        let read = Arc::new(AtomicUsize::new(0));
        let count = read.clone();
        let chunks = stream::repeat_with(move || {
            count.fetch_add(1_000, Ordering::SeqCst);
            Ok::<_, std::io::Error>("campo=1234&".repeat(91).into_bytes())
        });
        let client = client.with_header("content-type", "application/x-www-form-urlencoded");
        let body = Body::from_stream(chunks.take(100));
        let answer = client.send(Method::POST, path, Some(body)).await;
        assert!(
            (400..500).contains(&answer.status),
            "{path}: {}",
            answer.status
        );
        assert!(read.load(Ordering::SeqCst) <= 18_000, "{path}: {read:?}");
    }
}

#[tokio::test]
async fn a_long_field_name_is_truncated() {
    let app = TestApp::new().await;
    let browser = app.browser_client(&app.add_member(Role::Admin).await).await;
    let name = "n".repeat(900_000 / 2);
    for form in [
        format!("{name}:json=x"),
        format!("{name}:json=1&{name}:json=1"),
    ] {
        let script = browser.with_header("hx-request", "true");
        let answer = post_encoded_form(&script, "/acao/create_demand", form)
            .await
            .expect(400);
        assert!(answer.text.len() < SHORT, "{}", answer.text.len());
    }
}

#[tokio::test]
async fn the_number_of_form_fields_has_the_limit_of_input_values() {
    let app = TestApp::new().await;
    let browser = app.browser_client(&app.add_member(Role::Admin).await).await;
    for path in console_form_paths(&app) {
        let answer = post_encoded_form(&browser, &path, "a=&".repeat(60_000)).await;
        // A form that requires a file answers 415.
        assert!(
            [400, 415].contains(&answer.status),
            "{path}: {}",
            answer.status
        );
        assert!(answer.text.len() < 20_000, "{path}");
    }
    let most = "a=1&".repeat(3_999);
    let answer = post_encoded_form(&browser, "/acao/create_demand", format!("{most}title=x")).await;
    assert!(
        visible_text(&answer).contains("informado mais de uma vez"),
        "{}",
        answer.status
    );
    let answer = post_encoded_form(
        &browser,
        "/acao/create_demand",
        format!("{most}b=2&title=x"),
    )
    .await;
    assert!(visible_text(&answer.expect(400)).contains("deve ter no máximo 4000 valores"));
}

#[tokio::test]
async fn json_in_a_field_must_follow_the_rules_of_a_json_body() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let (session, browser) = (
        app.session_client(&member).await,
        app.browser_client(&member).await,
    );
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for (value, rule) in [
        (deep(65), "maxDepth"),
        (r#"{"a":1,"a":2}"#.to_owned(), "unique"),
        ("[18446744073709551616]".to_owned(), "exact"),
        (format!("[{}]", vec!["0"; 50_000].join(",")), "maxValues"),
        ("{".to_owned(), "json"),
    ] {
        let body = format!(r#"{{"key":"k","value":{value}}}"#);
        let json = session.with_header("content-type", "application/json");
        let body = json
            .send(Method::POST, "/api/config", Some(Body::from(body)))
            .await;
        let body = body.expect_refusal(400, "INVALID_INPUT");
        assert_eq!(body.body["details"]["fields"][0]["rule"], rule);
        let fields = [("key", "k"), ("value:json", &*value)];
        let form = browser
            .post_form("/acao/publish_config_version", &fields)
            .await;
        assert!(visible_text(&form.expect(400)).contains("value"), "{rule}");
        let fields = [
            ("chave", "k"),
            ("versao", "0"),
            ("tipo", "json"),
            ("valor", &*value),
        ];
        let form = browser.post_form("/configuracao", &fields).await;
        assert!(visible_text(&form.expect(400)).contains("valor"), "{rule}");
    }
    assert_eq!(app.count_rows("config_log").await, 0);
}

/// Expensive forms that a member sends from a browser.
fn form_attacks(cookie: &str) -> Vec<Attack> {
    let attack = |name, path: &str, form: String, answers| Attack {
        name,
        request: format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: {cookie}\r\n\
             Sec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\n\r\n{form}",
            form.len()
        )
        .into_bytes(),
        answers,
    };
    let maps = |count: usize| format!("[{}]", vec![r#"{"":0}"#; count].join(","));
    let quotes = |bytes: usize| "\"".repeat(bytes);
    let action = "/acao/publish_config_version";
    vec![
        attack(
            "many fields",
            "/acao/x",
            "a=&".repeat(7_900_000),
            &[400, 413],
        ),
        attack(
            "many lists",
            "/acao/create_demand",
            "assignee_ids=&".repeat(70_000),
            &[400],
        ),
        attack(
            "many maps in a field",
            action,
            format!("key=k&value:json={}", maps(700_000)),
            &[400],
        ),
        attack(
            "as many maps as there may be",
            action,
            format!("key=k&value:json={}", maps(24_000)),
            &[303],
        ),
        attack(
            "many maps in a setting",
            "/configuracao",
            format!("chave=k2&tipo=json&versao=0&valor={}", maps(400_000)),
            &[400],
        ),
        attack(
            "deep nesting in a field",
            action,
            format!("key=k&value:json={}", "[".repeat(5_000_000)),
            &[400],
        ),
        attack(
            "a long text to be given back",
            "/acao/create_demand",
            format!("title={}", quotes(990_000)),
            &[400],
        ),
        attack(
            "a longer text",
            "/acao/create_demand",
            format!("title={}", quotes(23_900_000)),
            &[400],
        ),
        attack(
            "a long draft",
            "/emails",
            format!("nome=a&lido=&metadados=[]&html={}", quotes(23_900_000)),
            &[400, 413],
        ),
        attack(
            "a long trial",
            "/catalogo/create_demand",
            format!("title={}", quotes(23_900_000)),
            &[200],
        ),
        attack(
            "many previews",
            "/eventos/0198c0de-0000-7000-8000-000000000000/previa",
            "card=Um+texto&".repeat(3_900),
            &[400],
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn no_form_uses_much_memory_or_delays_others() {
    let app = TestApp::new().await;
    app.advance_clock(SystemClock.now() - app.now());
    let member = app.add_member(Role::Admin).await;
    let (name, value) = app.session_cookie(&member).await;
    assert_cheap(
        &form_attacks(&format!("{name}={value}")),
        app.database_url(),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn long_forms_of_two_hundred_strangers_are_not_kept_in_memory() {
    const AT_ONCE: usize = 200;
    let app = TestApp::new().await;
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::start(app.database_url(), directory.path(), &[]);
    let meter = Meter::start(&server);
    let form = "campo=%22%3C%3E&".repeat(60_000);
    let head = format!(
        "POST /acao/x HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n",
        form.len()
    );
    let address: std::net::SocketAddr = server.address.parse().expect("an address");
    // No client reads its answer before every client has sent as much as the service accepts.
    let mut wires: Vec<Wire> = (0..AT_ONCE).map(|_| Wire::open(address)).collect();
    for wire in &mut wires {
        let _ = wire.try_send(&head);
        let _ = wire.try_send(&form[..100_000]);
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let measured = meter.finish_measuring();
    eprintln!("{AT_ONCE} strangers: {measured:?}");
    assert!(measured.memory < 150, "{measured:?}");
    for wire in &mut wires {
        if let Some(reply) = wire.try_read_reply() {
            assert_eq!(reply.status, 303);
        }
    }
}
