//! The parts of a file in the storage, until the file is complete.

use std::path::Path;

use domain::{
    Error, UploadId,
    time::{DAY, Millis},
};
use futures::TryStreamExt;
use gateway::{FileField, FileReceiver, FileType, Received, ReceivedFile, Result, Services};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::{
    media::storage_path,
    uploads::{self, Part},
};

use crate::media::{Claim, MediaType, uploaded_file::FIELD};

/// The file field of a part. The type of a part is not checked, because only the whole file has a type.
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
    pub sha256: String,
    pub bytes: i64,
}

async fn receive(received: ReceivedFile, services: &Services) -> Result<Received> {
    let file: &Path = (*received.file).as_ref();
    let claim = Claim::write_file(services, &received.sha256, file).await?;
    Ok(Received {
        value: json!({ "sha256": received.sha256, "bytes": received.bytes }),
        content: None,
        held: Box::new(claim),
    })
}

/// Joins the parts of an upload to one file. This file passes the same checks as a file that
/// arrives in one piece.
pub(super) async fn join_parts(services: &Services, parts: &[Part]) -> Result<ReceivedFile> {
    let mut receiver = FileReceiver::new(FIELD, String::new(), services.blobs.clone());
    for part in parts {
        let range = 0..part.bytes.unsigned_abs();
        let stored = services
            .blobs
            .read_range(&storage_path(&part.sha256), range)
            .await?;
        let mut chunks = stored.ok_or_else(|| Error::internal("falta uma parte de um envio"))?;
        while let Some(encode_chunk) = chunks.try_next().await? {
            receiver.push(&encode_chunk).await?;
        }
    }
    receiver.finish().await
}

/// Deletes the parts of an upload: their rows, then their contents.
pub(super) async fn delete_parts(services: &Services, id: &UploadId, parts: &[Part]) -> Result<()> {
    delete_and_release(services, parts, async {
        let tx = services.db.begin().await?;
        uploads::restart(&tx.conn(), id).await?;
        Ok(tx.commit().await?)
    })
    .await
}

/// Deletes uploads that ended a day ago, with the parts that never became a file.
pub async fn delete_ended_uploads(services: &Services, now: Millis) -> Result<()> {
    for id in uploads::list_ended(&services.db.reader(), now - KEPT, SWEPT).await? {
        let parts = uploads::list_parts(&services.db.reader(), &id).await?;
        delete_and_release(services, &parts, async {
            let tx = services.db.begin().await?;
            uploads::delete(&tx.conn(), &id).await?;
            Ok(tx.commit().await?)
        })
        .await?;
    }
    Ok(())
}

/// Claims the contents of the parts, deletes their rows, and releases the claims. The release
/// removes a content to which no row refers.
async fn delete_and_release(
    services: &Services,
    parts: &[Part],
    deletion: impl Future<Output = Result<()>>,
) -> Result<()> {
    let mut claims = vec![];
    for part in parts {
        claims.push(Claim::claim_existing(services, &part.sha256).await?);
    }
    let deleted = deletion.await;
    for claim in claims {
        claim.release_claim(services).await;
    }
    deleted
}
