use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MediaResult, create_upload::UPLOAD};
use domain::{
    Capability, Error, UploadId, text_enum,
    time::{BrasiliaTime, Timestamp},
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{media, uploads};

text_enum! {
    /// The state of an upload.
    pub enum UploadState {
        Waiting = "aguardando",
        Partial = "em_partes",
        Received = "recebido",
        Expired = "vencido",
    }
}

/// Diz se o arquivo de um link de `create_upload` chegou, e devolve a mídia.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetUpload {
    /// Id do envio.
    #[serde(rename = "uploadId")]
    upload_id: UploadId,
}

/// Estado de um envio.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UploadStatus {
    upload_id: UploadId,
    status: UploadState,
    /// Quantos bytes chegaram em partes.
    received: i64,
    /// Quantos bytes o arquivo tem, se foi dito.
    bytes: Option<i64>,
    expires_at: Timestamp,
    expires_em_brasilia: BrasiliaTime,
    /// A mídia, quando o arquivo chegou.
    media: Option<MediaResult>,
}

impl Operation for GetUpload {
    const SPEC: Spec = Spec::new(
        "get_upload",
        "Ver envio",
        Verb::Get,
        "/api/uploads/{uploadId}",
    )
    .access(Access::Member(Capability::Art))
    .about(UPLOAD, "uploadId")
    .fails(&[404])
    .extension()
    .tool();
    type Output = UploadStatus;

    async fn run(self, ctx: &Context<'_>) -> Result<UploadStatus> {
        let (caller, db) = (ctx.caller()?, ctx.db());
        let upload = uploads::find(&db, &self.upload_id).await?;
        let upload = upload.filter(|upload| upload.member_id == caller.member.id);
        let upload = upload.ok_or_else(|| Error::not_found("envio"))?;
        let stored = match &upload.media_id {
            Some(id) => media::find(&db, id).await?,
            None => None,
        };
        let status = match (&stored, upload.received) {
            (Some(_), _) => UploadState::Received,
            (None, _) if upload.expires_at <= ctx.now => UploadState::Expired,
            (None, 0) => UploadState::Waiting,
            (None, _) => UploadState::Partial,
        };
        Ok(UploadStatus {
            upload_id: upload.id,
            status,
            received: upload.received,
            bytes: upload.bytes,
            expires_at: Timestamp(upload.expires_at),
            expires_em_brasilia: BrasiliaTime(upload.expires_at),
            media: stored.map(|media| MediaResult::from_media(&media, None, ctx)),
        })
    }
}
