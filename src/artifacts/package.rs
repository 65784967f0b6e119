//! Folders as zip archives.

use std::io::{Cursor, Write};

use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

/// Packs files into a zip archive with one folder. The files are sorted, uncompressed, and have a fixed
/// date and mode, so that the archive is the same on every machine.
pub(super) fn zip_folder(folder: &str, mut files: Vec<(&'static str, Vec<u8>)>) -> Vec<u8> {
    files.sort_unstable_by_key(|(path, _)| *path);
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut archive = ZipWriter::new(Cursor::new(vec![]));
    for (path, bytes) in files {
        archive
            .start_file(format!("{folder}/{path}"), options)
            .and_then(|()| Ok(archive.write_all(&bytes)?))
            .expect("memory is writable");
    }
    archive.finish().expect("memory is writable").into_inner()
}
