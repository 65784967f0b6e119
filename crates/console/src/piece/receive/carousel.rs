//! Receives the form of a carousel, and generates it.

use gateway::{Context, Entry, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    area::receiver_spec,
    forms::{Field, keyed_input, nonblank_text, redirect_with_warnings},
    piece::{
        make::SentForm,
        model::media_path,
        page::{Returned, refuse_on_page},
    },
    view::View,
};

/// The form of a carousel.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Carousel {
    event_id: String,
    #[serde(default)]
    card: Vec<String>,
    #[serde(default)]
    style: String,
    #[serde(default)]
    media_id: String,
    /// O que um provedor desenha no fundo.
    #[serde(default)]
    fundo: String,
    pedido: Option<String>,
}

const ROUTE: Spec = receiver_spec(
    "console_carousel",
    "Gerar um carrossel",
    "/eventos/{event_id}/carrossel",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 404, 409, 413]);

pub(crate) const CAROUSEL: Entry = Entry::for_page::<Carousel>(
    ROUTE,
    "Gera um carrossel para uma peça com um card por texto informado.",
);

impl Page for Carousel {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let texts: Vec<String> = self
            .card
            .iter()
            .filter_map(|text| nonblank_text(text))
            .collect();
        let background = nonblank_text(&self.fundo);
        let card = |text: &String| match &background {
            Some(background) => json!({ "text": text, "prompt": background }),
            None => json!({ "text": text }),
        };
        let cards: Vec<Value> = texts.iter().map(card).collect();
        let fields = json!({
            "event_id": self.event_id,
            "cards": cards,
            "style": nonblank_text(&self.style),
            "media_id": nonblank_text(&self.media_id),
        });
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        match view.call::<Value>("generate_carousel", input).await {
            Ok(answer) => {
                let path = media_path(&self.event_id);
                redirect_with_warnings(&view, &path, "generate_carousel", &answer)
            }
            Err(error) => {
                let own = [
                    ("style", self.style),
                    ("media_id", self.media_id),
                    ("fundo", self.fundo),
                    ("pedido", self.pedido.unwrap_or_default()),
                ];
                let own = own.into_iter();
                let cards = texts.into_iter().map(|text| ("card", text));
                let fields: Vec<Field> = own
                    .chain(cards)
                    .map(|(name, value)| Field {
                        name: name.into(),
                        value,
                    })
                    .collect();
                let returned = Returned {
                    sent: SentForm {
                        fields: &fields,
                        ..SentForm::default()
                    },
                    ..Returned::default()
                };
                refuse_on_page(&view, &self.event_id, &error, returned).await
            }
        }
    }
}
