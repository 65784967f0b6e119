//! Writes the contents of media to the storage, and removes contents to which no row refers.
//!
//! A content is claimed before it is written, and released after its row was committed or refused.
//! So a failed call never removes an identical content that another caller has just stored. If a
//! process dies, the sweep removes its content.

use std::{path::Path, time::Duration};

use bytes::Bytes;

use domain::{
    PICTURE_WIDTHS,
    time::{HOUR, Millis},
};
use gateway::{Error, Result, Services};
use store::{
    contents,
    media::{reduced_image_path, storage_path},
};

/// How long a claim is valid. No upload takes this long.
pub const ABANDONED: Millis = 6 * HOUR;
/// Maximum contents that one sweep removes.
const SWEPT: i64 = 1_000;

/// A claimed content. It must be released when the call ends.
#[must_use]
pub struct Claim(String);

impl Claim {
    /// Claims a content and writes it from a file.
    pub async fn write_file(services: &Services, sha256: &str, file: &Path) -> Result<Self> {
        Self::wait_and_claim(services, sha256).await?;
        let put = services.blobs.store_file(&storage_path(sha256), file).await;
        Self::release_on_error(services, sha256, put).await
    }

    /// Claims a content and writes it from `bytes`.
    pub async fn write_bytes(services: &Services, sha256: &str, bytes: Bytes) -> Result<Self> {
        Self::wait_and_claim(services, sha256).await?;
        let put = services
            .blobs
            .store_bytes(&storage_path(sha256), bytes)
            .await;
        Self::release_on_error(services, sha256, put).await
    }

    /// Claims an existing content, so that it is not removed while the claim is held.
    pub(super) async fn claim_existing(services: &Services, sha256: &str) -> Result<Self> {
        Self::wait_and_claim(services, sha256).await?;
        Ok(Self(sha256.to_owned()))
    }

    async fn wait_and_claim(services: &Services, sha256: &str) -> Result<()> {
        const TRIES: u32 = 100;
        for _ in 0..TRIES {
            let tx = services.db.begin().await?;
            let claimed = contents::claim_content(&tx.conn(), sha256, services.clock.now()).await?;
            tx.commit().await?;
            if claimed {
                return Ok(());
            }
            // Another caller is removing the same content. The removal takes one request to the
            // storage.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Err(Error::internal("um arquivo ainda está sendo apagado"))
    }

    async fn release_on_error(services: &Services, sha256: &str, put: Result<()>) -> Result<Self> {
        let claim = Self(sha256.to_owned());
        match put {
            Ok(()) => Ok(claim),
            Err(error) => {
                claim.release_claim(services).await;
                Err(error)
            }
        }
    }

    /// Releases the content, and removes it if no row refers to it. If this fails, the sweep
    /// removes the content later.
    pub async fn release_claim(self, services: &Services) {
        let Self(sha256) = self;
        let released = async {
            let tx = services.db.begin().await?;
            let unused = contents::release_claim(&tx.conn(), &sha256, services.clock.now()).await?;
            tx.commit().await?;
            if unused {
                remove_content(services, &sha256).await?;
            }
            Ok::<_, Error>(())
        };
        if let Err(error) = released.await {
            let cause = std::error::Error::source(&error).map(tracing::field::display);
            tracing::warn!(
                sha256,
                cause,
                "um arquivo sem uso ficou na guarda de mídias"
            );
        }
    }
}

async fn remove_content(services: &Services, sha256: &str) -> Result<()> {
    let deleted = delete_with_reduced(services, sha256).await;
    let tx = services.db.begin().await?;
    match &deleted {
        Ok(()) => contents::delete_removed(&tx.conn(), sha256).await?,
        Err(_) => contents::cancel_removal(&tx.conn(), sha256).await?,
    }
    tx.commit().await?;
    deleted
}

/// Deletes the reduced images of a content, and then the content.
async fn delete_with_reduced(services: &Services, sha256: &str) -> Result<()> {
    for width in PICTURE_WIDTHS {
        services
            .blobs
            .delete(&reduced_image_path(sha256, width))
            .await?;
    }
    services.blobs.delete(&storage_path(sha256)).await
}

/// Removes contents to which no row refers and that have no valid claim. Returns the number of removed
/// contents.
pub async fn remove_unused_contents(services: &Services, now: Millis) -> Result<usize> {
    let before = now - ABANDONED;
    let unused = contents::list_unused(&services.db.reader(), before, SWEPT).await?;
    let mut removed = 0;
    for sha256 in unused {
        let tx = services.db.begin().await?;
        let marked = contents::release_abandoned_claims(&tx.conn(), &sha256, now, before).await?;
        tx.commit().await?;
        if marked {
            remove_content(services, &sha256).await?;
            removed += 1;
        }
    }
    Ok(removed)
}
