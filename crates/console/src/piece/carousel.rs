//! A carousel from the texts of its form.

use gateway::{Context, Entry, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{call, done, given, keyed, page::Kept, refuse};
use crate::{area::receiver, view::View};

/// The cards of a carousel.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Carousel {
    event_id: String,
    #[serde(default)]
    card: Vec<String>,
    #[serde(default)]
    style: String,
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
        let cards: Vec<Value> = texts.iter().map(|text| json!({ "text": text })).collect();
        let fields = json!({
            "event_id": self.event_id,
            "cards": cards,
            "style": given(&self.style),
        });
        let input = keyed(self.chave.as_deref(), fields);
        match call(&view, "generate_carousel", input).await {
            Ok(_) => Ok(done(&view, &self.event_id, "generate_carousel", "#midias")),
            Err(error) => {
                let kept = Kept {
                    cards: &texts,
                    ..Kept::default()
                };
                refuse(&view, &self.event_id, &error, kept).await
            }
        }
    }
}
