use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::draw::draw_posting;
use crate::{
    area::page_spec,
    piece::{
        model::{Event, piece_path},
        variant::Variant,
    },
    shell,
    view::View,
};

/// The page on which a person posts a variant by hand.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PostingPage {
    event_id: String,
    canal: String,
    formato: String,
}

const ROUTE: Spec = page_spec(
    "console_posting",
    "Publicar à mão",
    "/eventos/{event_id}/canais/{canal}/{formato}/postar",
)
.fails(&[404]);

pub(crate) const PAGE: Entry = Entry::for_page::<PostingPage>(
    ROUTE,
    "O texto e os arquivos de um canal da peça, para publicar à mão.",
);

/// A piece with its variants.
#[derive(Deserialize)]
struct Read {
    evento: Event,
    #[serde(default)]
    variantes: Vec<Variant>,
}

impl Page for PostingPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = json!({ "eventId": self.event_id, "limit": 1 });
        let read: Read = view.read("get_event", input).await?;
        let mut variants = read.variantes.iter();
        let variant = variants
            .find(|variant| variant.canal == self.canal && variant.formato.as_str() == self.formato)
            .ok_or_else(|| Error::not_found("canal nesta peça"))?;
        let body = draw_posting(&view, &read.evento, variant, &piece_path(&self.event_id));
        let title = format!("Postar: {}", read.evento.title);
        Ok(shell::reading_page(&view, &title, &body))
    }
}
