//! Receives the order and alternative texts of media, and detaches media.

use domain::Revision;
use gateway::{Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    area::receiver_spec,
    forms::{keyed_input, redirect_after, unix_lines},
    piece::{
        model::media_path,
        page::{Returned, refuse_on_page},
    },
    view::View,
};

/// The form of the media. The lists `media`, `posicao` and `alt` have one entry per medium.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Arrange {
    event_id: String,
    expected_revision: Revision,
    #[serde(default)]
    media: Vec<String>,
    #[serde(default)]
    posicao: Vec<String>,
    #[serde(default)]
    alt: Vec<String>,
    /// As que saem.
    #[serde(default)]
    tirar: Vec<String>,
    pedido: Option<String>,
}

const ROUTE: Spec = receiver_spec(
    "console_arrange",
    "Organizar as mídias",
    "/eventos/{event_id}/midias",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 404, 409, 413]);

pub(crate) const ARRANGE: Entry = Entry::for_page::<Arrange>(
    ROUTE,
    "Muda a ordem e os textos alternativos das mídias de uma peça, ou as tira dela.",
);

impl Page for Arrange {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        match self.write_media(&view).await {
            Ok(()) => Ok(redirect_after(
                &view,
                &media_path(&self.event_id),
                "update_event_media",
            )),
            Err(error) => refuse_on_page(&view, &self.event_id, &error, Returned::default()).await,
        }
    }
}

impl Arrange {
    async fn write_media(&self, view: &View<'_>) -> Result<()> {
        let count = self.media.len();
        if self.posicao.len() != count || self.alt.len() != count {
            return Err(Error::invalid_field(
                "posicao",
                "required",
                "falta para alguma mídia",
            ));
        }
        let mut placed = vec![];
        let mut texts: Vec<Value> = vec![];
        let rows = self.media.iter().zip(&self.posicao).zip(&self.alt);
        for ((id, place), alt) in rows.filter(|((id, _), _)| !self.tirar.contains(id)) {
            let place: f64 = place
                .trim()
                .parse()
                .map_err(|_| Error::invalid_field("posicao", "type", "deve ser um número"))?;
            placed.push((place, id));
            texts.push(json!({ "media_id": id, "alt": unix_lines(alt) }));
        }
        placed.sort_by(|one, other| one.0.total_cmp(&other.0));
        let order: Vec<&String> = placed.into_iter().map(|(_, id)| id).collect();
        let fields = json!({
            "eventId": self.event_id,
            "expected_revision": self.expected_revision,
            "detach": self.tirar,
            "order": order,
            "alt": texts,
        });
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        view.call("update_event_media", input)
            .await
            .map(|_: Value| ())
    }
}
