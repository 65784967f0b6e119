use domain::UploadId;
use gateway::{
    CallInput, Content, Context, Entry, InputForm, OutputForm, Page, Reply, Result, Spec, Verb,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{ACCESS, PATH, REFUSALS, load_upload, require_announced, resume::TUS, store_file};
use crate::media::uploaded_file::{FIELD, StoredFile};

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'";

/// Shows a form with which a person sends the file of a link. The headers contain the number of bytes
/// that have arrived, for programs.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetUploadPage {
    #[serde(rename = "uploadId")]
    upload_id: UploadId,
}

/// The entry of the page in the table. Its HEAD follows the tus protocol.
pub(in crate::media) const PAGE: Entry = Entry::for_page::<GetUploadPage>(
    Spec::new("get_upload_page", "Abrir um link de envio", Verb::Get, PATH)
        .access(ACCESS)
        .serves(OutputForm::Html)
        .extension()
        .fails(&[400, 401, 403, 404, 429, 500, 503]),
    "A página em que uma pessoa escolhe o arquivo de um link de `create_upload`.",
);

impl Page for GetUploadPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let upload = load_upload(ctx, &self.upload_id).await?;
        let body = match upload.media_id {
            Some(_) => RECEIVED,
            None => FORM_BODY,
        };
        let reply = render(body)
            .with_header("tus-resumable", TUS)
            .with_header("upload-offset", upload.received.to_string());
        Ok(match upload.bytes {
            Some(bytes) => reply.with_header("upload-length", bytes.to_string()),
            None => reply,
        })
    }
}

/// Receives the form of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PostUploadForm {
    #[serde(rename = "uploadId")]
    upload_id: UploadId,
    file: StoredFile,
}

/// The entry of the form in the table.
pub(in crate::media) const FORM: Entry = Entry::for_page::<PostUploadForm>(
    Spec::new(
        "post_upload_form",
        "Enviar o formulário de um link",
        Verb::Post,
        PATH,
    )
    .access(ACCESS)
    .takes(InputForm::Multipart(FIELD))
    .serves(OutputForm::Html)
    .success(201)
    .reads()
    .outside()
    .extension()
    .fails(REFUSALS),
    "Recebe o arquivo que uma pessoa escolheu na página de um link.",
);

impl Page for PostUploadForm {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let upload = load_upload(ctx, &self.upload_id).await?;
        require_announced(&upload, self.file.media_type(), self.file.bytes())?;
        let file = ctx.file()?.clone();
        store_file(ctx, &upload, |fields| CallInput::Forwarded { fields, file }).await?;
        Ok(render(RECEIVED).with_status(201))
    }
}

const FORM_BODY: &str = r#"<h1>Envie o arquivo</h1>
<p>Um agente da sua equipe pediu este arquivo. Ele vai para a Pauta em seu nome.</p>
<form method="post" enctype="multipart/form-data">
<label for="file">Imagem ou vídeo</label>
<input id="file" name="file" type="file" required accept="image/png,image/jpeg,image/webp,image/gif,video/mp4,video/quicktime">
<small>PNG, JPEG, WebP ou GIF até 25 MB; MP4 ou MOV até 500 MB.</small>
<button>Enviar</button>
</form>"#;
const RECEIVED: &str = "<h1>Arquivo recebido</h1>
<p>Volte à conversa e diga ao agente que o arquivo foi enviado. Esta página pode ser fechada.</p>";

fn render(body: &str) -> Reply {
    let page = include_str!("page.html").replace("{{body}}", body);
    Reply::new(Content::Text(page.into()))
        .with_header("content-security-policy", POLICY)
        .with_header("referrer-policy", "no-referrer")
}
