//! Decides which cards of a corrected carousel are drawn again, and which places the cards take.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Style,
    attach::CARD,
    cards::{Background, CardDraft},
    photo::require_photo,
};
use crate::visibility;
use domain::{MediaId, VISIBLE};
use gateway::{Context, Error, Result};
use store::{
    events::Attached,
    media_sources::{self, Source},
};

/// Um card que fica, muda ou entra.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CorrectedCard {
    /// Card do evento que fica; ausente, o card é novo.
    pub media_id: Option<MediaId>,
    /// Card do evento de que um card novo parte; o que vier aqui toma o lugar do que era dele.
    pub copy_of: Option<MediaId>,
    /// Texto do card; ausente, o de antes.
    #[schemars(length(min = 1, max = 2000), regex(pattern = *VISIBLE))]
    pub text: Option<String>,
    /// O que o fundo mostra; ausente, o fundo é o de antes; vazio, é o do estilo.
    #[schemars(length(max = 4000))]
    pub prompt: Option<String>,
    /// Imagem guardada que passa a ser o fundo, sem `prompt`.
    pub photo_id: Option<MediaId>,
}

/// A card of the corrected carousel.
pub(super) struct Corrected {
    /// The card of the event that the corrected card keeps or replaces; `None` for a new card.
    pub kept: Option<Attached>,
    /// The card to draw; `None` if the card is unchanged.
    pub draft: Option<CardDraft>,
    /// The alternative text, if a member wrote it. A new drawing of the card does not replace this
    /// text.
    pub kept_alt: Option<String>,
    /// True if the text of the card changes.
    rewritten: bool,
}

impl Corrected {
    /// Returns the warning about an alternative text that may no longer describe its card.
    pub(super) fn alt_warning(&self) -> Option<String> {
        let draft = self.draft.as_ref().filter(|_| self.rewritten)?;
        self.kept_alt.as_ref()?;
        Some(format!(
            "No card {}, o texto alternativo foi escrito à mão e ficou como estava: confira se ainda vale.",
            draft.index + 1
        ))
    }
}

/// Plans each card of the corrected carousel. Refuses (404) a card whose medium is not on this event,
/// and (400) a card whose fields contradict each other or are not enough to draw the card.
pub(super) async fn plan_correction(
    ctx: &Context<'_>,
    slides: &[Attached],
    cards: &[CorrectedCard],
    style: Option<Style>,
) -> Result<Vec<Corrected>> {
    let mut sources = media_sources::find_all(&ctx.db(), slides.iter().map(|s| &s.id)).await?;
    sources.retain(|_, source| source.text.is_some());
    let mut named = BTreeSet::new();
    for (index, card) in cards.iter().enumerate() {
        if card.media_id.as_ref().is_some_and(|id| !named.insert(id)) {
            return Err(card_field_error(index, "media_id", "unique", REPEATED));
        }
        if card.media_id.is_some() && card.copy_of.is_some() {
            return Err(card_field_error(index, "copy_of", "exclusive", BOTH));
        }
        if card.photo_id.is_some() && card.prompt.is_some() {
            return Err(card_field_error(
                index,
                "photo_id",
                "exclusive",
                TWO_BACKGROUNDS,
            ));
        }
    }
    require_photos(ctx, cards).await?;
    let bases = cards.iter().filter_map(|card| base_media_id(card));
    let first_style = bases
        .filter_map(|id| sources.get(id))
        .map(|s| s.style)
        .next();
    let new_style = style.or(first_style).unwrap_or_else(Style::epico);
    let planning = Planning {
        slides,
        sources,
        style,
        new_style,
        count: cards.len(),
    };
    let planned = cards.iter().enumerate();
    planned
        .map(|(index, card)| planning.plan_card(index, card))
        .collect()
}

/// Refuses (404) a background that the caller may not see, and (400) a background that is not an image.
async fn require_photos(ctx: &Context<'_>, cards: &[CorrectedCard]) -> Result<()> {
    let chosen = cards.iter().filter_map(|card| card.photo_id.clone());
    let chosen: Vec<MediaId> = chosen.collect::<BTreeSet<_>>().into_iter().collect();
    let photos = visibility::require_media(ctx, &chosen).await?;
    for (index, card) in cards.iter().enumerate() {
        let photo = photos
            .iter()
            .find(|photo| Some(&photo.id) == card.photo_id.as_ref());
        if let Some(photo) = photo {
            require_photo(photo, &format!("cards.{index}.photo_id"))?;
        }
    }
    Ok(())
}

const REPEATED: &str = "já está na lista; para repetir um card, use `copy_of`";
const BOTH: &str = "vale num card novo, sem `media_id`";
const TWO_BACKGROUNDS: &str = "um card tem um fundo só: informe `prompt` ou `photo_id`";
const NO_TEXT: &str = "é obrigatório num card novo";
const NO_SOURCE: &str = "não guarda com o que foi feita: mande-a sem mais nada para que fique, ou um card novo no lugar dela";

