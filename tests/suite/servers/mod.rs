//! The database behind other parts of an installation: PgBouncer, and a standby that takes over.
//!
//! These tests need PostgreSQL (`PAUTA_TEST_DATABASE_URL`), and do nothing without it.

mod cluster;
mod failover;
mod pooler;

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
};

/// Whether the tests run on PostgreSQL.
fn is_on_postgres() -> bool {
    std::env::var("PAUTA_TEST_DATABASE_URL").is_ok()
}

/// Returns the path of a program of PostgreSQL.
fn server_program(name: &str) -> PathBuf {
    let folder = std::env::var("PGBIN").unwrap_or("/usr/lib/postgresql/15/bin".into());
    Path::new(&folder).join(name)
}

/// Returns a command for the program. If the tests run as root, the command runs as another user,
/// because database servers refuse to run as root.
fn unprivileged(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"])
        .arg(program);
    command
}

/// Gives a folder to the user of [`unprivileged`].
fn give_away(folder: &Path) {
    if is_root() {
        run(Command::new("chown")
            .args(["-R", "nobody:nogroup"])
            .arg(folder));
    }
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().expect("id runs");
    output.stdout.trim_ascii() == b"0"
}

/// Runs a command to its end and returns what it prints. Panics if it fails.
fn run(command: &mut Command) -> String {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?} does not run: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{command:?} failed: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

/// Returns a port on which no server listens now.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}
