//! The file of an upload: its checks, its bytes in the storage, and its medium.
//!
//! Every way to send a file uses this code: a form, a signed link, a download and a file in the
//! arguments of a tool. The type and size of a file are determined from its bytes. The file is
//! stored, and its content is claimed until the call ends.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    MediaResult,
    attach::{self, Place},
    contents::Claim,
    inspect::{MediaType, video_size},
};
use domain::{Code, Error, EventId, MediaId};
use gateway::{
    Context, FileField, FileType, Held, Received, ReceivedFile, Result, Services, offload,
};
use ports::MeasureImages;
use store::{
    Conn,
    media::{self, Media},
};

/// The image decoder, injected into the service at startup.
pub type ImageReader = Arc<dyn MeasureImages>;

/// The file field of an upload.
pub(super) const FIELD: FileField = FileField {
    name: "file",
    judge: detect_type,
    longest: MediaType::Mp4.max_bytes(),
    receive: |file, services| Box::pin(store_received_file(file, services)),
};

/// Arquivo recebido, já na guarda.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StoredFile {
    sha256: String,
    media_type: String,
    bytes: i64,
    width: i64,
    height: i64,
}

impl StoredFile {
    pub(super) fn media_type(&self) -> &str {
        &self.media_type
    }

    pub(super) fn bytes(&self) -> i64 {
        self.bytes
    }
}

/// The event to which an uploaded file is attached, and the kind and alternative text of its medium.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Placement {
    pub event_id: Option<EventId>,
    pub slide_index: Option<u8>,
    #[serde(default)]
    pub insert: bool,
    pub kind: Option<String>,
    pub alt: Option<String>,
}

/// Inserts the medium of a stored file and attaches it to the event, if there is one. `action` is
/// the name of the operation in the history of the event.
pub(super) async fn insert_upload(
    db: &Conn<'_>,
    ctx: &Context<'_>,
    action: &str,
    file: StoredFile,
    placement: Placement,
    source_url: Option<String>,
) -> Result<MediaResult> {
    let family = if file.media_type.starts_with("video/") {
        "video"
    } else {
        "imagem"
    };
    let media = Media {
        id: MediaId::new(ctx.now),
        sha256: file.sha256,
        media_type: file.media_type,
        bytes: file.bytes,
        width: Some(file.width),
        height: Some(file.height),
        kind: placement.kind.unwrap_or_else(|| family.into()),
        alt: placement.alt,
        origin: "upload".into(),
        created_by: ctx.caller()?.member.id.clone(),
        created_at: ctx.now,
        source_url,
    };
    let place = placement.slide_index.map_or(Place::End, |index| {
        Place::replace_or_insert_at(index, placement.insert)
    });
    media::insert(db, &media).await?;
    let new = [(&media, place)];
    let linked =
        attach::attach_media(db, ctx, placement.event_id.as_ref(), None, action, &new).await?;
    let revision = linked.map(|linked| linked.revision);
    Ok(MediaResult::from_media(&media, revision, ctx))
}

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
