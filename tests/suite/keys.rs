//! The key ring: encryption with the first key, rotation to another key, and missing keys.

use std::process::{Command, Output};

use domain::Role;
use pauta::{
    app,
    config::{Config, Sources},
};
use serde_json::json;

use crate::support::{SECRET, TestApp};

const A: &str = "a:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
const B: &str = "b:AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";
/// A key with the id of `A` and the bytes of `B`.
const FALSE_A: &str = "a:AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";

fn run_pauta(app: &TestApp, keyring: &str, arguments: &[&str]) -> Output {
    let directory = tempfile::tempdir().expect("a directory");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pauta"));
    command.args(arguments).env_clear().current_dir(&directory);
    command.env("PAUTA_DATABASE_URL", app.database_url());
    command.env("PAUTA_SECRET", SECRET);
    if !keyring.is_empty() {
        command.env("PAUTA_KEYRING", keyring);
    }
    command.output().expect("the command runs")
}

fn output_text(output: &Output) -> String {
    String::from_utf8([&output.stdout[..], &output.stderr].concat()).expect("text")
}

/// Returns the number of secrets that are encrypted with this key.
async fn count_secrets(app: &TestApp, kid: &str) -> i64 {
    app.count_rows(&format!("secrets WHERE kid = '{kid}'"))
        .await
}

async fn set_passwords(app: &TestApp, range: std::ops::Range<usize>) {
    let admin = app.as_member(Role::Admin).await;
    for number in range {
        let path = format!("/api/plataformas/p{number}/senha");
        admin
            .put(&path, json!({ "senha": format!("senha {number}") }))
            .await
            .expect(200);
    }
}

async fn assert_passwords_readable(app: &TestApp, range: std::ops::Range<usize>) {
    let admin = app.as_member(Role::Admin).await;
    for number in range {
        let path = format!("/api/plataformas/p{number}/senha");
        let read = admin.get(&path).await.expect(200).body;
        assert_eq!(read["senha"], format!("senha {number}"));
    }
}

async fn instance_with_keyring(app: &TestApp, keyring: &str) -> TestApp {
    let settings = vec![("PAUTA_KEYRING", keyring.to_owned())];
    app.second_instance_with(settings).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rotation_encrypts_every_record_with_the_new_key_while_instances_run() {
    let app = TestApp::new().await;
    set_passwords(&app, 0..120).await;
    assert_eq!(
        app.count_rows("secrets WHERE kid LIKE 'mestre-%'").await,
        120
    );
    let with_a = instance_with_keyring(&app, A).await;
    set_passwords(&with_a, 0..1).await;
    assert_eq!(count_secrets(&app, "a").await, 1);
    let output = run_pauta(&app, A, &["keys", "rotate"]);
    let text = output_text(&output);
    assert!(output.status.success(), "{text}");
    // 119 passwords and the session signing key.
    assert!(
        text.contains("sob a chave `a`: 120. Sob outras chaves: 0"),
        "{text}"
    );
    assert_eq!(count_secrets(&app, "a").await, 120);
    assert_passwords_readable(&with_a, 0..120).await;
    let text = output_text(&run_pauta(&app, A, &["keys", "rotate"]));
    assert!(
        text.contains("sob a chave `a`: 0. Sob outras chaves: 0"),
        "{text}"
    );
    // The key ring of the running service now contains the new key and the old one.
    let with_both = instance_with_keyring(&app, &format!("{B},{A}")).await;
    let writing = set_passwords(&with_both, 0..60);
    let rotating = tokio::task::spawn_blocking({
        let url = app.database_url().to_owned();
        move || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_pauta"));
            command.args(["keys", "rotate"]).env_clear();
            command
                .env("PAUTA_DATABASE_URL", url)
                .env("PAUTA_SECRET", SECRET);
            command.env("PAUTA_KEYRING", format!("{B},{A}"));
            command.output().expect("the command runs")
        }
    });
    let ((), rotated) = tokio::join!(writing, rotating);
    let rotated = rotated.expect("no panic");
    assert!(rotated.status.success(), "{}", output_text(&rotated));
    assert_eq!(count_secrets(&app, "b").await, 120);
    // Everything can be decrypted without the old key.
    let with_b = instance_with_keyring(&app, B).await;
    assert_passwords_readable(&with_b, 0..120).await;
}

#[tokio::test]
async fn an_interrupted_rotation_can_be_continued() {
    let app = TestApp::new().await;
    set_passwords(&app, 0..5).await;
    let with_a = instance_with_keyring(&app, A).await;
    // The state after a rotation was killed: some records are encrypted with each key.
    set_passwords(&with_a, 0..2).await;
    let output = run_pauta(&app, A, &["keys", "rotate"]);
    assert!(
        output_text(&output).contains("sob a chave `a`: 4. "),
        "{}",
        output_text(&output)
    );
    assert_passwords_readable(&with_a, 0..5).await;
}

#[tokio::test]
async fn a_missing_or_wrong_key_stops_the_start_and_is_named() {
    let app = TestApp::new().await;
    set_passwords(&instance_with_keyring(&app, A).await, 0..1).await;
    for (keyring, told) in [
        (
            "",
            "sob a chave `a`, não pode ser aberto sem ela; inclua-a em PAUTA_KEYRING",
        ),
        (B, "sob a chave `a`, não pode ser aberto sem ela"),
        (FALSE_A, "sob a chave `a`, não abre com a chave desse nome"),
    ] {
        let mut given = vec![
            ("PAUTA_DATABASE_URL", app.database_url().to_owned()),
            ("PAUTA_SECRET", SECRET.to_owned()),
        ];
        if !keyring.is_empty() {
            given.push(("PAUTA_KEYRING", keyring.to_owned()));
        }
        let config = Config::read(&Sources::from_pairs(given)).expect("a valid configuration");
        let db = app::open_database(&config).await.expect("opens");
        let clock = std::sync::Arc::new(app::SystemClock);
        let started = app::assemble(&config, db, "http://x".into(), clock).await;
        let refused = started.err().expect("refused").to_string();
        assert!(refused.contains(told), "{refused}");
        for command in [&["doctor"][..], &["keys", "rotate"]] {
            let output = run_pauta(&app, keyring, command);
            let text = output_text(&output);
            assert_eq!(output.status.code(), Some(1), "{text}");
            assert!(text.contains(told), "{text}");
        }
    }
    assert!(output_text(&run_pauta(&app, A, &["doctor"])).contains("ok     segredos guardados"));
}

#[tokio::test]
async fn a_malformed_key_ring_is_refused_without_showing_its_keys() {
    for (ring, told) in [
        ("a", "uma lista como `id:chave`"),
        ("a:AQEB", "uma lista como `id:chave`"),
        (
            "a b:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=",
            "uma lista como `id:chave`",
        ),
        (&format!("{A},{A}"), "duas chaves com o id `a`"),
        (
            "mestre-1:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=",
            "`mestre-` é o começo",
        ),
    ] {
        let read = Config::read(&Sources::from_pairs([("PAUTA_KEYRING", ring.to_owned())]));
        let refused = read.expect_err("refused").to_string();
        assert!(refused.contains(told), "{refused}");
        assert!(!refused.contains("AQEB"), "{refused}");
    }
    let config = Config::read(&Sources::from_pairs([("PAUTA_KEYRING", A.to_owned())]))
        .expect("a valid configuration");
    assert!(!format!("{config:?}").contains("AQEB"));
}
