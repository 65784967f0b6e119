use domain::{Error, UploadId};
use gateway::{
    CallInput, Code, Content, Context, Entry, InputForm, Page, Reply, Result, Spec, Verb,
};
use schemars::JsonSchema;
use serde::Deserialize;
use store::uploads::{self, Part, Upload};

use super::{
    ACCESS, JSON, PATH, load_upload,
    parts::{PART, StoredPart, delete_parts, join_parts},
    require_announced, store_file,
};
use crate::media::create_upload::LIFETIME;

/// The supported version of the tus protocol.
pub(super) const TUS: &str = "1.0.0";
/// Maximum number of parts of a file.
const MOST_PARTS: usize = 1_000;

/// Receives a part of a file (PATCH of the tus protocol).
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PatchFile {
    #[serde(rename = "uploadId")]
    upload_id: UploadId,
    /// The header `Upload-Offset`.
    #[schemars(range(min = 0))]
    upload_offset: i64,
    /// The header `Tus-Resumable`.
    tus_resumable: Option<String>,
    file: StoredPart,
}

/// The route's entry in the table.
pub(in crate::media) const ROUTE: Entry = Entry::for_page::<PatchFile>(
    Spec::new(
        "patch_upload_file",
        "Enviar uma parte do arquivo de um link",
        Verb::Patch,
        PATH,
    )
    .access(ACCESS)
    .takes(InputForm::File(PART))
    .serves(JSON)
    .success(204)
    .reads()
    .outside()
    .extension()
    .fails(&[400, 401, 403, 404, 408, 409, 413, 415, 429, 500, 503]),
    "Recebe uma parte do arquivo de um link de `create_upload`, pelo protocolo tus 1.0.",
);

impl Page for PatchFile {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        if self
            .tus_resumable
            .as_deref()
            .is_some_and(|version| version != TUS)
        {
            let message = format!("só a versão {TUS} do protocolo é aceita");
            return Err(Error::invalid_field("Tus-Resumable", "const", &message));
        }
        let upload = load_upload(ctx, &self.upload_id).await?;
        let Some(bytes) = upload.bytes else {
            let message = "é necessário em `create_upload` para enviar em partes";
            return Err(Error::invalid_field("bytes", "required", message));
        };
        let end = self.upload_offset.saturating_add(self.file.bytes);
        if end > bytes {
            let message = format!("passa do fim do arquivo, que tem {bytes} bytes");
            return Err(Error::invalid_field("file", "maxLength", &message));
        }
        let parts = uploads::list_parts(&ctx.services.db.reader(), &upload.id).await?;
        if parts.len() >= MOST_PARTS {
            let message = format!("vem em mais de {MOST_PARTS} partes; envie partes maiores");
            return Err(Error::invalid_field("file", "maxItems", &message));
        }
        let part = Part {
            starts_at: self.upload_offset,
            bytes: self.file.bytes,
            sha256: self.file.sha256,
        };
        let tx = ctx.begin().await?;
        let appended =
            uploads::append_part(&tx.conn(), &upload.id, &part, ctx.now + LIFETIME).await?;
        if !appended {
            return Err(Error::new(Code::STALE_REVISION)
                .because("A parte não começa onde o arquivo recebido termina.")
                .with_detail("upload_offset", upload.received.into())
                .with_detail(
                    "next",
                    "Leia `Upload-Offset` com HEAD e continue dali.".into(),
                ));
        }
        tx.commit().await?;
        if end == bytes {
            complete_upload(ctx, &upload, &part).await?;
        }
        Ok(Reply::new(Content::Text("".into()))
            .with_status(204)
            .with_header("tus-resumable", TUS)
            .with_header("upload-offset", end.to_string()))
    }
}

/// Stores the file of an upload whose last part has arrived.
///
/// After a failure of the service, the last part is removed, so that the sender's retry completes
/// the file. A file that is refused is deleted, so that another file can be sent.
async fn complete_upload(ctx: &Context<'_>, upload: &Upload, last: &Part) -> Result<()> {
    let parts = uploads::list_parts(&ctx.services.db.reader(), &upload.id).await?;
    match store_joined(ctx, upload, &parts).await {
        Err(error) if error.status() >= 500 => {
            let tx = ctx.begin().await?;
            uploads::remove_last_part(&tx.conn(), &upload.id, last).await?;
            tx.commit().await?;
            Err(error)
        }
        ended => {
            delete_parts(ctx.services, &upload.id, &parts).await?;
            ended
        }
    }
}

async fn store_joined(ctx: &Context<'_>, upload: &Upload, parts: &[Part]) -> Result<()> {
    let file = join_parts(ctx.services, parts).await?;
    let bytes = i64::try_from(file.bytes).map_err(Error::internal)?;
    require_announced(upload, file.file_type.media_type, bytes)?;
    let input = |fields| CallInput::Upload {
        fields,
        file: Some(file),
    };
    store_file(ctx, upload, input).await.map(drop)
}
