//! Receives a file for a piece.
//!
//! The page passes the file to the operation `upload_media`, whose spec determines the allowed file
//! types and sizes.

use gateway::{Context, Entry, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    area::receiver_spec,
    files::{Upload, call_with_file, file_field},
    forms::{nonblank_text, redirect_after},
    piece::{
        model::media_path,
        page::{Returned, refuse_on_page},
        upload::{OPERATION, PATH},
    },
    view::View,
};

/// The form of a file.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct UploadForPiece {
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

impl Upload for UploadForPiece {
    const OPERATION: &'static str = OPERATION;
    const LONGEST: u64 = 500_000_000;
}

const ROUTE: Spec = receiver_spec("console_upload", "Enviar um arquivo", PATH)
    .takes(InputForm::Multipart(file_field::<UploadForPiece>()))
    .partial(&[303])
    .fails(&[400, 404, 409, 413, 415]);

pub(crate) const UPLOAD: Entry =
    Entry::for_page::<UploadForPiece>(ROUTE, "Recebe uma imagem ou um vídeo e o anexa a uma peça.");

impl Page for UploadForPiece {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let fields = json!({ "event_id": self.event_id, "alt": nonblank_text(&self.alt) });
        match call_with_file(&view, OPERATION, self.pedido.as_deref(), fields).await {
            Ok(_) => Ok(redirect_after(
                &view,
                &media_path(&self.event_id),
                OPERATION,
            )),
            Err(error) => refuse_on_page(&view, &self.event_id, &error, Returned::default()).await,
        }
    }
}
