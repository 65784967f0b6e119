//! Temporary files: uploads from clients, downloads from providers, and files that are being
//! written to the media folder.
//!
//! Each process has its own folder with a file that it keeps locked. The lock ends with the
//! process, even after a crash, so the next start recognises abandoned files.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use tempfile::{Builder, NamedTempFile, TempDir};

use crate::private;

/// The name of the lock file. In the folder of a process, it is locked while the process runs. In
/// the shared folder, it is locked while a process creates its folder or sweeps.
const LOCK: &str = "lock";

/// The shared folder of temporary files. Several processes may use it.
pub struct Spool {
    place: PathBuf,
    /// The folder of this process, created with the first file.
    own: Mutex<Option<Own>>,
}

/// The folder of one process.
struct Own {
    folder: TempDir,
    _lock: File,
}

impl Spool {
    #[must_use]
    pub fn in_folder(place: PathBuf) -> Self {
        Self {
            place,
            own: Mutex::default(),
        }
    }

    /// Creates a file that is deleted when dropped.
    pub fn new_file(&self) -> io::Result<NamedTempFile> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = &*own {
            match own.new_file() {
                // The folder was removed, so a new one is created.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                made => return made,
            }
        }
        own.insert(self.create_own_folder()?).new_file()
    }

    /// Removes the folders of processes that have ended. Returns the number of files in them.
    pub fn sweep_abandoned(&self) -> io::Result<usize> {
        if !self.place.is_dir() {
            return Ok(0);
        }
        let _turn = self.lock_shared_folder()?;
        let mut files = 0;
        for entry in fs::read_dir(&self.place)? {
            let folder = entry?.path();
            if folder.is_dir() && is_abandoned(&folder) {
                let left = fs::read_dir(&folder)?.flatten();
                files += left.filter(|entry| entry.file_name() != LOCK).count();
                fs::remove_dir_all(&folder)?;
            }
        }
        Ok(files)
    }

    /// Whether the shared folder is on an in-memory file system, which a large upload could fill.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        #[cfg(target_os = "linux")]
        {
            const TMPFS: u64 = 0x0102_1994;
            const RAMFS: u64 = 0x8584_58f6;
            let there = self.place.ancestors().find(|path| path.exists());
            let found = there.and_then(|path| rustix::fs::statfs(path).ok());
            found.is_some_and(|found| [TMPFS, RAMFS].contains(&u64::from(found.f_type as u32)))
        }
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// Returns the path of the shared folder.
    #[must_use]
    pub fn folder_path(&self) -> &Path {
        &self.place
    }

    fn create_own_folder(&self) -> io::Result<Own> {
        private::create_folder(&self.place).map_err(io::Error::other)?;
        let _turn = self.lock_shared_folder()?;
        let folder = private::temporary_folder_in(&self.place, "")?;
        let lock = private::create_file(&folder.path().join(LOCK))?;
        // If the system has no file locks, a sweep cannot take one either, and removes nothing.
        let _ = lock.try_lock();
        Ok(Own {
            folder,
            _lock: lock,
        })
    }

    /// Locks the shared folder for creating a folder or sweeping, so that a sweep never sees a
    /// folder that is not locked yet.
    fn lock_shared_folder(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(self.place.join(LOCK))?;
        file.lock()?;
        Ok(file)
    }
}

impl Own {
    fn new_file(&self) -> io::Result<NamedTempFile> {
        let mut builder = Builder::new();
        // The folder is private. The file itself gets the usual mode (umask), because it may become
        // a stored file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        builder.tempfile_in(self.folder.path())
    }
}

/// Whether the process that owns this folder has ended.
fn is_abandoned(folder: &Path) -> bool {
    match OpenOptions::new().write(true).open(folder.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_files(place: &Path) -> usize {
        let folders = fs::read_dir(place).expect("a place").flatten();
        let folders = folders.filter(|entry| entry.path().is_dir());
        let count = |folder: fs::DirEntry| fs::read_dir(folder.path()).expect("a folder").count();
        // Excludes the lock files.
        folders.map(|folder| count(folder) - 1).sum()
    }

    #[test]
    fn a_sweep_removes_only_the_files_of_ended_processes() {
        let place = tempfile::tempdir().expect("a folder");
        let at = place.path().join("incoming");
        let (living, ended) = (Spool::in_folder(at.clone()), Spool::in_folder(at.clone()));
        assert_eq!(living.sweep_abandoned().expect("there is nothing"), 0);
        let kept = living.new_file().expect("a file");
        let left = ended.new_file().expect("a file");
        // The state after a kill: the files exist, and the lock is free.
        let Some(own) = ended.own.lock().expect("no panic").take() else {
            panic!("the ended process has a folder");
        };
        let _folder = own.folder.keep();
        drop(own._lock);
        let _path = left.into_temp_path().keep();
        assert_eq!(count_files(&at), 2);
        assert_eq!(
            Spool::in_folder(at.clone())
                .sweep_abandoned()
                .expect("sweeps"),
            1
        );
        assert!(kept.path().exists());
        assert_eq!(
            living.sweep_abandoned().expect("sweeps"),
            0,
            "a process does not sweep its own folder"
        );
        assert_eq!(count_files(&at), 1);
        drop(living);
        assert!(!kept.path().exists());
    }

    #[test]
    fn a_removed_folder_is_created_again() {
        let place = tempfile::tempdir().expect("a folder");
        let spool = Spool::in_folder(place.path().join("incoming"));
        drop(spool.new_file().expect("a file"));
        fs::remove_dir_all(spool.folder_path()).expect("it was there");
        assert!(spool.new_file().expect("another").path().exists());
    }
}
