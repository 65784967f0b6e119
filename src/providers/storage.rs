//! The storage of media bytes, through `object_store`.

use std::{ops::Range, path::Path, sync::Arc};

use anyhow::{Context, ensure};
use async_trait::async_trait;
use bytes::Bytes;
use futures::StreamExt;
use object_store::{
    GetOptions, ObjectStore, ObjectStoreExt, PutPayload, local::LocalFileSystem,
    path::Path as StorePath,
};
use tokio::io::AsyncReadExt;
use tools::{
    ports::{BlobStore, ByteStream},
    registry::{Error, Result},
};

/// Bytes read and sent at once.
const PART: usize = 8 << 20;

/// A folder of files, each written beside and renamed.
pub struct Storage(Arc<dyn ObjectStore>);

impl Storage {
    /// Opens the folder, and makes it when it is not there, for its owner alone.
    pub fn open(location: &Path) -> anyhow::Result<Self> {
        ensure!(
            !location.to_string_lossy().contains("://"),
            "PAUTA_STORAGE deve ser uma pasta"
        );
        crate::app::make_private(location)
            .with_context(|| format!("a pasta {} não pôde ser criada", location.display()))?;
        let files = LocalFileSystem::new_with_prefix(location)
            .with_context(|| format!("a pasta {} não pôde ser aberta", location.display()))?;
        Ok(Self(Arc::new(files.with_automatic_cleanup(true))))
    }
}

#[async_trait]
impl BlobStore for Storage {
    async fn put(&self, path: &str, bytes: Bytes) -> Result<()> {
        let path = StorePath::from(path);
        self.0
            .put(&path, PutPayload::from_bytes(bytes))
            .await
            .map_err(Error::internal)?;
        Ok(())
    }

    async fn put_file(&self, path: &str, file: &Path) -> Result<()> {
        let mut file = tokio::fs::File::open(file).await.map_err(Error::internal)?;
        let mut upload = self
            .0
            .put_multipart(&StorePath::from(path))
            .await
            .map_err(Error::internal)?;
        let sent = async {
            loop {
                let mut part = Vec::with_capacity(PART);
                let read = (&mut file)
                    .take(PART as u64)
                    .read_to_end(&mut part)
                    .await
                    .map_err(Error::internal)?;
                if read == 0 {
                    break;
                }
                upload
                    .put_part(part.into())
                    .await
                    .map_err(Error::internal)?;
            }
            upload.complete().await.map_err(Error::internal)
        };
        if let Err(error) = sent.await {
            // What was sent so far must not stay.
            let _ = upload.abort().await;
            return Err(error);
        }
        Ok(())
    }

    async fn read(&self, path: &str, range: Range<u64>) -> Result<Option<ByteStream>> {
        let options = GetOptions {
            range: Some(range.into()),
            ..GetOptions::default()
        };
        match self.0.get_opts(&StorePath::from(path), options).await {
            Ok(found) => Ok(Some(
                found
                    .into_stream()
                    .map(|part| part.map_err(Error::internal))
                    .boxed(),
            )),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(Error::internal(error)),
        }
    }

    async fn delete(&self, path: &str) -> Result<()> {
        match self.0.delete(&StorePath::from(path)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(Error::internal(error)),
        }
    }

    async fn check(&self) -> Result<()> {
        match self.0.head(&StorePath::from("readiness")).await {
            Ok(_) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(Error::internal(error)),
        }
    }
}
