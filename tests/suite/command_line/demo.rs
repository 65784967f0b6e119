//! The data that the demo contains from the start.

#![cfg(unix)]

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use super::files::start_demo;
use crate::support::{exchange_request, http_request};

#[test]
fn the_demo_has_work_for_its_member_and_prints_where_to_sign_in() {
    let directory = tempfile::tempdir().expect("a directory");
    let _running = start_demo(
        directory.path(),
        "node cli.mjs login --email helena.prado@demo.pauta.test",
    );
    let access = fs::read(directory.path().join("acesso.json")).expect("a file");
    let access: Value = serde_json::from_slice(&access).expect("JSON");
    let address = access["url"].as_str().expect("an address");
    let address = address.strip_prefix("http://").expect("over HTTP");
    let token = access["token"].as_str().expect("a token");
    let given = exchange_request(address, &http_request("GET", "/api/tarefas", token, "", ""));
    let given = given.expect("an answer");
    let tasks: Value = serde_json::from_str(&given.text).expect("JSON");
    assert_eq!(given.status, 200);
    assert!(
        !tasks["tarefas"].as_array().expect("a list").is_empty(),
        "{tasks}"
    );

    let body = serde_json::json!({ "email": access["email"], "password": access["password"] });
    let path = "/auth/v1/token?grant_type=password";
    let sign_in = http_request("POST", path, "", "", &body.to_string());
    let sign_in = sign_in.replace("Authorization: Bearer \r\n", "");
    let given = exchange_request(address, &sign_in).expect("an answer");
    assert_eq!(given.status, 200, "{}", given.text);
}

#[test]
fn the_demo_has_a_varied_month_of_events() {
    let directory = tempfile::tempdir().expect("a directory");
    let _running = start_demo(directory.path(), "Abra no navegador   http://");
    let access = fs::read(directory.path().join("acesso.json")).expect("a file");
    let access: Value = serde_json::from_slice(&access).expect("JSON");
    let address = access["url"].as_str().expect("an address");
    let address = address.strip_prefix("http://").expect("over HTTP");
    let token = access["token"].as_str().expect("a token");
    let ask = |path: &str| -> Value {
        let given = exchange_request(address, &http_request("GET", path, token, "", ""))
            .expect("an answer");
        assert_eq!(given.status, 200, "{}", given.text);
        serde_json::from_str(&given.text).expect("JSON")
    };
    let events = ask("/api/eventos?limit=200")["eventos"].clone();
    let events = events.as_array().expect("a list");
    let words = |field: &str| -> BTreeSet<&str> {
        let words = events.iter().filter_map(|event| event[field].as_str());
        words.collect()
    };
    assert!(words("channel").len() >= 6 && words("status").len() >= 6);
    assert!(words("hour").len() >= 8, "{:?}", words("hour"));
    let illustrated = events
        .iter()
        .filter(|event| event["media"] != serde_json::json!([]));
    assert!(illustrated.count() >= 12);

    // The planned pieces contain exactly one clash, which is intended.
    let is_open = |event: &&Value| event["status"] != "publicado" && event["status"] != "arquivado";
    let mut planned: Vec<(&str, i64)> = events
        .iter()
        .filter(is_open)
        .filter_map(|event| {
            let due = event["due_at"].as_str()?.parse::<jiff::Timestamp>().ok()?;
            Some((event["channel"].as_str()?, due.as_second()))
        })
        .collect();
    planned.sort_unstable();
    let close = planned
        .windows(2)
        .filter(|pair| pair[0].0 == pair[1].0 && pair[1].1 - pair[0].1 < 3600);
    assert_eq!(close.count(), 1, "{planned:?}");

    // One pending piece was refused before, and its author works through an agent.
    let pending = ask("/api/aprovacoes")["pendentes"].clone();
    let pending = pending.as_array().expect("a list");
    assert!(pending.len() >= 5, "{pending:?}");
    let again = pending
        .iter()
        .find(|event| event["title"] == "Tapioca: da goma ao recheio");
    let id = again.expect("the piece is pending")["id"]
        .as_str()
        .expect("an id");
    let piece = ask(&format!("/api/eventos/{id}"));
    let history = piece["historico"].as_array().expect("a list");
    assert!(
        history.iter().any(|line| line["agent"] == "Claude"),
        "{history:?}"
    );
    assert_eq!(piece["evento"]["media"].as_array().map(Vec::len), Some(3));
}

#[test]
fn the_demo_prints_an_address_that_opens_the_console_signed_in() {
    let directory = tempfile::tempdir().expect("a directory");
    let _running = start_demo(directory.path(), "Abra no navegador   http://");
    let file = directory.path().join("acesso.json");
    let access: Value = serde_json::from_slice(&fs::read(file).expect("a file")).expect("JSON");
    let console = access["console_url"].as_str().expect("an address");
    let (url, code) = console.split_once("/entrar/codigo?c=").expect("a code");
    assert_eq!(url, access["url"]);
    let address = url.strip_prefix("http://").expect("over HTTP");
    let body = format!("c={code}");
    let length = body.len();
    let enter = format!(
        "POST /entrar/codigo HTTP/1.1\r\nHost: {address}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: \
         application/x-www-form-urlencoded\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    let given = exchange_request(address, &enter).expect("an answer");
    assert_eq!(given.status, 303, "{}", given.text);
    let again = exchange_request(address, &enter).expect("an answer");
    assert_eq!(again.status, 401, "{}", again.text);
}
