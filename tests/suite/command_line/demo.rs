//! What the demo offers at once.

#![cfg(unix)]

use std::fs;

use serde_json::Value;

use super::files::start_demo;
use crate::support::{exchange, request};

#[test]
fn the_person_of_the_demo_has_something_to_do_and_is_told_where_to_sign_in() {
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
    let given = exchange(address, &request("GET", "/api/tarefas", token, "", ""));
    let given = given.expect("an answer");
    let tasks: Value = serde_json::from_str(&given.text).expect("JSON");
    assert_eq!(given.status, 200);
    assert!(
        !tasks["tarefas"].as_array().expect("a list").is_empty(),
        "{tasks}"
    );

    let body = serde_json::json!({ "email": access["email"], "password": access["password"] });
    let path = "/auth/v1/token?grant_type=password";
    let sign_in = request("POST", path, "", "", &body.to_string());
    let sign_in = sign_in.replace("Authorization: Bearer \r\n", "");
    let given = exchange(address, &sign_in).expect("an answer");
    assert_eq!(given.status, 200, "{}", given.text);
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
    let given = exchange(address, &enter).expect("an answer");
    assert_eq!(given.status, 303, "{}", given.text);
    let again = exchange(address, &enter).expect("an answer");
    assert_eq!(again.status, 401, "{}", again.text);
}
