//! The parts of a file in the storage, until the file is complete.

use std::path::Path;

use async_trait::async_trait;
use domain::{
    Error, UploadId, new_id,
    time::{DAY, Millis},
};
use futures::TryStreamExt;
use gateway::{FileField, FileReceiver, FileType, Held, Received, ReceivedFile, Result, Services};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::uploads::{self, Part};

use crate::media::{MediaType, uploaded_file::FIELD};

/// The file field of a part. Only the whole file has a type that can be checked.
pub(super) const PART: FileField = FileField {
    name: FIELD.name,
    judge: |_| {
        Ok(FileType {
            media_type: "application/offset+octet-stream",
            limit: MediaType::Mp4.max_bytes(),
        })
    },
    longest: MediaType::Mp4.max_bytes(),
    receive: |file, services| Box::pin(receive(file, services)),
};

/// How long an upload is kept after its end, so that its state can be read.
const KEPT: Millis = DAY;
/// Maximum uploads that one sweep deletes.
const SWEPT: i64 = 1_000;

/// A part in the storage.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StoredPart {
    pub path: String,
    pub bytes: i64,
}

async fn receive(received: ReceivedFile, services: &Services) -> Result<Received> {
    let path = format!("envios/{}", new_id(services.clock.now()));
    let file: &Path = (*received.file).as_ref();
    services.blobs.store_file(&path, file).await?;
    Ok(Received {
        value: json!({ "path": path, "bytes": received.bytes }),
        content: None,
        held: Box::new(HeldPart { path }),
    })
}

/// A part that its request has stored. It is deleted unless a row refers to it.
struct HeldPart {
    path: String,
}

#[async_trait]
impl Held for HeldPart {
    async fn release(self: Box<Self>, services: &Services) {
        match uploads::has_part(&services.db.reader(), &self.path).await {
            Ok(true) => {}
            Ok(false) => delete_blob(services, &self.path).await,
            Err(error) => {
                let error = error.0.text_with_causes();
                tracing::warn!(
                    error,
                    path = self.path,
                    "uma parte de um envio pode ter ficado na guarda"
                );
            }
        }
    }
}

/// Joins the parts of an upload to one file, which passes the same checks as a file that arrives
/// whole.
pub(super) async fn join(services: &Services, parts: &[Part]) -> Result<ReceivedFile> {
    let mut receiver = FileReceiver::new(FIELD, String::new(), services.blobs.clone());
    for part in parts {
        let range = 0..part.bytes.unsigned_abs();
        let stored = services.blobs.read_range(&part.path, range).await?;
        let mut chunks = stored.ok_or_else(|| Error::internal("a part of an upload is missing"))?;
        while let Some(encode_chunk) = chunks.try_next().await? {
            receiver.push(&encode_chunk).await?;
        }
    }
    receiver.finish().await
}

/// Deletes the parts of an upload: their rows, then their bytes.
pub(super) async fn delete_parts(services: &Services, id: &UploadId, parts: &[Part]) -> Result<()> {
    let tx = services.db.begin().await?;
    uploads::restart(&tx.conn(), id).await?;
    tx.commit().await?;
    for part in parts {
        delete_blob(services, &part.path).await;
    }
    Ok(())
}

async fn delete_blob(services: &Services, path: &str) {
    if let Err(error) = services.blobs.delete(path).await {
        let error = error.text_with_causes();
        tracing::warn!(error, path, "uma parte de um envio ficou na guarda");
    }
}

/// Deletes uploads that ended a day ago, with the parts that never became a file.
pub async fn delete_ended(services: &Services, now: Millis) -> Result<()> {
    for id in uploads::list_ended(&services.db.reader(), now - KEPT, SWEPT).await? {
        let parts = uploads::list_parts(&services.db.reader(), &id).await?;
        for part in &parts {
            services.blobs.delete(&part.path).await?;
        }
        let tx = services.db.begin().await?;
        uploads::delete(&tx.conn(), &id).await?;
        tx.commit().await?;
    }
    Ok(())
}
