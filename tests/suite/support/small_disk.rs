//! Runs a test on a file system of a limited size.

use std::{path::PathBuf, process::Command};

const FOLDER: &str = "PAUTA_TEST_SMALL_DISK";

/// Runs the named test again in a mount namespace that has a folder on a file system of this size.
/// Returns the folder in that inner run, and `None` in the outer run.
///
/// Requires a Linux on which users may create namespaces (`unshare -Urm`).
pub fn rerun_on_small_disk(test: &str, size: &str) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return Some(folder.into());
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = "mount -t tmpfs -o size=\"$4\" tmpfs \"$1\" && exec \"$2\" --exact \"$3\"";
    let output = Command::new("unshare")
        .args(["-Urm", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .arg(std::env::current_exe().expect("this test"))
        .args([test, size])
        .env(FOLDER, folder.path())
        .output()
        .expect("unshare, of util-linux, runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    assert!(text.contains("1 passed"), "{text}");
    None
}
