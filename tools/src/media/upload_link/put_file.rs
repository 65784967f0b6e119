use domain::UploadId;
use gateway::{CallInput, Content, Context, Entry, InputForm, Page, Reply, Result, Spec, Verb};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{ACCESS, JSON, PATH, REFUSALS, load_upload, require_announced, store_file};
use crate::media::uploaded_file::{FIELD, StoredFile};

/// Receives the file of an upload as the body of a request.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PutFile {
    #[serde(rename = "uploadId")]
    upload_id: UploadId,
    file: StoredFile,
}

/// The route's entry in the table.
pub(in crate::media) const ROUTE: Entry = Entry::for_page::<PutFile>(
    Spec::new(
        "put_upload_file",
        "Enviar o arquivo de um link",
        Verb::Put,
        PATH,
    )
    .access(ACCESS)
    .takes(InputForm::File(FIELD))
    .serves(JSON)
    .success(201)
    .reads()
    .outside()
    .extension()
    .fails(REFUSALS),
    "Recebe os bytes do arquivo de um link de `create_upload`.",
);

impl Page for PutFile {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let upload = load_upload(ctx, &self.upload_id).await?;
        require_announced(&upload, self.file.media_type(), self.file.bytes())?;
        let file = ctx.file()?.clone();
        let answer = store_file(ctx, &upload, |fields| CallInput::Forwarded { fields, file });
        let text = answer.await?.body.into_json_text()?;
        Ok(Reply::new(Content::Text(text.into())).with_status(201))
    }
}
