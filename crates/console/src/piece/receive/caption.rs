//! Receives a caption to save or submit, bound to the revision that the person saw.
//!
//! A caption that was written over an older revision is saved over the current one if no other
//! person changed the caption. Otherwise both versions are shown.

use domain::Revision;
use gateway::{Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    area::receiver_spec,
    forms::{is_stale, keyed_input, redirect_with_warnings, unix_lines},
    piece::{
        conflict,
        details::put_date,
        model::{Piece, piece_path},
        page::{Returned, refuse_on_page},
    },
    view::View,
};

/// The form of the caption.
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
    /// As conversas que a versão enviada atende.
    #[serde(default)]
    comentarios_respondidos: Vec<String>,
    pedido: Option<String>,
}

const ROUTE: Spec = receiver_spec(
    "console_caption",
    "Salvar a legenda",
    "/eventos/{event_id}/legenda",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 404, 409, 413]);

pub(crate) const CAPTION: Entry = Entry::for_page::<Caption>(
    ROUTE,
    "Salva a legenda de uma peça ou a envia para aprovação; se a peça mudou, mostra as duas versões.",
);

impl Page for Caption {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        match self.write_caption(&view, self.expected_revision).await {
            Ok((operation, answer)) => {
                let path = piece_path(&self.event_id);
                redirect_with_warnings(&view, &path, operation, &answer)
            }
            Err(error) if is_stale(&error) => self.answer_stale(&view).await,
            Err(error) => self.answer_refusal(&view, &error).await,
        }
    }
}

impl Caption {
    fn is_submission(&self) -> bool {
        self.acao == "enviar"
    }

    /// Saves or submits the caption over this revision. Returns the name of the operation and its
    /// answer.
    async fn write_caption(
        &self,
        view: &View<'_>,
        revision: Revision,
    ) -> Result<(&'static str, Value)> {
        let mut fields = json!({
            "event_id": self.event_id,
            "expected_revision": revision,
            "caption": unix_lines(&self.caption),
        });
        let operation = if self.is_submission() {
            put_date(&mut fields, &self.data, &self.hora)?;
            fields["comentarios_respondidos"] = json!(self.comentarios_respondidos);
            "submit_for_approval"
        } else {
            "save_draft"
        };
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        view.call(operation, input)
            .await
            .map(|answer| (operation, answer))
    }

    /// Answers a form that is based on an old revision. If no other person changed the caption, a draft
    /// is saved over the current revision. Otherwise the person chooses between the two versions.
    async fn answer_stale(&self, view: &View<'_>) -> Result<Reply> {
        let seen = self.expected_revision;
        let piece = Piece::read(view, &self.event_id, Some(seen)).await?;
        let same = piece.covers_revision(seen) && piece.caption_at(seen) == piece.caption();
        if same && !self.is_submission() {
            match self.write_caption(view, piece.event.api_revision).await {
                Ok((operation, answer)) => {
                    let path = piece_path(&self.event_id);
                    return redirect_with_warnings(view, &path, operation, &answer);
                }
                Err(error) if is_stale(&error) => {}
                Err(error) => return self.answer_refusal(view, &error).await,
            }
        }
        Ok(conflict::caption_conflict_page(
            view,
            &piece,
            seen,
            &unix_lines(&self.caption),
        ))
    }

    async fn answer_refusal(&self, view: &View<'_>, error: &Error) -> Result<Reply> {
        let caption = unix_lines(&self.caption);
        let returned = Returned {
            caption: Some((&caption, self.expected_revision)),
            ..Returned::default()
        };
        refuse_on_page(view, &self.event_id, error, returned).await
    }
}
