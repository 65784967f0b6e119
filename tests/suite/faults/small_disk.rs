//! The embedded database on a full disk.

use std::path::Path;

use super::*;
use crate::support::rerun_on_small_disk;

#[test]
fn writes_are_refused_on_a_full_disk_and_accepted_again_when_there_is_space() {
    let test = "faults::small_disk::writes_are_refused_on_a_full_disk_and_accepted_again_when_there_is_space";
    if let Some(folder) = rerun_on_small_disk(test, "6m") {
        run_on_small_disk(&folder);
    }
}

fn run_on_small_disk(folder: &Path) {
    let (app, mut load) = prepare_server(20);
    let from = app.database_url().trim_start_matches("sqlite://");
    let database = folder.join("pauta.db");
    std::fs::copy(from, &database).expect("the file is copied");
    let url = format!("sqlite://{}", database.display());
    let media = tempfile::tempdir().expect("a directory");
    let settings = [("PAUTA_STORAGE", media.path().display().to_string())];
    let start = || Server::start(&url, media.path(), &settings);
    let mut server = start();
    load.address.clone_from(&server.address);
    let mut refused = 0;
    for round in 0..20 {
        assert!(load.create_demand(&format!("com espaço {round}")));
        let filler = folder.join("filler");
        // Fills the disk until less than one block is free.
        let _ = std::fs::write(&filler, vec![0; 6 << 20]);
        for n in 0..20 {
            if !load.create_demand(&format!("sem espaço {round} {n} {}", "x".repeat(100))) {
                refused += 1;
            }
        }
        // A revocation that was acknowledged is in force. A revocation without an answer may be
        // repeated.
        load.revoke_one_token();
        std::fs::remove_file(&filler).expect("the file exists");
        wait_for_recovery(&load, "a full disk");
        load.verify_writes();
        if round % 5 == 4 {
            server.kill();
            server = start();
            load.address.clone_from(&server.address);
            load.verify_writes();
        }
    }
    assert!(
        refused > 100,
        "the disk was not full: only {refused} writes were refused"
    );
    server.kill();
}
