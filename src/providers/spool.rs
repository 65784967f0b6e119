//! Incomplete files: uploads from clients, downloads from providers, and files that are not yet
//! complete in a folder of media.
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

/// The name of the lock file. In the folder of a process, the process holds its lock as long as it
/// runs. In the shared place, a process holds it while it creates its folder or sweeps.
const LOCK: &str = "lock";

/// The place of incomplete files. Several processes may share it.
pub struct Spool {
    place: PathBuf,
    /// Created with the first file.
    own: Mutex<Option<Own>>,
}

/// The folder of this process.
struct Own {
    folder: TempDir,
    _lock: File,
}

impl Spool {
    #[must_use]
    pub fn at(place: PathBuf) -> Self {
        Self {
            place,
            own: Mutex::default(),
        }
    }

    /// A new file, deleted when it is dropped.
    pub fn file(&self) -> io::Result<NamedTempFile> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = &*own {
            match own.file() {
                // The folder has been removed, so a new one is created.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                made => return made,
            }
        }
        own.insert(self.open()?).file()
    }

    /// Removes the folders of processes that have ended. Returns how many files they contained.
    pub fn sweep(&self) -> io::Result<usize> {
        if !self.place.is_dir() {
            return Ok(0);
        }
        let _turn = self.turn()?;
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

    /// Whether the place is on an in-memory file system, which a large upload could exhaust.
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

    /// The configured path of the place.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    fn open(&self) -> io::Result<Own> {
        private::make(&self.place).map_err(io::Error::other)?;
        let _turn = self.turn()?;
        let folder = private::temporary_in(&self.place, "")?;
        let lock = private::create(&folder.path().join(LOCK))?;
        // If the system has no locks, a sweep cannot get one either, and keeps every folder.
        let _ = lock.try_lock();
        Ok(Own {
            folder,
            _lock: lock,
        })
    }

    /// The lock for creating a folder or sweeping. A sweep therefore never finds a folder that is
    /// not locked yet.
    fn turn(&self) -> io::Result<File> {
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
    fn file(&self) -> io::Result<NamedTempFile> {
        let mut builder = Builder::new();
        // The folder is private. A stored file gets the usual mode, according to the umask.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        builder.tempfile_in(self.folder.path())
    }
}

/// Whether the process of this folder has ended.
fn is_abandoned(folder: &Path) -> bool {
    match OpenOptions::new().write(true).open(folder.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(place: &Path) -> usize {
        let folders = fs::read_dir(place).expect("a place").flatten();
        let folders = folders.filter(|entry| entry.path().is_dir());
        let count = |folder: fs::DirEntry| fs::read_dir(folder.path()).expect("a folder").count();
        // The lock files are not counted.
        folders.map(|folder| count(folder) - 1).sum()
    }

    #[test]
    fn a_sweep_removes_the_files_of_ended_processes_and_of_no_other() {
        let place = tempfile::tempdir().expect("a folder");
        let at = place.path().join("incoming");
        let (living, ended) = (Spool::at(at.clone()), Spool::at(at.clone()));
        assert_eq!(living.sweep().expect("there is nothing"), 0);
        let kept = living.file().expect("a file");
        let left = ended.file().expect("a file");
        // The state after a kill: the files exist, and the lock does not.
        let Some(own) = ended.own.lock().expect("no panic").take() else {
            panic!("it has a folder");
        };
        let _folder = own.folder.keep();
        drop(own._lock);
        let _path = left.into_temp_path().keep();
        assert_eq!(files(&at), 2);
        assert_eq!(Spool::at(at.clone()).sweep().expect("sweeps"), 1);
        assert!(kept.path().exists());
        assert_eq!(living.sweep().expect("sweeps"), 0, "its own folder");
        assert_eq!(files(&at), 1);
        drop(living);
        assert!(!kept.path().exists());
    }

    #[test]
    fn a_folder_that_somebody_removed_is_made_again() {
        let place = tempfile::tempdir().expect("a folder");
        let spool = Spool::at(place.path().join("incoming"));
        drop(spool.file().expect("a file"));
        fs::remove_dir_all(spool.place()).expect("it was there");
        assert!(spool.file().expect("another").path().exists());
    }
}
