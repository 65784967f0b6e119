use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{attach, inspect::MediaType, uploaded_file::Placement};
use crate::visibility::EVENT;
use domain::{
    Capability, EventId, UploadId, VISIBLE,
    time::{BrasiliaTime, MINUTE, Millis, Timestamp},
};
use gateway::{Access, Code, Context, Error, Operation, Resource, Result, Spec, Verb};
use identity::{credential_reference, upload_url};
use store::uploads::{self, Upload};

/// An upload by a signed link. Only the owner of an upload may read it.
pub(super) const UPLOAD: Resource = Resource::new("upload");

/// How long a link is valid after it was created, and after each part that arrived.
pub const LIFETIME: Millis = 15 * MINUTE;
/// Maximum number of open links of a member.
const MOST_OPEN: i64 = 50;

/// Dá um link assinado, de um uso e 15 minutos, para enviar uma foto (até 25 MB) ou vídeo (500 MB)
/// local, e o `comando` que o envia.
///
/// Sem acesso ao arquivo, dê o link à pessoa. Depois, `get_upload`. Já na
/// internet: `import_media`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CreateUpload {
    /// Se conhecido; outro é recusado.
    media_type: Option<MediaType>,
    /// Tamanho exato, se em partes (tus).
    #[schemars(range(min = 1, max = 500_000_000))]
    bytes: Option<i64>,
    /// Evento editável que o recebe.
    event_id: Option<EventId>,
    /// Texto alternativo.
    #[schemars(length(min = 1, max = 1000), regex(pattern = *VISIBLE))]
    alt: Option<String>,
}

/// Link de envio.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UploadCreated {
    upload_id: UploadId,
    /// Recebe o arquivo por PUT (os bytes), POST (formulário com `file`) ou tus (PATCH em partes).
    #[schemars(extend("format" = "uri"))]
    upload_url: String,
    /// Até quando o envio pode começar; cada parte recebida dá mais 15 minutos.
    expires_at: Timestamp,
    expires_em_brasilia: BrasiliaTime,
    /// O comando que envia o arquivo.
    comando: String,
    /// O que fazer depois do envio.
    next: String,
}

impl Operation for CreateUpload {
    const SPEC: Spec = Spec::new(
        "create_upload",
        "Pedir link de envio",
        Verb::Post,
        "/api/uploads",
    )
    .access(Access::Member(Capability::Art))
    .makes(UPLOAD)
    .within(EVENT, "event_id")
    .success(201)
    .fails(&[404, 409])
    .extension()
    // A stored answer would contain the link, which is a credential.
    .unkeyed()
    .tool();
    type Output = UploadCreated;

    fn affected_ids(output: &UploadCreated) -> Vec<&str> {
        vec![output.upload_id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<UploadCreated> {
        if let (Some(format), Some(bytes)) = (self.media_type, self.bytes) {
            let limit = format.max_bytes();
            if bytes.unsigned_abs() > limit {
                let message = format!("deve ser até {limit} para {}", format.as_str());
                return Err(Error::invalid_field("bytes", "maximum", &message));
            }
        }
        let (caller, db) = (ctx.caller()?, ctx.db());
        if let Some(event_id) = &self.event_id {
            attach::require_attachable(&db, ctx, event_id).await?;
        }
        if uploads::count_open(&db, &caller.member.id, ctx.now).await? >= MOST_OPEN {
            return Err(Error::new(Code::RATE_LIMITED)
                .because(format!("Há {MOST_OPEN} links de envio abertos."))
                .with_detail("next", "Use um deles, ou espere 15 minutos.".into())
                .with_retry_after(60));
        }
        let placement = Placement {
            event_id: self.event_id,
            alt: self.alt,
            ..Placement::default()
        };
        let upload = Upload {
            id: UploadId::new(ctx.now),
            member_id: caller.member.id.clone(),
            credential: credential_reference(caller),
            placement: serde_json::to_string(&placement)?,
            media_type: self.media_type.map(|format| format.as_str().to_owned()),
            bytes: self.bytes,
            received: 0,
            created_at: ctx.now,
            expires_at: ctx.now + LIFETIME,
            media_id: None,
        };
        uploads::insert(&db, &upload).await?;
        let url = upload_url(ctx.services, &upload.id);
        Ok(UploadCreated {
            comando: format!("curl -T ARQUIVO \"{url}\""),
            next: format!(
                "Depois do envio, `get_upload` com `upload_id` {} devolve a mídia.",
                upload.id
            ),
            upload_id: upload.id,
            upload_url: url,
            expires_at: Timestamp(upload.expires_at),
            expires_em_brasilia: BrasiliaTime(upload.expires_at),
        })
    }
}
