//! A carousel from the texts of its form.

use gateway::{Context, Entry, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    area::receiver,
    fields::Field,
    piece::{
        calls::{call, done, given, keyed},
        make::Typed,
        page::{Kept, refuse},
    },
    view::View,
};

/// The cards of a carousel.
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
    chave: Option<String>,
}

const ROUTE: Spec = receiver(
    "console_carousel",
    "Gerar um carrossel",
    "/eventos/{event_id}/carrossel",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 404, 409, 413]);

pub(crate) const CAROUSEL: Entry = Entry::page::<Carousel>(
    ROUTE,
    "Gera um carrossel para uma peça com um card por texto informado.",
);

impl Page for Carousel {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        let texts: Vec<String> = self.card.iter().filter_map(|text| given(text)).collect();
        let background = given(&self.fundo);
        let card = |text: &String| match &background {
            Some(background) => json!({ "text": text, "prompt": background }),
            None => json!({ "text": text }),
        };
        let cards: Vec<Value> = texts.iter().map(card).collect();
        let fields = json!({
            "event_id": self.event_id,
            "cards": cards,
            "style": given(&self.style),
            "media_id": given(&self.media_id),
        });
        let input = keyed(self.chave.as_deref(), fields);
        match call(&view, "generate_carousel", input).await {
            Ok(_) => Ok(done(&view, &self.event_id, "generate_carousel", "#midias")),
            Err(error) => {
                let own = [
                    ("style", self.style),
                    ("media_id", self.media_id),
                    ("fundo", self.fundo),
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
                let kept = Kept {
                    typed: Typed {
                        fields: &fields,
                        ..Typed::default()
                    },
                    ..Kept::default()
                };
                refuse(&view, &self.event_id, &error, kept).await
            }
        }
    }
}
