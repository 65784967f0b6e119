//! The command line, as the operator runs it.

mod failures;
mod files;
mod usage;

use std::{
    path::Path,
    process::{Command, Output},
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
