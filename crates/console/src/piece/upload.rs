//! A file for a piece, sent by a form.

use std::{fs::File, io::Read, path::Path};

use futures::future::BoxFuture;
use gateway::{
    Context, Entry, Error, FileField, FileType, InputForm, Page, Received, ReceivedFile, Reply,
    Result, Services, Spec, offload,
};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{call, done, given, key_field, keyed, model::Event, page::Kept, refuse};
use crate::{
    area::{Table, receiver},
    view::View,
};

const OPERATION: &str = "upload_media";

/// A file and the piece that it is for.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Upload {
    event_id: String,
    #[serde(default)]
    alt: String,
    chave: Option<String>,
    /// O arquivo, como a operação o recebe.
    file: Map<String, Value>,
}

/// The file, which is received as by the operation that stores it.
const FILE: FileField = FileField {
    name: "file",
    // Which types are taken, and how large, is known when the file is received.
    judge: |_| {
        Ok(FileType {
            media_type: "application/octet-stream",
            limit: LONGEST,
        })
    },
    longest: LONGEST,
    receive,
};

/// The most that the operation takes, in bytes.
const LONGEST: u64 = 500_000_000;

const ROUTE: Spec = receiver("console_upload", "Enviar um arquivo", "/envio-de-arquivo")
    .takes(InputForm::Multipart(FILE))
    .partial(&[303])
    .fails(&[400, 404, 409, 413, 415]);

pub(crate) const UPLOAD: Entry =
    Entry::page::<Upload>(ROUTE, "Recebe uma imagem ou um vídeo e o anexa a uma peça.");

impl Page for Upload {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        let fields = json!({
            "event_id": self.event_id,
            "alt": given(&self.alt),
            "file": self.file,
        });
        let input = keyed(self.chave.as_deref(), fields);
        match call(&view, OPERATION, input).await {
            Ok(_) => Ok(done(&view, &self.event_id, OPERATION, "#midias")),
            Err(error) => refuse(&view, &self.event_id, &error, Kept::default()).await,
        }
    }
}

fn receive(received: ReceivedFile, services: &Services) -> BoxFuture<'_, Result<Received>> {
    Box::pin(async move {
        let operations = &services.parts.get::<Table>().registry;
        let field = operations
            .find(OPERATION)
            .and_then(|found| found.spec.file());
        let field = field.ok_or_else(|| Error::internal("the table takes no files"))?;
        let path = (*received.file).as_ref().to_owned();
        let head = offload(move || head(&path))
            .await?
            .map_err(Error::internal)?;
        let file_type = (field.judge)(&head)?;
        if received.bytes > file_type.limit {
            let limit = usize::try_from(file_type.limit).unwrap_or(usize::MAX);
            return Err(Error::too_large(limit));
        }
        let received = ReceivedFile {
            file_type,
            ..received
        };
        (field.receive)(received, services).await
    })
}

/// The first bytes of a file.
fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = vec![];
    let most = u64::try_from(FileField::HEAD).unwrap_or(u64::MAX);
    File::open(path)?.take(most).read_to_end(&mut head)?;
    Ok(head)
}

/// The form that sends a file.
pub(super) fn form(view: &View<'_>, event: &Event) -> Option<Markup> {
    view.may_call(OPERATION).then(|| {
        html! {
            details open[event.media.is_empty()] {
                summary { "Enviar arquivo" }
                form method="post" action=(view.at(ROUTE.path)) enctype="multipart/form-data" class="form stack"
                    hx-boost="false" data-upload {
                    (key_field())
                    input type="hidden" name="event_id" value=(event.id);
                    label class="field" {
                        span { "Imagem ou vídeo" }
                        input type="file" name="file" required accept="image/png,image/jpeg,image/webp,image/gif,video/mp4,video/quicktime";
                        small class="soft" { "PNG, JPEG, WebP ou GIF; MP4 ou QuickTime." }
                    }
                    label class="field" {
                        span { "Texto alternativo" }
                        input name="alt" maxlength="1000" dir="auto";
                    }
                    progress max="100" value="0" hidden aria-label="Envio do arquivo" {}
                    p class="soft" data-progress role="status" {}
                    button type="submit" { "Enviar arquivo" }
                    div class="outcome" role="alert" {}
                }
            }
        }
    })
}
