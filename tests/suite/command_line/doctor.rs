//! `doctor` changes nothing, and names what is missing.

#![cfg(unix)]

use std::fs;

use super::{content, in_portuguese, pauta, said};

#[test]
fn doctor_writes_nothing_where_nothing_is_and_says_what_it_skipped() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = pauta(directory.path(), &[], &["doctor"]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("data/pauta.db ainda não existe"), "{text}");
    assert!(
        text.contains("endereço público: não foi conferido"),
        "{text}"
    );
    in_portuguese(&text);
    let made = fs::read_dir(directory.path()).expect("a directory").count();
    assert_eq!(made, 0);
}

#[test]
fn doctor_names_the_missing_file_and_makes_none() {
    let directory = tempfile::tempdir().expect("a directory");
    let create = [
        "admin",
        "create",
        "--name",
        "Ana",
        "--email",
        "ana@equipe.test",
    ];
    assert!(pauta(directory.path(), &[], &create).status.success());
    let data = directory.path().join("data");
    // SQLite carries its log over when the last connection closes, whoever that is.
    pauta(directory.path(), &[], &["doctor"]);
    let was = content(&data);
    let text = said(&pauta(directory.path(), &[], &["doctor"]));
    assert!(!text.contains("FALHA"), "{text}");
    assert!(content(&data) == was, "doctor changed a file");

    fs::remove_file(data.join("pauta.secret")).expect("a secret");
    let was = content(&data);
    for command in [&["doctor"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        let output = pauta(directory.path(), &[], command);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("data/pauta.secret não existe"), "{text}");
        assert!(!data.join("pauta.secret").exists());
    }
    assert!(
        content(&data).get(&data.join("pauta.db")) == was.get(&data.join("pauta.db")),
        "the database was changed"
    );

    fs::write(data.join("pauta.secret"), "x".repeat(64)).expect("writes");
    fs::remove_file(data.join("pauta.db")).expect("a database");
    let output = pauta(directory.path(), &[], &["doctor"]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("data/pauta.db não existe"), "{text}");
    assert!(!data.join("pauta.db").exists());
}
