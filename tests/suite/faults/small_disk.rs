//! A disk that is full, with the embedded database on it.
//!
//! The test runs itself again in a mount namespace of its own, with the database on a file system
//! of four megabytes. It needs Linux that lets users make namespaces (`unshare -Urm`).

use std::{path::Path, process::Command};

use super::*;

const FOLDER: &str = "PAUTA_TEST_SMALL_DISK";

#[test]
fn on_a_full_disk_writes_are_refused_and_go_on_when_there_is_space() {
    if let Ok(folder) = std::env::var(FOLDER) {
        return on_the_small_disk(folder.as_ref());
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = "mount -t tmpfs -o size=4m tmpfs \"$1\" && exec \"$2\" --nocapture --exact \"$3\"";
    let output = Command::new("unshare")
        .args(["-Urm", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .arg(std::env::current_exe().expect("this test"))
        .arg("faults::small_disk::on_a_full_disk_writes_are_refused_and_go_on_when_there_is_space")
        .env(FOLDER, folder.path())
        .output()
        .expect("unshare, of util-linux, runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    assert!(text.contains("1 passed"), "{text}");
}

fn on_the_small_disk(folder: &Path) {
    let (app, mut load) = prepared(20);
    let from = app.database_url().trim_start_matches("sqlite://");
    let database = folder.join("pauta.db");
    std::fs::copy(from, &database).expect("copies");
    let url = format!("sqlite://{}", database.display());
    let media = tempfile::tempdir().expect("a directory");
    let settings = [("PAUTA_STORAGE", media.path().display().to_string())];
    let start = || Server::start(&url, media.path(), &settings);
    let mut server = start();
    load.address.clone_from(&server.address);
    let mut refused = 0;
    for round in 0..20 {
        assert!(load.demand(&format!("com espaço {round}")));
        let filler = folder.join("filler");
        // As much as fits; what is left is less than a block.
        let _ = std::fs::write(&filler, vec![0; 4 << 20]);
        for n in 0..20 {
            if !load.demand(&format!("sem espaço {round} {n} {}", "x".repeat(100))) {
                refused += 1;
            }
        }
        // A revocation that is acknowledged holds, one that is not may be repeated.
        load.revoke_one();
        std::fs::remove_file(&filler).expect("it was there");
        recovered(&load, "a full disk");
        load.verify();
        if round % 5 == 4 {
            server.kill();
            server = start();
            load.address.clone_from(&server.address);
            load.verify();
        }
    }
    assert!(refused > 100, "the disk was never full: {refused}");
    server.kill();
}
