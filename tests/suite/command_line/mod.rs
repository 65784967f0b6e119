//! The command line, as the operator runs it.

mod admin;
mod failures;
mod files;
mod usage;

use std::{
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

/// The binary in a directory, with these settings and no others.
fn pauta(directory: &Path, settings: &[(&str, &str)], arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pauta"))
        .args(arguments)
        .env_clear()
        .envs(settings.iter().copied())
        .current_dir(directory)
        .output()
        .expect("it runs")
}

/// The same, with this text on its standard input.
fn pauta_reading(
    directory: &Path,
    settings: &[(&str, &str)],
    arguments: &[&str],
    input: &str,
) -> Output {
    let mut process = Command::new(env!("CARGO_BIN_EXE_pauta"))
        .args(arguments)
        .env_clear()
        .envs(settings.iter().copied())
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut pipe = process.stdin.take().expect("a pipe");
    // It may refuse without reading.
    let _ = pipe.write_all(input.as_bytes());
    drop(pipe);
    process.wait_with_output().expect("it runs")
}

/// What it said, on either stream.
fn said(output: &Output) -> String {
    let bytes = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8(bytes).expect("text")
}

/// Words of the system, of libraries and of Rust, which no operator should have to read.
#[track_caller]
fn in_portuguese(text: &str) {
    for foreign in [
        "error",
        "Error",
        "panicked",
        "Usage",
        "Options",
        "OPTIONS",
        "Commands",
        "Arguments",
        "failed",
        "denied",
        "exists",
        "required",
        "unexpected",
        "default",
        "Some(",
        "None",
        "Err(",
    ] {
        assert!(!text.contains(foreign), "{foreign}: {text}");
    }
}
