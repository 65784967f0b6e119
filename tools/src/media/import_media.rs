use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};
use futures::TryStreamExt;
use ports::RemoteFiles;
use schemars::JsonSchema;
use serde::Deserialize;
use url::Url;

use super::{
    MEDIA, MediaResult, attach, hints,
    uploaded_file::{FIELD, Placement, StoredFile, insert_upload},
};
use crate::visibility::EVENT;
use domain::{Capability, EventId, VISIBLE};
use gateway::{Access, Context, Error, FileReceiver, Operation, ReceivedFile, Result, Spec, Verb};

/// The client for files at URLs that callers name, injected into the service at startup.
pub type FileDownloader = Arc<dyn RemoteFiles>;

/// Maximum characters of a file in Base64: 256 kB.
const LONGEST_DATA: usize = 349_528;
/// Maximum characters of the stored URL of a file.
const LONGEST_SOURCE: usize = 1_000;

/// Traz uma foto, imagem ou vídeo pronto (só um de `url`, `file` e `data`) e, com `event_id`, anexa
/// ao evento.
///
/// PNG, JPEG, WebP ou GIF até 25 MB, MP4 ou QuickTime até 500 MB. Arquivo
/// local: `create_upload`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("x-exactly-one" = ["url", "file", "data"]))]
pub struct ImportMedia {
    /// Endereço https público.
    #[schemars(
        length(min = 9, max = 4000),
        regex(pattern = "^[hH][tT][tT][pP][sS]?://[!-~]+$")
    )]
    url: Option<String>,
    /// Anexo da conversa (ChatGPT).
    file: Option<SharedFile>,
    /// Imagem pequena em Base64, até 256 kB.
    #[schemars(length(min = 4, max = LONGEST_DATA), regex(pattern = "^[A-Za-z0-9+/]+={0,2}$"))]
    data: Option<String>,
    /// Evento editável.
    event_id: Option<EventId>,
    /// Posição a substituir; ausente, o fim.
    #[schemars(range(min = 0, max = 99))]
    slide_index: Option<u8>,
    /// Abre lugar em vez de substituir.
    #[serde(default)]
    insert: bool,
    /// Texto alternativo.
    #[schemars(length(min = 1, max = 1000), regex(pattern = *VISIBLE))]
    alt: Option<String>,
}

/// Arquivo de uma conversa.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SharedFile {
    /// Endereço https.
    #[schemars(
        length(min = 9, max = 4000),
        regex(pattern = "^[hH][tT][tT][pP][sS]?://[!-~]+$")
    )]
    download_url: String,
    /// Id na conversa.
    #[expect(dead_code, reason = "hosts send it; the address alone is needed")]
    #[schemars(length(max = 400))]
    file_id: Option<String>,
    /// Tipo; valem os bytes.
    #[expect(dead_code, reason = "the type is determined from the bytes")]
    #[schemars(length(max = 400))]
    mime_type: Option<String>,
    /// Nome dado ao arquivo.
    #[expect(dead_code, reason = "the medium has no name")]
    #[schemars(length(max = 400))]
    file_name: Option<String>,
}

/// The origin of the file.
enum FileSource {
    Url(String),
    Data(String),
}

impl Operation for ImportMedia {
    const SPEC: Spec = Spec::new("import_media", "Importar arquivo", Verb::Post, "/api/media")
        .access(Access::Member(Capability::Art))
        .makes(MEDIA)
        .within(EVENT, "event_id")
        .success(201)
        .fails(&[404])
        .outside()
        .stoppable()
        .extension()
        .hints(hints::IMPORT)
        .file_params(&["file"])
        .tool();
    type Output = MediaResult;

    fn affected_ids(output: &MediaResult) -> Vec<&str> {
        vec![output.id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<MediaResult> {
        let source = FileSource::from_input(self.url, self.file, self.data)?;
        if let Some(event_id) = &self.event_id {
            attach::require_attachable(&ctx.db(), ctx, event_id).await?;
        }
        let source_url = source.public_url();
        let file = ctx.until_caller_leaves(source.receive(ctx)).await?;
        let received = (FIELD.receive)(file, ctx.services).await?;
        let placement = Placement {
            event_id: self.event_id,
            slide_index: self.slide_index,
            insert: self.insert,
            kind: None,
            alt: self.alt,
        };
        let inserted = async {
            let file: StoredFile = serde_json::from_value(received.value)?;
            let tx = ctx.begin().await?;
            let name = Self::SPEC.name;
            let media = insert_upload(&tx.conn(), ctx, name, file, placement, source_url).await?;
            tx.commit().await?;
            Ok(media)
        }
        .await;
        received.held.release(ctx.services).await;
        inserted
    }
}

/// Describes how many megabytes of a file were received.
fn received_message(received: u64, length: Option<u64>) -> String {
    let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6).replace('.', ",");
    match length {
        Some(length) => format!(
            "{} de {} MB recebidos",
            megabytes(received),
            megabytes(length)
        ),
        None => format!("{} MB recebidos", megabytes(received)),
    }
}

impl FileSource {
    fn from_input(
        url: Option<String>,
        file: Option<SharedFile>,
        data: Option<String>,
    ) -> Result<Self> {
        match (url, file, data) {
            (Some(url), None, None) => Ok(Self::Url(url)),
            (None, Some(file), None) => Ok(Self::Url(file.download_url)),
            (None, None, Some(data)) => Ok(Self::Data(data)),
            (None, None, None) => Err(Error::invalid_field(
                "url",
                "required",
                "informe um de `url`, `file` e `data`",
            )),
            _ => Err(Error::invalid_field(
                "url",
                "oneOf",
                "informe só um de `url`, `file` e `data`",
            )),
        }
    }

    /// Returns the URL without user, query and fragment, because these may contain a credential; `None`
    /// for data.
    fn public_url(&self) -> Option<String> {
        let Self::Url(url) = self else {
            return None;
        };
        let mut url = Url::parse(url).ok()?;
        url.set_query(None);
        url.set_fragment(None);
        Some(String::from(url).chars().take(LONGEST_SOURCE).collect())
    }

    /// Receives the file by the same rules as the file of a form.
    async fn receive(self, ctx: &Context<'_>) -> Result<ReceivedFile> {
        let blobs = ctx.services.blobs.clone();
        match self {
            Self::Url(url) => {
                let files = ctx.services.parts.get::<FileDownloader>();
                ctx.report_progress(0, None, || "Abrindo o endereço".into());
                let mut file = files.open(&url).await?;
                let mut receiver = FileReceiver::new(FIELD, file.name, blobs);
                let mut received = 0;
                while let Some(chunk) = file.bytes.try_next().await? {
                    receiver.push(&chunk).await?;
                    received += chunk.len() as u64;
                    let message = || received_message(received, file.length);
                    ctx.report_progress(received, file.length, message);
                }
                receiver.finish().await
            }
            Self::Data(data) => {
                let invalid = |_| Error::invalid_field("data", "format", "não é Base64");
                let bytes = STANDARD.decode(data).map_err(invalid)?;
                let mut receiver = FileReceiver::new(FIELD, String::new(), blobs);
                receiver.push(&bytes).await?;
                receiver.finish().await
            }
        }
    }
}
