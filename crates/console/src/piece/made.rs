//! The inputs from which the media of a piece were generated, and the links to the pages that correct
//! these media.

use std::collections::BTreeMap;

use domain::Style;
use gateway::Result;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::{
    make::CORRECTED,
    model::{Event, Medium, cards_path, image_path},
};
use crate::{forms::Field, view::View};

/// The kind of a card of a carousel.
const CARD: &str = "card";
/// The maximum number of media in one read, and the maximum number of reads.
const MOST: u64 = 200;
const READS: usize = 5;

/// The inputs from which a medium was generated.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Source {
    /// The text of a card. `None` for a single image.
    pub text: Option<String>,
    /// The description of a single image, or of the background of a card.
    pub prompt: Option<String>,
    pub style: Style,
    pub size: Option<String>,
    pub quality: Option<String>,
    /// The stored image that was chosen as background.
    pub photo_id: Option<String>,
    /// The number of a card in its page mark, counted from 1.
    pub page: Option<usize>,
    pub pages: Option<usize>,
}

/// The sources of the generated media of a piece, by the id of the medium.
#[derive(Debug, Default)]
pub(super) struct Made(BTreeMap<String, Source>);

#[derive(Debug, Deserialize)]
struct Listed {
    media: Vec<ListedMedium>,
    next_cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ListedMedium {
    id: String,
    source: Option<Source>,
}

impl Made {
    /// Reads the sources of the generated media of a piece. Empty for a viewer who may not list media.
    pub async fn read(view: &View<'_>, event: &Event) -> Result<Self> {
        let mut made = BTreeMap::new();
        if !view.may_call("list_media") || event.media.is_empty() {
            return Ok(Self(made));
        }
        let mut cursor = None;
        for _ in 0..READS {
            let input =
                json!({ "event_id": event.id, "tipo": "imagem", "limit": MOST, "cursor": cursor });
            let page: Listed = view.read("list_media", input).await?;
            let sources = page.media.into_iter();
            made.extend(sources.filter_map(|medium| Some((medium.id, medium.source?))));
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        Ok(Self(made))
    }

    /// Returns the source of a card.
    pub fn card_source(&self, id: &str) -> Option<&Source> {
        self.0.get(id).filter(|source| source.text.is_some())
    }

    /// Returns the source of a single image.
    pub fn image_source(&self, id: &str) -> Option<&Source> {
        self.0
            .get(id)
            .filter(|source| source.text.is_none() && source.prompt.is_some())
    }
}

/// Returns the fields of the form that generates an image, filled with the source of this image. Sending
/// the form replaces this image.
pub(super) fn image_form_fields(event: &Event, made: &Made, id: &str) -> Option<Vec<Field>> {
    let source = made.image_source(id)?;
    let number = event.media.iter().position(|medium| medium.id == id)?;
    let medium = &event.media[number];
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let fields = [
        (CORRECTED, (number + 1).to_string()),
        ("prompt", text(&source.prompt)),
        ("style", source.style.as_str().into()),
        ("size", text(&source.size)),
        ("media_id", text(&source.photo_id)),
        (
            "slide_index",
            medium.slide_index.unwrap_or_default().to_string(),
        ),
        ("quality", text(&source.quality)),
        ("kind", text(&medium.kind)),
    ];
    let fields = fields.into_iter().map(|(name, value)| Field {
        name: name.into(),
        value,
    });
    Some(fields.collect())
}

/// Returns true if the medium is a card of a carousel.
pub(super) fn is_card(medium: &Medium) -> bool {
    medium.kind.as_deref() == Some(CARD)
}

/// Draws the links to the pages that correct the generated media of a piece.
pub(super) fn correction_links(view: &View<'_>, event: &Event, made: &Made) -> Option<Markup> {
    if !event.is_editable() {
        return None;
    }
    let has_cards = view.may_call("update_carousel") && event.media.iter().any(is_card);
    let images = (1..).zip(&event.media);
    let images = images.filter(|(_, medium)| made.image_source(&medium.id).is_some());
    let images: Vec<(usize, &Medium)> = images.filter(|_| view.may_call("generate_art")).collect();
    (has_cards || !images.is_empty()).then(|| {
        html! {
            p class="row correct" {
                @if has_cards {
                    a class="button quiet" href=(view.href_to(&cards_path(&event.id))) { "Corrigir cards" }
                }
                @for (number, medium) in &images {
                    a class="button quiet" href=(view.href_to(&image_path(&event.id, &medium.id))) {
                        "Corrigir a imagem" @if event.media.len() > 1 { " " (number) }
                    }
                }
            }
        }
    })
}
