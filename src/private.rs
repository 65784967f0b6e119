//! Creates files and folders that only their owner can read, whatever the umask and the parent
//! folder.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};

const FILE: u32 = 0o600;
const FOLDER: u32 = 0o700;

/// Creates the folder and files of an embedded database, or restricts existing ones to their owner.
///
/// The database file comes first, because SQLite copies its permissions to the files beside it.
pub(crate) fn protect_database_files(file: &Path) -> Result<()> {
    if let Some(folder) = file.parent().filter(|path| !path.as_os_str().is_empty()) {
        create_folder(folder)?;
    }
    match create_file(file) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => restrict(file, FILE),
        Err(error) => {
            return Err(error).with_context(|| {
                format!("o banco de dados {} não pôde ser criado", file.display())
            });
        }
    }
    for beside in ["-wal", "-shm", "-journal"] {
        let mut path = file.as_os_str().to_owned();
        path.push(beside);
        restrict(Path::new(&path), FILE);
    }
    Ok(())
}

/// Creates a temporary folder, which is deleted when dropped.
pub(crate) fn temporary_folder() -> io::Result<tempfile::TempDir> {
    temporary_folder_in(&std::env::temp_dir(), ".tmp")
}

/// Creates a temporary folder inside `folder`.
pub(crate) fn temporary_folder_in(folder: &Path, prefix: &str) -> io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(fs::Permissions::from_mode(FOLDER));
    builder.prefix(prefix).tempdir_in(folder)
}

/// Locks an embedded database against other services until the returned file is dropped. The lock
/// is on a separate file, because closing the database file would release SQLite's locks.
pub(crate) fn lock_database(database: &Path) -> Result<fs::File> {
    let path = &lock_path(database);
    if let Some(folder) = path.parent().filter(|path| !path.as_os_str().is_empty()) {
        create_folder(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    options.mode(FILE);
    let failed = || format!("{} não pôde ser aberto", path.display());
    let file = options.open(path).with_context(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => bail!(
            "outro `pauta serve` já usa {}; pare-o antes, ou use PostgreSQL para ter várias instâncias",
            database.display()
        ),
        Err(fs::TryLockError::Error(error)) => Err(error).with_context(failed),
    }
}

/// Writes the URL of the service to the lock file, where other commands read it.
pub(crate) fn write_service_url(mut held: &fs::File, url: &str) -> io::Result<()> {
    held.set_len(0)?;
    held.write_all(url.as_bytes())
}

/// Reads the URL of the running service of an embedded database; `None` if none is running.
pub(crate) fn read_service_url(database: &Path) -> Option<String> {
    let path = lock_path(database);
    let file = fs::File::open(&path).ok()?;
    // A lock file that is not locked was left by a service that has ended.
    let Err(fs::TryLockError::WouldBlock) = file.try_lock_shared() else {
        return None;
    };
    let url = fs::read_to_string(&path).ok()?;
    Some(url).filter(|url| !url.is_empty())
}

fn lock_path(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push("-serve");
    path.into()
}

/// Creates a file; fails if it exists.
pub(crate) fn create_file(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    options.mode(FILE);
    options.open(path)
}

/// Restricts an existing file to its owner.
pub(crate) fn restrict_to_owner(path: &Path) {
    restrict(path, FILE);
}

/// Creates a folder if it does not exist. The permissions of an existing folder are left to the
/// operator.
pub(crate) fn create_folder(folder: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(FOLDER);
    builder.create(folder).with_context(|| {
        format!(
            "a pasta {} não pôde ser criada; confira PAUTA_DATABASE_URL e PAUTA_STORAGE",
            folder.display()
        )
    })
}

/// Removes permissions beyond `most` from an existing file. If another user owns the file, logs a
/// warning.
#[cfg(unix)]
fn restrict(path: &Path, most: u32) {
    let Some(found) = fs::metadata(path).ok().filter(fs::Metadata::is_file) else {
        return;
    };
    let mode = found.permissions().mode() & 0o7777;
    if mode & 0o777 & !most == 0 {
        return;
    }
    if let Err(error) = fs::set_permissions(path, fs::Permissions::from_mode(mode & most)) {
        tracing::warn!(path = %path.display(), %error, "outros usuários podem ler este arquivo");
    }
}

#[cfg(not(unix))]
fn restrict(_: &Path, _: u32) {}
