//! Stores media through `object_store`, in a folder or an S3 bucket.

use std::{
    fs,
    io::{self, ErrorKind, Read, Seek, SeekFrom, Write},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use async_trait::async_trait;
use bytes::Bytes;
use futures::{StreamExt, stream};
use gateway::{Code, Error, Result};
use object_store::{
    BackoffConfig, ClientOptions, GetOptions, GetResult, GetResultPayload, MultipartUpload,
    ObjectStore, ObjectStoreExt, PutPayload, RetryConfig, aws::AmazonS3Builder,
    local::LocalFileSystem, path::Path as StorePath, prefix::PrefixStore,
};
use ports::{BlobStore, ByteStream};
use tempfile::NamedTempFile;
use tokio::{
    fs::File,
    io::{AsyncRead, AsyncReadExt},
    task::spawn_blocking,
};

use super::spool::Spool;
use crate::{
    config::{Config, S3Bucket, StorageLocation},
    private,
};

/// Bytes of a multipart upload part; S3 requires at least 5 MiB for all but the last.
const PART: usize = 8 << 20;
/// Bytes of a file that are read at once.
const PIECE: u64 = 256 << 10;
/// The timeout of one request to a bucket. A part or an image has at most 25 MB.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Stores objects atomically. On disk, a file is written to the folder of incomplete uploads and
/// then renamed; in a bucket, the server guarantees atomicity.
pub struct Storage {
    objects: Arc<dyn ObjectStore>,
    /// The media folder; `None` for a bucket.
    folder: Option<PathBuf>,
    spool: Arc<Spool>,
}

/// `Retry-After` while the storage is unavailable, in seconds.
const RETRY: u64 = 5;

impl Storage {
    /// Opens the configured folder or bucket. A missing folder is created, readable only by its
    /// owner; a bucket must exist.
    pub fn open(config: &Config) -> anyhow::Result<Self> {
        let spool = Arc::new(Spool::in_folder(config.incoming.clone()));
        Ok(match &config.storage {
            StorageLocation::Folder(path) => Self {
                objects: Arc::new(open_folder(path)?),
                folder: Some(path.clone()),
                spool,
            },
            StorageLocation::S3(bucket) => {
                let store = open_bucket(bucket).with_context(|| {
                    format!("o bucket {} não pôde ser configurado", bucket.bucket)
                })?;
                Self {
                    objects: Arc::new(PrefixStore::new(store, bucket.prefix.as_str())),
                    folder: None,
                    spool,
                }
            }
        })
    }

    /// Writes and syncs a temporary file and renames it to `target`. The write completes even if
    /// the caller is dropped.
    async fn write_file<F>(&self, target: PathBuf, fill: F) -> Result<()>
    where
        F: FnOnce(&mut fs::File) -> io::Result<()> + Send + 'static,
    {
        let spool = self.spool.clone();
        let written = spawn_blocking(move || {
            let mut file = spool.new_file()?;
            fill(file.as_file_mut())?;
            file.as_file().sync_all()?;
            persist(file, &target)
        });
        written
            .await
            .map_err(Error::internal)?
            .map_err(Error::internal)
    }
}

/// Renames a written file to its target and creates missing folders.
fn persist(mut file: NamedTempFile, target: &Path) -> io::Result<()> {
    // Retries, because another process removes a folder with its last file, possibly at this
    // moment.
    const TRIES: usize = 10;
    let folder = target.parent().unwrap_or(target);
    for _ in 0..TRIES {
        let is_new = !folder.is_dir();
        fs::create_dir_all(folder)?;
        match file.persist(target) {
            Ok(_) => {
                let made = folder.ancestors().take(if is_new { LEVELS } else { 1 });
                return made
                    .map(fs::File::open)
                    .try_for_each(|made| made?.sync_all());
            }
            Err(error) if error.error.kind() == ErrorKind::NotFound => file = error.file,
            Err(error) => return Err(error.error),
        }
    }
    Err(ErrorKind::NotFound.into())
}

/// The number of folders to sync above a new file: the folders that may be new, and their parent.
const LEVELS: usize = 3;

fn open_folder(path: &Path) -> anyhow::Result<LocalFileSystem> {
    private::create_folder(path)?;
    let files = LocalFileSystem::new_with_prefix(path)
        .with_context(|| format!("a pasta {} não pôde ser aberta", path.display()))?;
    Ok(files.with_automatic_cleanup(true))
}

fn open_bucket(bucket: &S3Bucket) -> object_store::Result<impl ObjectStore> {
    let mut builder = AmazonS3Builder::from_env()
        .with_bucket_name(&bucket.bucket)
        .with_client_options(
            ClientOptions::new()
                .with_connect_timeout(Duration::from_secs(5))
                .with_timeout(TIMEOUT),
        )
        .with_retry(RetryConfig {
            backoff: BackoffConfig::default(),
            max_retries: 2,
            retry_timeout: TIMEOUT,
        });
    if let Some(endpoint) = &bucket.endpoint {
        builder = builder
            .with_allow_http(endpoint.starts_with("http://"))
            .with_endpoint(endpoint);
    }
    if let Some(region) = &bucket.region {
        builder = builder.with_region(region);
    }
    if let Some((id, secret)) = &bucket.credential {
        builder = builder
            .with_access_key_id(id)
            .with_secret_access_key(secret);
    }
    builder.build()
}

#[async_trait]
impl BlobStore for Storage {
    fn create_temporary_file(&self) -> Result<NamedTempFile> {
        self.spool.new_file().map_err(Error::internal)
    }

    fn delete_temporary_files(&self) -> Result<usize> {
        self.spool.sweep_abandoned().map_err(Error::internal)
    }

    async fn store_bytes(&self, path: &str, bytes: Bytes) -> Result<()> {
        if let Some(folder) = &self.folder {
            let fill = move |file: &mut fs::File| file.write_all(&bytes);
            return self.write_file(folder.join(path), fill).await;
        }
        let payload = PutPayload::from_bytes(bytes);
        let put = self.objects.put(&StorePath::from(path), payload).await;
        put.map(drop).map_err(Error::internal)
    }

    async fn store_file(&self, path: &str, file: &Path) -> Result<()> {
        if let Some(folder) = &self.folder {
            let mut from = fs::File::open(file).map_err(Error::internal)?;
            let fill = move |file: &mut fs::File| io::copy(&mut from, file).map(drop);
            return self.write_file(folder.join(path), fill).await;
        }
        let mut file = File::open(file).await.map_err(Error::internal)?;
        let first = read_part(&mut file).await?;
        if first.len() < PART {
            return self.store_bytes(path, first).await;
        }
        let upload = self.objects.put_multipart(&StorePath::from(path)).await;
        let mut upload = upload.map_err(Error::internal)?;
        let sent = upload_parts(upload.as_mut(), first, &mut file).await;
        if sent.is_err() {
            // Deletes the parts that were already uploaded.
            let _ = upload.abort().await;
        }
        sent
    }

    async fn read_range(&self, path: &str, range: Range<u64>) -> Result<Option<ByteStream>> {
        let options = GetOptions {
            range: Some(range.into()),
            ..GetOptions::default()
        };
        match self.objects.get_opts(&StorePath::from(path), options).await {
            Ok(GetResult {
                payload: GetResultPayload::File(file, _),
                range,
                ..
            }) => Ok(Some(stream_range(file, range))),
            Ok(found) => Ok(Some(
                found
                    .into_stream()
                    .map(|part| part.map_err(Error::internal))
                    .boxed(),
            )),
            Err(object_store::Error::NotFound { .. }) => {
                // The server's response is the same for a missing bucket and for a missing object.
                self.check_available().await.map_err(unavailable_error)?;
                Ok(None)
            }
            Err(error) => Err(unavailable_error(error)),
        }
    }

    async fn delete(&self, path: &str) -> Result<()> {
        match self.objects.delete(&StorePath::from(path)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(Error::internal(error)),
        }
    }

    async fn check_available(&self) -> Result<()> {
        if let Some(folder) = &self.folder {
            // `list` would return no objects for a missing folder.
            return tokio::fs::read_dir(folder)
                .await
                .map(drop)
                .map_err(Error::internal);
        }
        // The response to HEAD is the same for a missing bucket and for a missing object, so the
        // check lists.
        let mut listed = self.objects.list(Some(&StorePath::from("sha256/00")));
        match listed.next().await {
            None | Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(Error::internal(error)),
        }
    }

    async fn is_empty(&self) -> Result<bool> {
        let Some(folder) = &self.folder else {
            return Ok(false);
        };
        match tokio::fs::read_dir(folder.join("sha256")).await {
            Ok(mut entries) => {
                let first = entries.next_entry().await.map_err(Error::internal)?;
                Ok(first.is_none())
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
            Err(error) => Err(Error::internal(error)),
        }
    }
}

/// Returns the error for storage that does not respond.
fn unavailable_error(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(Code::STORAGE_UNAVAILABLE)
        .with_retry_after(RETRY)
        .caused_by(cause)
}

/// Streams a range of a file. The library's stream would read only 8 KiB per blocking call.
fn stream_range(file: std::fs::File, range: Range<u64>) -> ByteStream {
    stream::try_unfold((file, range), |(mut file, range)| async move {
        if range.is_empty() {
            return Ok(None);
        }
        let read = spawn_blocking(move || {
            let length = (range.end - range.start).min(PIECE);
            let mut piece = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
            file.seek(SeekFrom::Start(range.start))?;
            let read = (&mut file).take(length).read_to_end(&mut piece)? as u64;
            if read < length {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            std::io::Result::Ok((Bytes::from(piece), (file, range.start + read..range.end)))
        });
        read.await
            .map_err(Error::internal)?
            .map(Some)
            .map_err(Error::internal)
    })
    .boxed()
}

/// Uploads the parts in sequence, so that only one is in memory.
async fn upload_parts(
    upload: &mut dyn MultipartUpload,
    first: Bytes,
    file: &mut File,
) -> Result<()> {
    let mut next = first;
    while !next.is_empty() {
        upload
            .put_part(next.into())
            .await
            .map_err(Error::internal)?;
        next = read_part(file).await?;
    }
    upload.complete().await.map(drop).map_err(Error::internal)
}

/// Reads the next part of the file; the last one is shorter.
async fn read_part(file: &mut (impl AsyncRead + Unpin)) -> Result<Bytes> {
    let mut part = Vec::new();
    let mut rest = file.take(PART as u64);
    rest.read_to_end(&mut part).await.map_err(Error::internal)?;
    Ok(part.into())
}
