//! Receives a file for a piece.
//!
//! The file is received by the rule of `upload_media`, which the page looks up in the table.

use std::{fs::File, io::Read, path::Path};

use futures::future::BoxFuture;
use gateway::{
    CallInput, Context, Entry, Error, FileField, FileType, InputForm, Page, Received, ReceivedFile,
    Reply, Result, Services, Spec, offload,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    area::{Table, receiver},
    forms::{keyed_input, nonblank, redirect_after},
    piece::{
        model::media_path,
        page::{Returned, refuse_on_page},
        upload::{OPERATION, PATH},
    },
    view::View,
};

/// The form of a file.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Upload {
    event_id: String,
    #[serde(default)]
    alt: String,
    pedido: Option<String>,
    /// O arquivo.
    #[expect(
        dead_code,
        reason = "the schema requires it; the page passes on what was received"
    )]
    file: Map<String, Value>,
}

/// The file field. The operation that stores the file also receives it.
const FILE: FileField = FileField {
    name: "file",
    // `receive` checks type and size.
    judge: |_| {
        Ok(FileType {
            media_type: "application/octet-stream",
            limit: LONGEST,
        })
    },
    longest: LONGEST,
    receive,
};

/// The largest file that the operation accepts, in bytes.
const LONGEST: u64 = 500_000_000;

const ROUTE: Spec = receiver("console_upload", "Enviar um arquivo", PATH)
    .takes(InputForm::Multipart(FILE))
    .partial(&[303])
    .fails(&[400, 404, 409, 413, 415]);

pub(crate) const UPLOAD: Entry =
    Entry::page::<Upload>(ROUTE, "Recebe uma imagem ou um vídeo e o anexa a uma peça.");

impl Page for Upload {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx).await?;
        let file = ctx.file()?.clone();
        // The key covers the file, so the same form with another file is a new call.
        let fields = json!({
            "event_id": self.event_id,
            "alt": nonblank(&self.alt),
            "file": file.digest(),
        });
        let mut fields = keyed_input(self.pedido.as_deref(), fields).await?;
        fields.remove("file");
        let input = CallInput::Forwarded { fields, file };
        match view.call::<Value>(OPERATION, input).await {
            Ok(_) => Ok(redirect_after(
                &view,
                &media_path(&self.event_id),
                OPERATION,
            )),
            Err(error) => refuse_on_page(&view, &self.event_id, &error, Returned::default()).await,
        }
    }
}

fn receive(received: ReceivedFile, services: &Services) -> BoxFuture<'_, Result<Received>> {
    Box::pin(async move {
        let operations = &services.parts.get::<Table>().registry;
        let field = operations
            .find(OPERATION)
            .and_then(|operation| operation.spec.file());
        let field =
            field.ok_or_else(|| Error::internal("the upload operation has no file field"))?;
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

/// The first bytes of a file, which show its type.
fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = vec![];
    let most = u64::try_from(FileField::HEAD).unwrap_or(u64::MAX);
    File::open(path)?.take(most).read_to_end(&mut head)?;
    Ok(head)
}
