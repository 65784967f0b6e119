//! Downloads a result from a provider to a file, and detects its type from its bytes.

use std::{fs::File, sync::Arc};

use futures::TryStreamExt;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt;

use crate::media::{MediaType, video_size};
use domain::{Code, Error, hex};
use gateway::{Result, offload};
use ports::{BlobStore, ByteStream};

/// The number of leading bytes from which the type is detected.
const HEAD: usize = 32;

/// A complete video in a temporary file. Dropping this value deletes the file.
pub(super) struct Downloaded {
    pub file: NamedTempFile,
    pub sha256: String,
    pub media_type: MediaType,
    pub bytes: u64,
    pub size: (u32, u32),
}

/// Downloads a video of up to 500 MB.
///
/// Fails with `PAYLOAD_TOO_LARGE` when the download is larger, and with `PROVIDER_FAILED` when it is not
/// a complete video.
pub(super) async fn download_video(
    mut parts: ByteStream,
    blobs: Arc<dyn BlobStore>,
) -> Result<Downloaded> {
    let file = offload(move || blobs.create_temporary_file()).await??;
    let copy = file.reopen().map_err(Error::internal)?;
    let mut writer = tokio::fs::File::from_std(copy);
    let (mut head, mut bytes, mut digest) = (vec![], 0, Sha256::new());
    let mut media_type = None;
    while let Some(part) = parts.try_next().await? {
        bytes += part.len() as u64;
        if bytes > MediaType::Mp4.max_bytes() {
            return Err(too_large_error());
        }
        if media_type.is_none() {
            head.extend_from_slice(&part[..part.len().min(HEAD)]);
            if head.len() >= HEAD {
                media_type = Some(require_video_type(&head)?);
            }
        }
        digest.update(&part);
        writer.write_all(&part).await.map_err(Error::internal)?;
    }
    writer.flush().await.map_err(Error::internal)?;
    drop(writer);
    let media_type = match media_type {
        Some(media_type) => media_type,
        None => require_video_type(&head)?,
    };
    let path = file.path().to_owned();
    let size = offload(move || Ok::<_, std::io::Error>(video_size(&mut File::open(path)?)));
    let size = size.await?.map_err(Error::internal)?;
    Ok(Downloaded {
        sha256: hex(&digest.finalize()),
        size: size.ok_or_else(|| invalid_video_error("o vídeo não chegou inteiro"))?,
        media_type,
        bytes,
        file,
    })
}

fn require_video_type(head: &[u8]) -> Result<MediaType> {
    let media_type = MediaType::detect(head).filter(|media_type| media_type.is_video());
    media_type.ok_or_else(|| invalid_video_error("o que veio não é um vídeo MP4 nem QuickTime"))
}

fn invalid_video_error(fault: &str) -> Error {
    Error::new(Code::PROVIDER_FAILED).because(format!("O provedor de vídeos falhou: {fault}."))
}

fn too_large_error() -> Error {
    Error::new(Code::PAYLOAD_TOO_LARGE)
        .because("O vídeo do provedor passa de 500 MB.")
        .with_detail("next", "Peça um vídeo mais curto.".into())
}
