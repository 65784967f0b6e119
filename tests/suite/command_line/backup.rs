//! Backups of a running service, and their restoration.

#![cfg(unix)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    assert_portuguese, file_contents, files::file_mode, output_text, run_pauta, start_demo,
};

/// Backs up a running demo, and then ends the demo. Returns the working directory, the data folder
/// of the demo, and the folder of the backup.
fn make_backup() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let (_running, folder) = start_demo(directory.path());
    let place = directory.path().join("copias/hoje");
    let url = format!("sqlite://{}/pauta.db", folder.display());
    let settings = [("PAUTA_DATABASE_URL", &*url)];
    let to = place.to_str().expect("text");
    let output = run_pauta(directory.path(), &settings, &["backup", to]);
    let text = output_text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_portuguese(&text);
    (directory, folder, place)
}

#[track_caller]
fn run_restore(directory: &Path, place: &Path, succeeds: bool) -> String {
    let output = run_pauta(directory, &[], &["restore", place.to_str().expect("text")]);
    let text = output_text(&output);
    assert_eq!(output.status.success(), succeeds, "{text}");
    assert_portuguese(&text);
    text
}

#[test]
fn a_backup_of_a_running_service_is_restored_completely() {
    let (_directory, folder, place) = make_backup();
    assert_eq!(file_mode(&place), 0o700);
    for name in ["pauta.db", "pauta.secret", "manifest.json"] {
        assert_eq!(file_mode(&place.join(name)), 0o600, "{name}");
    }
    let parent = place.parent().expect("a parent");
    assert_eq!(fs::read_dir(parent).expect("a folder").count(), 1);
    let kept = |folder: &Path| {
        let media = folder.join("media");
        let files = file_contents(&media).into_iter();
        let relative = files.map(|(path, bytes)| {
            let path = path
                .strip_prefix(&media)
                .expect("a path below the folder")
                .to_owned();
            (path, bytes)
        });
        let secret = fs::read(folder.join("pauta.secret")).expect("a secret");
        (secret, relative.collect::<Vec<_>>())
    };
    assert!(!kept(&folder).1.is_empty());

    let new = tempfile::tempdir().expect("a directory");
    run_restore(new.path(), &place, true);
    let data = new.path().join("data");
    assert_eq!(kept(&data), kept(&folder));
    for name in ["pauta.db", "pauta.secret"] {
        assert_eq!(file_mode(&data.join(name)), 0o600, "{name}");
    }
    let text = output_text(&run_pauta(new.path(), &[], &["doctor"]));
    assert!(
        text.contains("ok     segredo mestre e chave de sessão"),
        "{text}"
    );
    assert!(text.contains("ok     mídias: arquivos"), "{text}");
    assert!(!text.contains("FALHA"), "{text}");
    let url = format!("sqlite://{}/pauta.db", folder.display());
    let list = ["knowledge", "list"];
    let before = run_pauta(new.path(), &[("PAUTA_DATABASE_URL", &*url)], &list);
    let after = run_pauta(new.path(), &[], &list);
    assert!(before.status.success() && before.stdout.len() > 100);
    assert_eq!(output_text(&after), output_text(&before));

    // A second restore changes nothing. A second backup to the same place changes nothing either.
    let was = file_contents(&data);
    let text = run_restore(new.path(), &place, false);
    assert!(text.contains("data/pauta.db já existe"), "{text}");
    assert_eq!(file_contents(&data), was);
    let again = run_pauta(new.path(), &[], &["backup", place.to_str().expect("text")]);
    assert_eq!(again.status.code(), Some(1));
    assert!(
        output_text(&again).contains("já existe"),
        "{}",
        output_text(&again)
    );
}

#[test]
fn a_changed_backup_is_refused_and_leaves_nothing_behind() {
    let (_directory, _, place) = make_backup();
    let media = file_contents(&place.join("media"));
    let (picture, _) = media.first_key_value().expect("a picture");
    for path in [
        picture.as_path(),
        &place.join("pauta.db"),
        &place.join("pauta.secret"),
    ] {
        let bytes = fs::read(path).expect("a file");
        let mut changed = bytes.clone();
        let last = changed.last_mut().expect("a byte");
        *last ^= 1;
        fs::write(path, changed).expect("writes");
        let new = tempfile::tempdir().expect("a directory");
        let text = run_restore(new.path(), &place, false);
        assert!(text.contains("SHA-256"), "{text}");
        let left = file_contents(new.path());
        assert!(left.is_empty(), "{:?}", left.keys());
        fs::write(path, bytes).expect("writes");
    }
    fs::remove_file(place.join("manifest.json")).expect("a manifest");
    let new = tempfile::tempdir().expect("a directory");
    let text = run_restore(new.path(), &place, false);
    assert!(text.contains("não é uma cópia"), "{text}");
}

#[test]
fn a_restore_that_was_killed_is_completed_by_the_same_command() {
    let (_directory, _, place) = make_backup();
    let whole = tempfile::tempdir().expect("a directory");
    run_restore(whole.path(), &place, true);
    let new = tempfile::tempdir().expect("a directory");
    run_restore(new.path(), &place, true);
    // The state before the last step: the database does not exist, and one file is incomplete.
    let data = new.path().join("data");
    fs::remove_file(data.join("pauta.db")).expect("a database");
    let media = file_contents(&data.join("media"));
    let (picture, bytes) = media.first_key_value().expect("a picture");
    let half = PathBuf::from(format!("{}#1", picture.display()));
    fs::write(&half, &bytes[..bytes.len() / 2]).expect("writes");
    fs::remove_file(picture).expect("a picture");
    run_restore(new.path(), &place, true);
    fs::remove_file(half).expect("the leftover file exists");
    let relative = |root: &Path| {
        let files = file_contents(root).into_iter();
        let relative = files.map(|(path, bytes)| {
            let path = path
                .strip_prefix(root)
                .expect("a path below the folder")
                .to_owned();
            (path, bytes)
        });
        relative.collect::<Vec<_>>()
    };
    assert_eq!(relative(new.path()), relative(whole.path()));

    // A file of another installation stops the restore.
    fs::remove_file(data.join("pauta.db")).expect("a database");
    fs::write(data.join("media/foto.png"), "outra").expect("writes");
    let text = run_restore(new.path(), &place, false);
    assert!(text.contains("foto.png não é desta cópia"), "{text}");
    fs::remove_file(data.join("media/foto.png")).expect("a file");
    fs::write(data.join("pauta.secret"), "outro segredo").expect("writes");
    let text = run_restore(new.path(), &place, false);
    assert!(text.contains("data/pauta.secret já existe"), "{text}");
    assert!(!data.join("pauta.db").exists());
}
