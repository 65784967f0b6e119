//! Failures of commands: the error says what to do next.

use std::net::TcpListener;

use super::{assert_portuguese, output_text, run_pauta};
use crate::support::{SECRET, TestApp};

const OUTSIDE: [(&str, &str); 5] = [
    ("PAUTA_IMAGE_PROVIDER", "openai"),
    ("PAUTA_EMBEDDING_PROVIDER", "openai"),
    ("PAUTA_OPENAI_API_KEY", "sk-teste"),
    ("PAUTA_OPENAI_BASE_URL", "http://127.0.0.1:1"),
    ("PAUTA_PUBLIC_URL", "http://127.0.0.1:1"),
];

#[test]
fn doctor_checks_the_providers_even_without_a_database() {
    let directory = tempfile::tempdir().expect("a directory");
    for (url, secret, expected) in [
        (
            "sqlite:///dev/null/pauta.db",
            SECRET,
            "FALHA  banco de dados",
        ),
        (
            "postgres://u@nada.invalid/pauta",
            SECRET,
            "FALHA  banco de dados",
        ),
        ("sqlite://pauta.db", SECRET, "ainda não existe"),
    ] {
        let given = [("PAUTA_DATABASE_URL", url), ("PAUTA_SECRET", secret)];
        let settings = [&given[..], &OUTSIDE].concat();
        let output = run_pauta(directory.path(), &settings, &["doctor"]);
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(expected), "{text}");
        for check in [
            "provedor de imagens",
            "provedor de embeddings",
            "endereço público",
        ] {
            assert!(text.contains(&format!("FALHA  {check}")), "{check}: {text}");
        }
        assert_portuguese(&text);
    }
}

#[tokio::test]
async fn a_changed_secret_is_refused_with_a_next_step() {
    let app = TestApp::new().await;
    let directory = tempfile::tempdir().expect("a directory");
    let other = "outro segredo, de ao menos 32 caracteres";
    for command in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["knowledge", "list"],
    ] {
        let settings = [
            ("PAUTA_DATABASE_URL", app.database_url()),
            ("PAUTA_SECRET", other),
        ];
        let output = run_pauta(directory.path(), &settings, command);
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(
            text.contains("foi cifrado com outro PAUTA_SECRET; volte ao de antes"),
            "{text}"
        );
        assert!(!text.contains(other), "{text}");
        assert_portuguese(&text);
    }
}

#[test]
fn a_failed_start_names_its_cause_and_a_next_step() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("an address").to_string();
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        std::fs::write(directory.path().join(name), text).expect("writes");
    };
    write("lixo.db", &"isto não é um banco ".repeat(20));
    write("arquivo", "");
    let with = |name, value| vec![("PAUTA_LISTEN", "127.0.0.1:0"), (name, value)];
    for (settings, expected) in [
        (
            vec![("PAUTA_LISTEN", &*taken)],
            &["já está em uso", "--listen"][..],
        ),
        (
            with("PAUTA_DATABASE_URL", "mysql://x"),
            &["PAUTA_DATABASE_URL", "postgres://"],
        ),
        (
            with("PAUTA_DATABASE_URL", "sqlite://lixo.db"),
            &["não é um banco de dados SQLite", "PAUTA_DATABASE_URL"],
        ),
        (
            with("PAUTA_DATABASE_URL", "sqlite://arquivo/pauta.db"),
            &["arquivo não pôde ser criada", "PAUTA_DATABASE_URL"],
        ),
        (
            with("PAUTA_STORAGE", "arquivo"),
            &["arquivo não pôde ser", "PAUTA_STORAGE"],
        ),
    ] {
        let output = run_pauta(directory.path(), &settings, &["serve"]);
        let text = output_text(&output);
        let told: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("pauta: "))
            .collect();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert_eq!(told.len(), 1, "{text}");
        for part in expected {
            assert!(told[0].contains(part), "{part}: {text}");
        }
        assert_portuguese(told[0]);
    }
    for (file, expected) in [
        ("listen = ", "linha 1"),
        ("a = 1\nb = [}", "linha 2"),
        ("listen = []", "`listen` deve ser texto"),
    ] {
        write("pauta.toml", file);
        let text = output_text(&run_pauta(directory.path(), &[], &["doctor"]));
        assert!(
            text.contains("pauta.toml") && text.contains(expected),
            "{text}"
        );
        assert_portuguese(&text);
    }
}
