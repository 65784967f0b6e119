//! A shim that makes a server's system calls fail. It is built once with the C compiler that the
//! database needs anyway, loaded with `LD_PRELOAD`, and controlled through a mapped file.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A write fails because the disk is full (ENOSPC).
    Full = 1,
    /// A write fails (EIO).
    Broken = 2,
    /// A sync fails (EIO from fsync).
    Unsynced = 3,
    /// An allocation of the database fails.
    NoMemory = 4,
    /// Half of a write succeeds, then the disk is full.
    ShortThenFull = 5,
}

impl Fault {
    pub const ALL: [Self; 5] = [
        Self::Full,
        Self::Broken,
        Self::Unsynced,
        Self::NoMemory,
        Self::ShortThenFull,
    ];
}

/// Controls the shim of one server.
pub struct Shim {
    control: File,
    path: PathBuf,
}

impl Shim {
    pub fn new(directory: &Path) -> Self {
        let path = directory.join("faults");
        let mut options = File::options();
        let options = options.read(true).write(true).create(true);
        let control = options.truncate(true).open(&path).expect("opens");
        control.set_len(4096).expect("the file grows");
        Self { control, path }
    }

    /// Settings that the server must be started with.
    pub fn settings(&self) -> [(&'static str, String); 2] {
        [
            ("LD_PRELOAD", shim_library().display().to_string()),
            ("FAULTS_CONTROL", self.path.display().to_string()),
        ]
    }

    /// Makes `in_a_row` calls of this kind fail, beginning with the `nth` call.
    pub fn arm(&self, fault: Fault, nth: i64, in_a_row: i64) {
        self.write_slot(0, 0);
        self.write_slot(1, nth);
        self.write_slot(2, in_a_row);
        self.write_slot(3, 0);
        self.write_slot(0, fault as i64);
    }

    pub fn disarm(&self) {
        self.write_slot(0, 0);
    }

    /// Returns the number of calls that have failed since the shim was armed.
    pub fn failed_calls(&self) -> i64 {
        let mut bytes = [0; 8];
        self.control.read_exact_at(&mut bytes, 24).expect("reads");
        i64::from_le_bytes(bytes)
    }

    fn write_slot(&self, slot: u64, value: i64) {
        let bytes = value.to_le_bytes();
        self.control.write_all_at(&bytes, slot * 8).expect("writes");
    }
}

fn shim_library() -> &'static Path {
    static BUILT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = BUILT.get_or_init(|| {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("faults.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/faults/shim.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o"]);
        let built = compiler.arg(&path).arg(source).arg("-ldl").status();
        assert!(built.expect("a C compiler").success());
        (directory, path)
    });
    path
}
