//! Output to a closed pipe, as with `| head`.

#![cfg(unix)]

use std::{
    io::pipe,
    path::Path,
    process::{Command, ExitStatus, Stdio},
};

use super::run_pauta;

/// Runs a command with a closed pipe as standard output and, if `quiet`, also as standard error.
/// Returns the exit status and the text on standard error.
fn run_with_closed_stdout(
    directory: &Path,
    arguments: &[&str],
    quiet: bool,
) -> (ExitStatus, String) {
    let closed = || {
        let (reader, writer) = pipe().expect("a pipe");
        drop(reader);
        Stdio::from(writer)
    };
    let output = Command::new(env!("CARGO_BIN_EXE_pauta"))
        .args(arguments)
        .env_clear()
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(closed())
        .stderr(if quiet { closed() } else { Stdio::piped() })
        .output()
        .expect("the command runs");
    let said = String::from_utf8(output.stderr).expect("text");
    (output.status, said)
}

#[test]
fn no_command_fails_because_its_output_is_closed() {
    let directory = tempfile::tempdir().expect("a directory");
    let email = ["--email", "ana@equipe.test"];
    let create = [&["admin", "create", "--name", "Ana"], &email[..]].concat();
    std::fs::write(directory.path().join("nota.md"), "Tamarindo.").expect("writes");
    for arguments in [
        &["migrate"][..],
        &create,
        &["admin", "invite", email[0], email[1]],
        &["token", "create", email[0], email[1]],
        &["knowledge", "add", "nota.md"],
        &["knowledge", "list"],
        &["doctor"],
        &["backup", "copia"],
        &["--help"],
    ] {
        let (status, said) = run_with_closed_stdout(directory.path(), arguments, false);
        let announced = "nova base criada em data/pauta.db\n";
        let expected = if arguments == ["migrate"] {
            announced
        } else {
            ""
        };
        assert!(
            status.success() && said == expected,
            "{arguments:?}: {said}"
        );
    }
    // If nothing reads stderr, an error still sets the exit code, and the command does not panic.
    let (status, _) = run_with_closed_stdout(directory.path(), &["knowledge", "remove", "x"], true);
    assert_eq!(status.code(), Some(1));
    let listed = run_pauta(directory.path(), &[], &["knowledge", "list"]);
    let listed = String::from_utf8(listed.stdout).expect("text");
    let [_, date, hour, ..] = listed.split_whitespace().collect::<Vec<_>>()[..] else {
        panic!("{listed}");
    };
    let shape = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "0");
    assert_eq!([shape(date), shape(hour)], ["00/00/0000", "00:00"]);
}
