//! Only the owner can read the files of an installation.

#![cfg(unix)]

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// A running command of the binary, killed when dropped.
pub(super) struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the command under a umask that lets everybody read, and waits for a line that contains
/// these words.
pub(super) fn start_command(directory: &Path, arguments: &[&str], ready: &str) -> Running {
    let script = "umask 000; exec \"$0\" \"$@\" 2>&1";
    let mut process = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_pauta")])
        .args(arguments)
        .env_clear()
        .envs([("TMPDIR", directory)])
        .current_dir(directory)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
    let running = Running(process);
    let mut told = String::new();
    while !told.contains(ready) {
        let read = output.read_line(&mut told).expect("text");
        assert_ne!(read, 0, "the command ended: {told}");
    }
    // The rest of the output is read, so that the process never writes to a closed pipe.
    std::thread::spawn(move || output.lines().map_while(Result::ok).for_each(drop));
    running
}

/// Starts the demo, which writes its credentials to `acesso.json`, and waits for a line that
/// contains these words.
pub(super) fn start_demo(directory: &Path, ready: &str) -> Running {
    let arguments = [
        "demo",
        "--listen",
        "127.0.0.1:0",
        "--ready-file",
        "acesso.json",
    ];
    start_command(directory, &arguments, ready)
}

pub(super) fn file_mode(path: &Path) -> u32 {
    let found = fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    found.permissions().mode() & 0o777
}

fn make_accessible_to_all(path: &Path) {
    let all = if path.is_dir() { 0o777 } else { 0o666 };
    fs::set_permissions(path, fs::Permissions::from_mode(all)).expect("the mode is set");
}

const FILES: [&str; 4] = ["pauta.db", "pauta.db-wal", "pauta.db-shm", "pauta.secret"];

#[track_caller]
fn assert_private(folder: &Path) {
    for name in FILES {
        assert_eq!(file_mode(&folder.join(name)), 0o600, "{name}");
    }
    assert_eq!(file_mode(&folder.join("media")), 0o700);
}

#[test]
fn files_of_the_service_are_private_in_an_open_folder_under_an_open_umask() {
    let directory = tempfile::tempdir().expect("a directory");
    let data = directory.path().join("data");
    fs::create_dir(&data).expect("a folder");
    make_accessible_to_all(&data);
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let first = start_command(directory.path(), &serve, "no ar");
    assert_private(&data);
    assert_eq!(
        file_mode(&data),
        0o777,
        "an existing folder must keep its permissions"
    );

    // The files of the killed demo remain. The test opens their permissions to everybody.
    drop(first);
    for name in FILES {
        make_accessible_to_all(&data.join(name));
    }
    let _second = start_command(directory.path(), &serve, "no ar");
    assert_private(&data);
}

#[test]
fn an_existing_folder_of_the_database_keeps_its_permissions() {
    let directory = tempfile::tempdir().expect("a directory");
    let folder = directory.path().join("pasta");
    fs::create_dir(&folder).expect("a folder");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("the mode is set");
    let output = Command::new(env!("CARGO_BIN_EXE_pauta"))
        .arg("migrate")
        .env(
            "PAUTA_DATABASE_URL",
            format!("sqlite://{}", folder.display()),
        )
        .current_dir(directory.path())
        .output();
    assert!(!output.expect("the command runs").status.success());
    assert_eq!(file_mode(&folder), 0o755);
}

#[test]
fn a_folder_that_the_service_creates_is_private() {
    let directory = tempfile::tempdir().expect("a directory");
    let _running = start_command(
        directory.path(),
        &["serve", "--listen", "127.0.0.1:0"],
        "no ar",
    );
    let data = directory.path().join("data");
    assert_eq!(file_mode(&data), 0o700);
    assert_private(&data);
}

#[test]
fn files_of_the_demo_are_private() {
    let directory = tempfile::tempdir().expect("a directory");
    let _running = start_demo(directory.path(), "Endereço");
    assert_eq!(file_mode(&directory.path().join("acesso.json")), 0o600);
    let folders = fs::read_dir(directory.path()).expect("a directory");
    let folders = folders.map(|entry| entry.expect("an entry").path());
    let folders: Vec<PathBuf> = folders.filter(|path| path.is_dir()).collect();
    let [folder] = folders.as_slice() else {
        panic!("{folders:?}");
    };
    assert_eq!(file_mode(folder), 0o700);
    assert_private(folder);
}

#[test]
fn a_database_path_is_decoded_as_the_driver_decodes_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = Command::new(env!("CARGO_BIN_EXE_pauta"))
        .arg("migrate")
        .env_clear()
        .env("PAUTA_DATABASE_URL", "sqlite://meus%20dados/a%20b.db")
        .current_dir(directory.path())
        .output()
        .expect("the command runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        file_mode(&directory.path().join("meus dados/a b.db")),
        0o600
    );
    assert!(!directory.path().join("meus%20dados").exists());
}
