//! Opens connections to a database file.

use std::{path::PathBuf, time::Duration};

use rusqlite::{Connection, OpenFlags, Result};
use sea_orm::{DbErr, RuntimeErr};

/// The number of cached statements per connection: enough for all statements of the service,
/// including those built from filters.
const STATEMENTS: usize = 256;

/// A database file and its access mode.
#[derive(Debug)]
pub(super) struct File {
    path: PathBuf,
    read_only: bool,
}

impl File {
    /// Parses `sqlite://path`; `?mode=ro` opens the file read-only.
    pub fn parse(url: &str) -> Result<Self, DbErr> {
        let path = url.strip_prefix("sqlite://").unwrap_or(url);
        let (path, mode) = path.split_once('?').unwrap_or((path, "mode=rwc"));
        if !["mode=ro", "mode=rw", "mode=rwc"].contains(&mode) {
            let text = format!("parâmetro desconhecido no endereço do banco de dados: {mode}");
            return Err(DbErr::Conn(RuntimeErr::Internal(text)));
        }
        Ok(Self {
            path: PathBuf::from(percent_decode(path)),
            read_only: mode == "mode=ro",
        })
    }

    /// Opens the first connection: creates the file and sets WAL mode.
    pub fn open_first(&self) -> Result<Connection> {
        if self.read_only {
            return self.open_writer();
        }
        let connection = self
            .open_with_flags(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        Ok(connection)
    }

    /// Opens a connection that can write to an existing file.
    pub fn open_writer(&self) -> Result<Connection> {
        self.open_with_flags(if self.read_only {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        } else {
            OpenFlags::SQLITE_OPEN_READ_WRITE
        })
    }

    /// Opens a connection that cannot write.
    pub fn open_reader(&self) -> Result<Connection> {
        self.open_with_flags(OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    fn open_with_flags(&self, how: OpenFlags) -> Result<Connection> {
        // SQLite's mutex is unnecessary, because only one thread at a time uses a connection.
        let connection =
            Connection::open_with_flags(&self.path, how | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(Duration::ZERO)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection.pragma_update(None, "foreign_keys", true)?;
        // A commit is synced to disk before it is acknowledged, so that a power failure cannot undo
        // a revocation.
        connection.pragma_update(None, "synchronous", "full")?;
        Ok(connection)
    }
}

/// Decodes percent-encoding: `%41` is `A`.
fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        plain.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}
