//! The caption: written, saved and submitted, bound to the revision that was read.

use domain::Revision;
use gateway::{Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    area::receiver,
    piece::{
        calls::{call, done, is_stale, keyed, typed},
        conflict,
        details::put_date,
        model::Piece,
        page::{Kept, refuse},
    },
    view::View,
};

/// What is written in the caption's form.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Caption {
    event_id: String,
    expected_revision: Revision,
    #[serde(default)]
    caption: String,
    /// `enviar` salva e envia para aprovação.
    #[serde(default)]
    acao: String,
    /// A data proposta ao enviar.
    #[serde(default)]
    data: String,
    #[serde(default)]
    hora: String,
    chave: Option<String>,
}

const ROUTE: Spec = receiver(
    "console_caption",
    "Gravar a legenda",
    "/eventos/{event_id}/legenda",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 404, 409, 413]);

pub(crate) const CAPTION: Entry = Entry::page::<Caption>(
    ROUTE,
    "Salva a legenda de uma peça ou a envia para aprovação; se a peça mudou, mostra as duas versões.",
);

impl Page for Caption {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        match self.write(&view, self.expected_revision).await {
            Ok(operation) => Ok(done(&view, &self.event_id, operation, "")),
            Err(error) if is_stale(&error) => self.stale(&view).await,
            Err(error) => self.refused(&view, &error).await,
        }
    }
}

impl Caption {
    fn submits(&self) -> bool {
        self.acao == "enviar"
    }

    /// Writes over this revision; the name of the operation that did it.
    async fn write(&self, view: &View<'_>, revision: Revision) -> Result<&'static str> {
        let mut fields = json!({
            "event_id": self.event_id,
            "expected_revision": revision,
            "caption": typed(&self.caption),
        });
        let operation = if self.submits() {
            put_date(&mut fields, &self.data, &self.hora)?;
            "submit_for_approval"
        } else {
            "save_draft"
        };
        let input = keyed(self.chave.as_deref(), fields);
        call(view, operation, input).await.map(|_: Value| operation)
    }

    /// The piece changed meanwhile. Where nobody else changed the caption, a draft is saved over the
    /// revision of now; otherwise the person chooses between both versions.
    async fn stale(&self, view: &View<'_>) -> Result<Reply> {
        let seen = self.expected_revision;
        let piece = Piece::read(view, &self.event_id, Some(seen)).await?;
        let same = piece.knows(seen) && piece.caption_at(seen) == piece.caption();
        if same && !self.submits() {
            match self.write(view, piece.event.api_revision).await {
                Ok(operation) => return Ok(done(view, &self.event_id, operation, "")),
                Err(error) if is_stale(&error) => {}
                Err(error) => return self.refused(view, &error).await,
            }
        }
        Ok(conflict::caption(view, &piece, seen, &typed(&self.caption)))
    }

    async fn refused(&self, view: &View<'_>, error: &Error) -> Result<Reply> {
        let caption = typed(&self.caption);
        let kept = Kept {
            caption: Some((&caption, self.expected_revision)),
            ..Kept::default()
        };
        refuse(view, &self.event_id, error, kept).await
    }
}
