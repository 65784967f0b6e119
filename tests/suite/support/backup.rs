//! Copies of a service's database.

use std::{path::PathBuf, process::Command};

use store::Db;

use super::{SECRET, TestApp};

/// A copy that `pauta backup` has made, deleted when dropped.
pub struct Backup {
    directory: tempfile::TempDir,
}

/// Makes a copy with `pauta backup`, which copies the embedded database only.
pub fn back_up(app: &TestApp) -> Backup {
    let directory = tempfile::tempdir().expect("a directory");
    let backup = Backup { directory };
    let made = Command::new(env!("CARGO_BIN_EXE_pauta"))
        .arg("backup")
        .arg(backup.folder())
        .env("PAUTA_DATABASE_URL", app.database_url())
        .env("PAUTA_STORAGE", backup.directory.path().join("media"))
        .env("PAUTA_SECRET", SECRET)
        .output()
        .expect("runs");
    let errors = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{errors}");
    backup
}

impl Backup {
    /// The folder with the files of the copy.
    pub fn folder(&self) -> PathBuf {
        self.directory.path().join("copia")
    }

    /// Opens the database of the copy.
    pub async fn open(&self) -> Db {
        let url = format!("sqlite://{}", self.folder().join("pauta.db").display());
        Db::open(&url).await.expect("opens")
    }
}
