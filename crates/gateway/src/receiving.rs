//! Receives a file piece by piece. Every way into the service (a form, a signed link, a download,
//! a file in the arguments of a tool) uses this receiver, so each file passes the same checks.

use std::{io::Write, sync::Arc};

use ports::BlobStore;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use tokio::task::{JoinHandle, spawn_blocking};

use super::{Code, Error, FileField, FileType, ReceivedFile, Result};

/// The number of bytes of a file that are buffered before they are written.
const PIECE: usize = 128 << 10;

/// Writes and hashes a file in pieces on a blocking thread, and checks its type and size while it
/// arrives. While one piece is written, the next one is buffered.
pub struct FileReceiver {
    rule: FileField,
    name: String,
    blobs: Arc<dyn BlobStore>,
    head: Vec<u8>,
    file_type: Option<FileType>,
    bytes: u64,
    piece: Vec<u8>,
    writing: Option<JoinHandle<Result<Written>>>,
}

/// The file and hash of the pieces that are already written.
struct Written {
    file: NamedTempFile,
    digest: Sha256,
}

impl FileReceiver {
    /// Begins to receive a file by the rule of its field. `name` is the name that the sender gave
    /// the file; empty if there is none.
    #[must_use]
    pub fn new(rule: FileField, name: String, blobs: Arc<dyn BlobStore>) -> Self {
        Self {
            rule,
            name,
            blobs,
            head: vec![],
            file_type: None,
            bytes: 0,
            piece: vec![],
            writing: None,
        }
    }

    /// Takes the next bytes of the file.
    ///
    /// Fails with 415 as soon as the detected type is not accepted, and with 413 as soon as the
    /// file is longer than its type allows.
    pub async fn push(&mut self, chunk: &[u8]) -> Result<()> {
        if self.head.len() < FileField::HEAD {
            let missing = FileField::HEAD - self.head.len();
            self.head
                .extend_from_slice(&chunk[..chunk.len().min(missing)]);
        }
        if self.file_type.is_none() && self.head.len() >= FileField::HEAD {
            self.file_type = Some((self.rule.judge)(&self.head)?);
        }
        self.bytes += chunk.len() as u64;
        let limit = self
            .file_type
            .map_or(self.rule.longest, |file_type| file_type.limit);
        if self.bytes > limit {
            return Err(too_long_error(limit));
        }
        self.piece.extend_from_slice(chunk);
        if self.piece.len() < PIECE {
            return Ok(());
        }
        self.start_write().await
    }

    /// Completes the file after its last bytes.
    ///
    /// Fails with 400 if the file is empty, and with 415 if its type is not accepted.
    pub async fn finish(mut self) -> Result<ReceivedFile> {
        if self.bytes == 0 {
            return Err(Error::invalid_field(
                self.rule.name,
                "minLength",
                "está vazio",
            ));
        }
        let file_type = match self.file_type {
            Some(file_type) => file_type,
            None => (self.rule.judge)(&self.head)?,
        };
        if self.bytes > file_type.limit {
            return Err(too_long_error(file_type.limit));
        }
        self.start_write().await?;
        let writing = self.writing.take();
        let writing = writing.ok_or_else(|| Error::internal("nothing was written"))?;
        let Written { file, digest } = join_write(writing).await?;
        Ok(ReceivedFile {
            file: Box::new(file),
            name: self.name,
            file_type,
            sha256: domain::hex(&digest.finalize()),
            bytes: self.bytes,
        })
    }

    /// Starts writing the buffered piece, after the previous one has been written.
    async fn start_write(&mut self) -> Result<()> {
        let written = match self.writing.take() {
            None => None,
            Some(writing) => Some(join_write(writing).await?),
        };
        let piece = std::mem::take(&mut self.piece);
        let blobs = self.blobs.clone();
        self.writing = Some(spawn_blocking(move || {
            let mut written = match written {
                Some(written) => written,
                None => Written {
                    file: blobs.create_temporary_file()?,
                    digest: Sha256::new(),
                },
            };
            written.digest.update(&piece);
            written.file.write_all(&piece).map_err(Error::internal)?;
            Ok(written)
        }));
        Ok(())
    }
}

fn too_long_error(limit: u64) -> Error {
    Error::new(Code::PAYLOAD_TOO_LARGE)
        .because(format!("O arquivo passa de {limit} bytes."))
        .with_detail("limit", limit.into())
}

async fn join_write(writing: JoinHandle<Result<Written>>) -> Result<Written> {
    writing.await.map_err(Error::internal)?
}
