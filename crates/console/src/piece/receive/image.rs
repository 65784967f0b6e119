//! Receives the form of one image, and generates it.
//!
//! The form contains the revision of the piece that the person saw, so that a correction does not
//! replace a newer image. If the piece has a newer revision with the same media, the image is generated
//! for the newer revision. If the media have changed, the page shows the current media and the form with
//! its texts.

use domain::Revision;
use gateway::{Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    area::receiver_spec,
    forms::{
        Field, is_stale, keyed_input, nonblank_text, redirect_with_warnings, unix_lines,
        with_error_status,
    },
    piece::{
        conflict::changes_notice,
        make::{CORRECTED, SentForm},
        model::{Piece, media_path},
        page::{Returned, piece_page, refuse_on_page},
    },
    view::View,
};

/// The form of an image.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Image {
    event_id: String,
    expected_revision: Revision,
    #[serde(default)]
    prompt: String,
    #[serde(default)]
    style: String,
    #[serde(default)]
    size: String,
    #[serde(default)]
    media_id: String,
    #[serde(default)]
    slide_index: u8,
    #[serde(default)]
    quality: String,
    #[serde(default)]
    kind: String,
    /// O número da imagem que se corrige.
    #[serde(default)]
    corrige: String,
    pedido: Option<String>,
}

const OPERATION: &str = "generate_art";

const ROUTE: Spec = receiver_spec(
    "console_image",
    "Gerar uma imagem",
    "/eventos/{event_id}/imagem",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 404, 409, 413]);

pub(crate) const IMAGE: Entry = Entry::for_page::<Image>(
    ROUTE,
    "Gera uma imagem para uma peça, ou a corrige; se as mídias mudaram, mostra as de agora.",
);

impl Page for Image {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        match self.generate(&view, self.expected_revision).await {
            Ok(answer) => self.redirect(&view, &answer),
            Err(error) if is_stale(&error) => self.answer_stale(&view, error).await,
            Err(error) => self.answer_refusal(&view, &error).await,
        }
    }
}

impl Image {
    /// Generates the image for the piece at this revision.
    async fn generate(&self, view: &View<'_>, revision: Revision) -> Result<Value> {
        let fields = json!({
            "event_id": self.event_id,
            "expected_revision": revision,
            "prompt": unix_lines(&self.prompt),
            "style": nonblank_text(&self.style),
            "size": nonblank_text(&self.size),
            "media_id": nonblank_text(&self.media_id),
            "slide_index": self.slide_index,
            "quality": nonblank_text(&self.quality),
            "kind": nonblank_text(&self.kind),
        });
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        view.call(OPERATION, input).await
    }

    fn redirect(&self, view: &View<'_>, answer: &Value) -> Result<Reply> {
        redirect_with_warnings(view, &media_path(&self.event_id), OPERATION, answer)
    }

    /// Answers a form that contains an old revision of the piece. If the current media are those of the
    /// old revision, generates the image for the current revision. Otherwise shows the current media,
    /// and the form with its texts.
    async fn answer_stale(&self, view: &View<'_>, stale: Error) -> Result<Reply> {
        let seen = self.expected_revision;
        let piece = Piece::read(view, &self.event_id, Some(seen)).await?;
        let now = piece.event.api_revision;
        if piece.covers_revision(seen) && piece.media_at(seen) == piece.media_at(now) {
            match self.generate(view, now).await {
                Ok(answer) => return self.redirect(view, &answer),
                Err(error) if is_stale(&error) => {}
                Err(error) => return self.answer_refusal(view, &error).await,
            }
        }
        let notice = html! {
            div class="notice wait" role="alert" {
                p {
                    strong { "As mídias mudaram enquanto você descrevia a imagem." }
                    " Nada foi sobrescrito, e o que você escreveu está aqui."
                }
                p { "Confira o lugar da imagem antes de gerar." }
            }
            (changes_notice(&piece, seen))
        };
        let fields = self.content_fields();
        let returned = Returned {
            sent: SentForm {
                fields: &fields,
                notice: Some(&notice),
                ..SentForm::default()
            },
            ..Returned::default()
        };
        let page = piece_page(view, &self.event_id, None, returned).await?;
        Ok(with_error_status(page, &stale).with_header("hx-push-url", "false"))
    }

    async fn answer_refusal(&self, view: &View<'_>, error: &Error) -> Result<Reply> {
        let mut fields = self.content_fields();
        let own = [
            ("expected_revision", self.expected_revision.to_string()),
            ("pedido", self.pedido.clone().unwrap_or_default()),
        ];
        fields.extend(own.map(to_field));
        let returned = Returned {
            sent: SentForm {
                fields: &fields,
                ..SentForm::default()
            },
            ..Returned::default()
        };
        refuse_on_page(view, &self.event_id, error, returned).await
    }

    /// Returns the fields that describe the image, for the form that is shown again.
    fn content_fields(&self) -> Vec<Field> {
        let fields = [
            (CORRECTED, self.corrige.clone()),
            ("prompt", unix_lines(&self.prompt)),
            ("style", self.style.clone()),
            ("size", self.size.clone()),
            ("media_id", self.media_id.clone()),
            ("slide_index", self.slide_index.to_string()),
            ("quality", self.quality.clone()),
            ("kind", self.kind.clone()),
        ];
        fields.map(to_field).into()
    }
}

fn to_field((name, value): (&str, String)) -> Field {
    Field {
        name: name.into(),
        value,
    }
}
