//! The routes of a signed link, which receive the file of an upload: whole (PUT, or the form of its
//! page), or in parts (HEAD and PATCH of the tus protocol 1.0).
//!
//! The link authenticates its request before the body is read. Each of these routes calls
//! `upload_media` for the member who asked for the link, with an idempotency key that is derived
//! from the link. So a repeated request stores the file once, and another file is refused.

mod page;
mod parts;
mod put_file;
mod resume;

use domain::{Capability, Error, MediaId, UploadId};
use gateway::{
    Access, Answer, Body, CallInput, Code, Context, Input, Operation, OutputForm, Result,
};
use serde::Deserialize;
use serde_json::Value;
use store::uploads::{self, Upload};

use super::{UploadMedia, uploaded_file::Placement};

pub(super) use page::{FORM, PAGE};
pub use parts::delete_ended_uploads;
pub(super) use put_file::ROUTE as PUT;
pub(super) use resume::ROUTE as PATCH;

/// The access rule of a link's routes: the member of the link must have the right to upload.
const ACCESS: Access = Access::UploadLink(Capability::Art);
/// The path of a link.
const PATH: &str = "/envios/{uploadId}";
const JSON: OutputForm = OutputForm::Document("application/json");
/// The error statuses of the routes that receive a file.
const REFUSALS: &[u16] = &[400, 401, 403, 404, 408, 409, 413, 415, 429, 500, 503];

/// The only field of the response of `upload_media` that these routes need.
#[derive(Deserialize)]
struct StoredMedia {
    id: MediaId,
}

/// Loads the upload of a link. The access check has already accepted the link.
async fn load_upload(ctx: &Context<'_>, id: &UploadId) -> Result<Upload> {
    let upload = uploads::find(&ctx.services.db.reader(), id).await?;
    upload.ok_or_else(|| Error::not_found("envio"))
}

/// Refuses (400) a file whose type or size differs from the announced type or size.
fn require_announced(upload: &Upload, media_type: &str, bytes: i64) -> Result<()> {
    let expected = upload.media_type.as_deref();
    if let Some(expected) = expected.filter(|expected| *expected != media_type) {
        let message = format!("é {media_type}; o link foi pedido para {expected}");
        return Err(Error::invalid_field("file", "const", &message));
    }
    if let Some(expected) = upload.bytes.filter(|expected| *expected != bytes) {
        let message = format!("tem {bytes} bytes; o link foi pedido para {expected}");
        return Err(Error::invalid_field("file", "const", &message));
    }
    Ok(())
}

/// Stores a file with `upload_media`, and records its medium as the result of the upload.
/// `call_input` adds the file to the fields.
async fn store_file(
    ctx: &Context<'_>,
    upload: &Upload,
    call_input: impl FnOnce(Input) -> CallInput,
) -> Result<Answer> {
    let placement: Placement = serde_json::from_str(&upload.placement)?;
    let Value::Object(mut fields) = serde_json::to_value(placement)? else {
        return Err(Error::internal("a placement is a JSON object"));
    };
    fields.retain(|_, value| !value.is_null());
    let key = format!("envio-{}", upload.id);
    fields.insert("idempotency_key".into(), key.into());
    let called = ctx.call(UploadMedia::SPEC.name, call_input(fields)).await;
    let mut answer = called.map_err(name_other_file)?;
    let text = answer.body.into_json_text()?;
    let media: StoredMedia = serde_json::from_str(&text)?;
    let tx = ctx.begin().await?;
    uploads::complete(&tx.conn(), &upload.id, &media.id).await?;
    tx.commit().await?;
    answer.body = Body::Json(text);
    Ok(answer)
}

/// Rewrites the refusal of a reused idempotency key: the link has already received another file.
fn name_other_file(error: Error) -> Error {
    if error.code == Code::IDEMPOTENCY_KEY_REUSED {
        return error
            .because("Este link já recebeu outro arquivo.")
            .with_detail("next", "Peça outro link com `create_upload`.".into());
    }
    error
}
