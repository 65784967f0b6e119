//! `doctor` changes nothing, and names what is missing.

#![cfg(unix)]

use std::fs;

use super::{assert_portuguese, file_contents, output_text, run_pauta};
use crate::{
    networks::{Call, Fault, Networks},
    script::double::{DIALECTS as TEXTS, TextApi},
    support::Settings,
    videos::double::{DIALECTS as VIDEOS, VideoApi},
};

#[test]
fn doctor_writes_nothing_into_an_empty_folder_and_names_the_skipped_checks() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = run_pauta(directory.path(), &[], &["doctor"]);
    let text = output_text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("data/pauta.db ainda não existe"), "{text}");
    assert!(
        text.contains("endereço público: não foi conferido"),
        "{text}"
    );
    assert_portuguese(&text);
    let made = fs::read_dir(directory.path()).expect("a directory").count();
    assert_eq!(made, 0);
}

#[test]
fn doctor_names_the_missing_file_and_does_not_create_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let create = [
        "admin",
        "create",
        "--name",
        "Ana",
        "--email",
        "ana@equipe.test",
    ];
    assert!(run_pauta(directory.path(), &[], &create).status.success());
    let data = directory.path().join("data");
    // SQLite merges its write-ahead log when the last connection closes, so the first run may
    // change the file.
    run_pauta(directory.path(), &[], &["doctor"]);
    let was = file_contents(&data);
    let text = output_text(&run_pauta(directory.path(), &[], &["doctor"]));
    assert!(!text.contains("FALHA"), "{text}");
    assert!(file_contents(&data) == was, "doctor changed a file");

    fs::remove_file(data.join("pauta.secret")).expect("a secret");
    let was = file_contents(&data);
    for command in [&["doctor"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        let output = run_pauta(directory.path(), &[], command);
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("data/pauta.secret não existe"), "{text}");
        assert!(!data.join("pauta.secret").exists());
    }
    assert!(
        file_contents(&data).get(&data.join("pauta.db")) == was.get(&data.join("pauta.db")),
        "doctor changed the database"
    );

    fs::write(data.join("pauta.secret"), "x".repeat(64)).expect("writes");
    fs::remove_file(data.join("pauta.db")).expect("a database");
    let output = run_pauta(directory.path(), &[], &["doctor"]);
    let text = output_text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("data/pauta.db não existe"), "{text}");
    assert!(!data.join("pauta.db").exists());
}

/// Runs `doctor` with these settings; returns its output.
async fn run_doctor(settings: Settings) -> String {
    let run = move || {
        let directory = tempfile::tempdir().expect("a directory");
        let variables: Vec<(&str, &str)> = settings
            .iter()
            .map(|(name, value)| (*name, &**value))
            .collect();
        output_text(&run_pauta(directory.path(), &variables, &["doctor"]))
    };
    tokio::task::spawn_blocking(run).await.expect("no panic")
}

/// Replaces the provider key in the settings.
fn with_another_key(mut settings: Settings) -> Settings {
    let key = settings.iter_mut().find(|(name, _)| name.ends_with("_KEY"));
    key.expect("a key").1 = "sk-outra".into();
    settings
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doctor_checks_the_providers_of_texts_and_videos() {
    for dialect in TEXTS {
        let api = TextApi::new().await;
        let text = run_doctor(api.settings(dialect)).await;
        assert!(
            text.contains("ok     provedor de textos"),
            "{dialect:?}: {text}"
        );
        let text = run_doctor(with_another_key(api.settings(dialect))).await;
        assert!(
            text.contains("FALHA  provedor de textos"),
            "{dialect:?}: {text}"
        );
        assert!(
            text.contains("chave") && !text.contains("sk-outra"),
            "{text}"
        );
    }
    for dialect in VIDEOS {
        let api = VideoApi::new(dialect).await;
        let text = run_doctor(api.settings()).await;
        assert!(
            text.contains("ok     provedor de vídeos"),
            "{dialect:?}: {text}"
        );
        let text = run_doctor(with_another_key(api.settings())).await;
        assert!(
            text.contains("FALHA  provedor de vídeos"),
            "{dialect:?}: {text}"
        );
        assert!(
            text.contains("chave") && !text.contains("sk-outra"),
            "{text}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doctor_checks_the_networks_and_names_the_settings_to_correct() {
    let networks = Networks::new().await;
    let text = run_doctor(networks.settings()).await;
    for title in ["TikTok", "Instagram", "YouTube", "LinkedIn"] {
        assert!(
            text.contains(&format!("ok     rede social {title}")),
            "{text}"
        );
    }
    let check_line = |title: &str, text: &str| {
        let check = format!("rede social {title}");
        let line = text.lines().find(|line| line.contains(&check));
        line.expect("a line").to_owned()
    };
    let elsewhere = |name: &str, value: &str| {
        let mut settings = networks.settings();
        let setting = settings.iter_mut().find(|(known, _)| *known == name);
        setting.expect("a setting").1.push_str(value);
        settings
    };
    // The setting with the base URL of each network's token endpoint.
    for (title, name) in [
        ("TikTok", "PAUTA_TIKTOK_BASE_URL"),
        ("Instagram", "PAUTA_INSTAGRAM_TOKEN_BASE_URL"),
        ("YouTube", "PAUTA_YOUTUBE_TOKEN_BASE_URL"),
        ("LinkedIn", "PAUTA_LINKEDIN_AUTH_BASE_URL"),
    ] {
        let line = check_line(title, &run_doctor(elsewhere(name, "/nada")).await);
        assert!(line.starts_with("FALHA") && line.contains("404"), "{line}");
        assert!(line.contains(&format!("confira {name}")), "{line}");
    }
    networks.fail_next(
        Call::Exchange,
        Fault::Answer(404, "text/html", "<p>".into()),
    );
    let line = check_line("TikTok", &run_doctor(networks.settings()).await);
    assert!(line.contains("confira PAUTA_TIKTOK_BASE_URL"), "{line}");
    for body in ["", r#"{"error":"rate_limit_exceeded"}"#] {
        let fault = Fault::Answer(429, "application/json", body.into());
        networks.fail_next(Call::Exchange, fault);
        let line = check_line("TikTok", &run_doctor(networks.settings()).await);
        assert!(
            line.starts_with("FALHA") && line.contains("limitando"),
            "{line}"
        );
    }
    let line = check_line(
        "TikTok",
        &run_doctor(elsewhere("PAUTA_TIKTOK_CLIENT_SECRET", "x")).await,
    );
    assert!(line.contains("confira PAUTA_TIKTOK_*"), "{line}");
}
