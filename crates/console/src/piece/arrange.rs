//! The order of the media of a piece, their alternative texts, and which ones leave it.

use gateway::{Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    call, done, key_field, keyed,
    model::{Event, Medium},
    page::Kept,
    path, refuse, typed,
};
use crate::{area::receiver, view::View};

/// What is written in the form of the media: for each, its id, place and alternative text.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Arrange {
    event_id: String,
    expected_revision: i64,
    #[serde(default)]
    media: Vec<String>,
    #[serde(default)]
    posicao: Vec<String>,
    #[serde(default)]
    alt: Vec<String>,
    /// As que saem.
    #[serde(default)]
    tirar: Vec<String>,
    chave: Option<String>,
}

const ROUTE: Spec = receiver(
    "console_arrange",
    "Organizar as mídias",
    "/eventos/{event_id}/midias",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 404, 409, 413]);

pub(crate) const ARRANGE: Entry = Entry::page::<Arrange>(
    ROUTE,
    "Muda a ordem e os textos alternativos das mídias de uma peça, ou as tira dela.",
);

impl Page for Arrange {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        match self.write(&view).await {
            Ok(()) => Ok(done(&view, &self.event_id, "update_event_media", "#midias")),
            Err(error) => refuse(&view, &self.event_id, &error, Kept::default()).await,
        }
    }
}

impl Arrange {
    async fn write(&self, view: &View<'_>) -> Result<()> {
        let count = self.media.len();
        if self.posicao.len() != count || self.alt.len() != count {
            return Err(Error::invalid(
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
                .map_err(|_| Error::invalid("posicao", "type", "deve ser um número"))?;
            placed.push((place, id));
            texts.push(json!({ "media_id": id, "alt": typed(alt) }));
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
        let input = keyed(self.chave.as_deref(), fields);
        call(view, "update_event_media", input).await.map(drop)
    }
}

pub(super) fn form(view: &View<'_>, event: &Event) -> Option<Markup> {
    if event.media.is_empty() || !view.may_call("update_event_media") {
        return None;
    }
    let action = format!("{}/midias", path(&event.id));
    Some(html! {
        details {
            summary { "Ordem e textos alternativos" }
            form method="post" action=(view.at(&action)) class="form stack" {
                (key_field())
                input type="hidden" name="expected_revision" value=(event.api_revision);
                ol class="arrange" {
                    @for (number, medium) in (1..).zip(&event.media) { li { (row(number, medium)) } }
                }
                button type="submit" { "Gravar mídias" }
                div class="outcome" role="alert" {}
            }
        }
    })
}

fn row(number: usize, medium: &Medium) -> Markup {
    html! {
        input type="hidden" name="media" value=(medium.id);
        @if medium.is_video() {
            video src=(medium.src()) preload="metadata" muted aria-hidden="true" {}
        } @else {
            img src=(medium.src()) alt="" loading="lazy" decoding="async";
        }
        div {
            label class="field" {
                span { "Posição da mídia " (number) }
                input type="number" name="posicao" min="1" max="200" step="0.5" value=(number);
            }
            label class="field" {
                span { "Texto alternativo da mídia " (number) }
                textarea name="alt" rows="2" maxlength="1000" dir="auto" { "\n" (medium.alt()) }
            }
            label class="choice" {
                input type="checkbox" name="tirar" value=(medium.id);
                span { "Tirar a mídia " (number) " da peça" }
            }
        }
    }
}