fn base_media_id(card: &CorrectedCard) -> Option<&MediaId> {
    card.media_id.as_ref().or(card.copy_of.as_ref())
}

fn card_field_error(index: usize, field: &str, rule: &str, message: &str) -> Error {
    Error::invalid_field(&format!("cards.{index}.{field}"), rule, message)
}

struct Planning<'a> {
    slides: &'a [Attached],
    sources: BTreeMap<MediaId, Source>,
    style: Option<Style>,
    new_style: Style,
    count: usize,
}

impl Planning<'_> {
    fn plan_card(&self, index: usize, card: &CorrectedCard) -> Result<Corrected> {
        let base = base_media_id(card).map(|id| {
            let slide = self.slides.iter().find(|slide| slide.id == *id);
            slide.ok_or_else(|| Error::not_found_in("mídia deste evento", "get_event"))
        });
        let base = base.transpose()?;
        let kept = base.filter(|_| card.media_id.is_some());
        let source = base.and_then(|slide| self.sources.get(&slide.id));
        let changes = card.text.is_some() || card.prompt.is_some() || card.photo_id.is_some();
        if base.is_some() && source.is_none() {
            if kept.is_some() && !changes {
                return Ok(Corrected {
                    kept: kept.cloned(),
                    draft: None,
                    kept_alt: None,
                    rewritten: false,
                });
            }
            let field = if kept.is_some() {
                "media_id"
            } else {
                "copy_of"
            };
            return Err(card_field_error(index, field, "source", NO_SOURCE));
        }
        let old_text = source.and_then(|source| source.text.as_ref());
        let text = card.text.as_ref().or(old_text);
        let text = text.ok_or_else(|| card_field_error(index, "text", "required", NO_TEXT))?;
        let old_background = source.map_or(Background::Plain, source_background);
        let draft = CardDraft {
            index,
            text: text.clone(),
            style: self
                .style
                .or(source.map(|source| source.style))
                .unwrap_or(self.new_style),
            background: new_background(card, &old_background),
        };
        let rewritten = old_text != Some(text);
        let is_unchanged = kept.is_some()
            && !rewritten
            && draft.background == old_background
            && source.is_some_and(|source| {
                source.style == draft.style && self.has_page_mark(source, index)
            });
        let written = |alt: &String| Some(alt) != old_text;
        Ok(Corrected {
            kept: kept.cloned(),
            draft: (!is_unchanged).then_some(draft),
            kept_alt: kept.and_then(|slide| slide.alt.clone().filter(written)),
            rewritten,
        })
    }

    /// True if the card was drawn with the page mark of this position.
    fn has_page_mark(&self, source: &Source, index: usize) -> bool {
        let is = |page: Option<i64>, number: usize| {
            page.and_then(|page| usize::try_from(page).ok()) == Some(number)
        };
        is(source.page, index + 1) && is(source.pages, self.count)
    }
}

fn source_background(source: &Source) -> Background {
    match (&source.prompt, &source.photo_id) {
        (Some(prompt), _) => Background::Kept(prompt.clone(), source.background_id.clone()),
        (None, Some(photo)) => Background::Photo(photo.clone()),
        (None, None) => Background::Plain,
    }
}

/// Returns the background after the correction. An unchanged prompt keeps the background that was drawn.
fn new_background(card: &CorrectedCard, old: &Background) -> Background {
    if let Some(photo) = &card.photo_id {
        return Background::Photo(photo.clone());
    }
    match (&card.prompt, old) {
        (None, old) => old.clone(),
        (Some(prompt), Background::Kept(earlier, _)) if prompt == earlier => old.clone(),
        (Some(prompt), _) if prompt.trim().is_empty() => Background::Plain,
        (Some(prompt), _) => Background::Requested(prompt.clone()),
    }
}

/// Returns the media of the event with the corrected cards. The cards take the places of the
/// earlier cards, and additional cards follow the last of these places. Other media keep their
/// order.
pub(super) fn arrange_cards(slides: &[Attached], cards: &[Attached]) -> Vec<Attached> {
    let is_place =
        |slide: &Attached| slide.kind == CARD || cards.iter().any(|card| card.id == slide.id);
    let last = slides.iter().rposition(is_place);
    let mut next = cards.iter().cloned();
    let mut arranged = vec![];
    if last.is_none() {
        arranged.extend(next.by_ref());
    }
    for (at, slide) in slides.iter().enumerate() {
        if is_place(slide) {
            arranged.extend(next.next());
        } else {
            arranged.push(slide.clone());
        }
        if Some(at) == last {
            arranged.extend(next.by_ref());
        }
    }
    let same = arranged.len() == slides.len();
    for (number, (at, slide)) in (0i64..).zip(arranged.iter_mut().enumerate()) {
        let earlier = slides.get(at).filter(|_| same);
        slide.slide_index = earlier.map_or(number, |earlier| earlier.slide_index);
    }
    arranged
}
