//! The file of an upload. Its type and size are determined from its bytes. It is stored, and
//! claimed until the call ends.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

use async_trait::async_trait;
use serde_json::json;

use super::{
    contents::Claim,
    inspect::{MediaType, video_size},
};
use domain::{Code, Error};
use gateway::{FileField, FileType, Held, Received, ReceivedFile, Result, Services, offload};
use ports::MeasureImages;

/// The image decoder, injected into the service at startup.
pub type ImageReader = Arc<dyn MeasureImages>;

/// The file field of an upload.
pub(super) const FIELD: FileField = FileField {
    name: "file",
    judge: detect_type,
    longest: MediaType::Mp4.max_bytes(),
    receive: |file, services| Box::pin(store_received_file(file, services)),
};

fn detect_type(head: &[u8]) -> Result<FileType> {
    let media_type = MediaType::detect(head).ok_or_else(|| {
        Error::new(Code::UNSUPPORTED_MEDIA_TYPE)
            .because("O arquivo não é PNG, JPEG, WebP, GIF, MP4 nem QuickTime.")
            .with_detail(
                "next",
                "Converta o arquivo para um destes formatos e envie de novo.".into(),
            )
    })?;
    Ok(FileType {
        media_type: media_type.as_str(),
        limit: media_type.max_bytes(),
    })
}

async fn store_received_file(received: ReceivedFile, services: &Services) -> Result<Received> {
    let path: &Path = (*received.file).as_ref();
    let media_type = received.file_type.media_type;
    let (width, height) = measure_file(path.to_owned(), media_type, services).await?;
    let claim = Claim::write_file(services, &received.sha256, path).await?;
    Ok(Received {
        value: json!({
            "sha256": received.sha256,
            "media_type": media_type,
            "bytes": received.bytes,
            "width": width,
            "height": height,
        }),
        content: None,
        held: Box::new(claim),
    })
}

/// Measures an image or video and checks that the file is complete: images are decoded, and the
/// boxes of videos are read to the end.
async fn measure_file(path: PathBuf, media_type: &str, services: &Services) -> Result<(u32, u32)> {
    if !media_type.starts_with("video/") {
        return services
            .parts
            .get::<ImageReader>()
            .measure_image(path)
            .await;
    }
    let size = offload(move || Ok::<_, std::io::Error>(video_size(&mut File::open(path)?)));
    let size = size.await?.map_err(Error::internal)?;
    size.ok_or_else(|| {
        Error::invalid_field("file", "video", "não é um vídeo inteiro; envie-o de novo")
    })
}

#[async_trait]
impl Held for Claim {
    async fn release(self: Box<Self>, services: &Services) {
        Claim::release_claim(*self, services).await;
    }
}
