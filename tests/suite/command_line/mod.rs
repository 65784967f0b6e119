//! The command line, tested with the binary.

mod admin;
mod backup;
mod demo;
mod doctor;
mod failures;
mod files;
mod metrics;
mod pipes;
mod relocate;
mod serving;
mod starting;
mod usage;

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// Runs the binary in a directory, with these settings and no others.
fn run_pauta(directory: &Path, settings: &[(&str, &str)], arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pauta"))
        .args(arguments)
        .env_clear()
        .envs(settings.iter().copied())
        .current_dir(directory)
        .output()
        .expect("the command runs")
}

/// Runs the binary like [`run_pauta`], with this text on standard input.
fn run_pauta_with_input(
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
        .expect("the command starts");
    let mut pipe = process.stdin.take().expect("a pipe");
    // The command may fail before it has read its input.
    let _ = pipe.write_all(input.as_bytes());
    drop(pipe);
    process.wait_with_output().expect("the command runs")
}

/// Returns the text on standard output and standard error.
fn output_text(output: &Output) -> String {
    let bytes = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8(bytes).expect("text")
}

/// Asserts that the text contains no messages of the system, of libraries or of Rust.
#[track_caller]
fn assert_portuguese(text: &str) {
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

/// Starts a demo; returns the running demo and the folder that contains its database, secret and
/// media.
fn start_demo(directory: &Path) -> (files::Running, PathBuf) {
    let demo = ["demo", "--listen", "127.0.0.1:0"];
    let running = files::start_command(directory, &demo, "Endereço");
    let entries = fs::read_dir(directory).expect("a directory");
    let mut folders = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("pauta.db").exists());
    let folder = folders.next().expect("the folder of the demo");
    (running, folder)
}

/// Returns the content of every file below a folder, by path. Leaves out incomplete uploads.
fn file_contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut found = BTreeMap::new();
    for path in paths {
        if path.ends_with(".incoming") {
            continue;
        }
        if path.is_dir() {
            found.extend(file_contents(&path));
        } else {
            let bytes = fs::read(&path).expect("a file");
            found.insert(path, bytes);
        }
    }
    found
}
