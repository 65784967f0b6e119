//! `pauta backup` and `pauta restore`: the database, the secret and the media of an installation.
//!
//! A backup is a folder that is renamed to its final name when it is complete. A restore writes the
//! database file last: until then no service can start on it, and a repeated restore continues
//! where the first one stopped.

mod make;
mod manifest;
mod restore;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

pub(super) use make::Backup;
pub(super) use restore::Restore;

use super::terminal::out;
use crate::config::Config;

const SPECIAL: &AsciiSet = &CONTROLS.add(b'%').add(b'?').add(b'#').add(b' ');
const DATABASE: &str = "pauta.db";
const SECRET: &str = "pauta.secret";
const MEDIA: &str = "media";
const MANIFEST: &str = "manifest.json";

/// The argument with the folder of a backup.
#[derive(Args)]
struct Place {
    /// Pasta da cópia.
    #[arg(value_name = "PASTA")]
    place: PathBuf,
}

/// Returns the file of the embedded database. Fails with PostgreSQL, which has its own backup tools.
fn require_embedded(config: &Config) -> Result<PathBuf> {
    let Some(file) = config.database_file() else {
        bail!(
            "com PostgreSQL, copie o banco com `pg_dump` e restaure com `pg_restore`; guarde também \
             PAUTA_SECRET e o que está em PAUTA_STORAGE"
        );
    };
    Ok(file)
}

/// Prints the ids of the keys that encrypt secrets in the database.
pub(super) fn print_keys(keys: &[String]) {
    if !keys.is_empty() {
        out!(
            "Chaves de que os segredos guardados precisam: {}. As `mestre-` vêm do segredo mestre; as \
             outras, de PAUTA_KEYRING, que não vai na cópia: guarde-a à parte.",
            keys.join(", ")
        );
    }
}

/// Returns the auxiliary files of SQLite beside the database file.
fn auxiliary_files(file: &Path) -> impl Iterator<Item = PathBuf> {
    ["-wal", "-shm", "-journal"].into_iter().map(|ending| {
        let mut path = file.as_os_str().to_owned();
        path.push(ending);
        path.into()
    })
}

/// Returns the SQLite URL of a database file, percent-encoded.
fn database_url(file: &Path) -> String {
    let path = file.to_string_lossy();
    format!("sqlite://{}", utf8_percent_encode(&path, SPECIAL))
}
