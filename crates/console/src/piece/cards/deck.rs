//! A piece with the sources of its cards. Computes the changes that a form makes, and the operation's
//! input with these changes.

use domain::{Revision, Style};
use gateway::{Error, Result};
use serde_json::{Value, json};

use super::draft::{Card, Draft};
use crate::{
    forms::{nonblank_text, unix_lines},
    piece::{
        made::{Made, Source, is_card},
        model::{Medium, Piece},
    },
    view::View,
};

pub(super) struct Deck {
    pub piece: Piece,
    pub made: Made,
}

/// The effect of saving on a card.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum State {
    Same,
    /// Only the page mark of the card changes.
    Renumbered,
    Redrawn,
    New,
    /// The card does not change, because its source is unknown.
    Unknown,
}

impl Deck {
    /// Reads a piece, with its history back to the revision `until`.
    pub async fn read(view: &View<'_>, id: &str, until: Option<Revision>) -> Result<Self> {
        let piece = Piece::read(view, id, until).await?;
        let made = Made::read(view, &piece.event).await?;
        Ok(Self { piece, made })
    }

    /// Returns the content of the form with the stored cards.
    pub fn stored_draft(&self) -> Draft {
        let media = self.piece.event.media.iter();
        let cards = media.filter(|medium| is_card(medium)).map(|medium| {
            let source = self.made.card_source(&medium.id);
            let text = |of: fn(&Source) -> &Option<String>| {
                source
                    .and_then(|source| of(source).clone())
                    .unwrap_or_default()
            };
            let mut card = Card {
                key: medium.id.clone(),
                medium: medium.id.clone(),
                text: unix_lines(&text(|source| &source.text)),
                prompt: unix_lines(&text(|source| &source.prompt)),
                photo: text(|source| &source.photo_id),
                ..Card::default()
            };
            if source.is_some() {
                card.made_text = card.text_digest();
                card.made_background = card.background_digest();
            }
            card
        });
        Draft {
            revision: self.piece.event.api_revision.get(),
            style: self.common_style().map_or("", Style::as_str).into(),
            cards: cards.collect(),
            ..Draft::default()
        }
    }

    /// Returns the stored medium of a card.
    pub fn stored_medium(&self, card: &Card) -> Option<&Medium> {
        let mut media = self.piece.event.media.iter();
        media.find(|medium| medium.id == card.medium)
    }

    /// Returns the source of a card or, for a copy, the source of the copied card.
    fn card_source(&self, card: &Card) -> Option<&Source> {
        let base = if self.stored_medium(card).is_some() {
            &card.medium
        } else {
            &card.copied
        };
        self.made.card_source(base)
    }

    /// Returns true if the medium is a card. Saving the form replaces only media that are cards.
    pub fn is_card(&self, medium: &Medium) -> bool {
        is_card(medium)
    }

    fn card_styles(&self) -> impl Iterator<Item = Style> + '_ {
        let media = self.piece.event.media.iter();
        media
            .filter_map(|medium| self.made.card_source(&medium.id))
            .map(|source| source.style)
    }

    /// Returns the style of all cards. `None` if the cards have different styles.
    pub fn common_style(&self) -> Option<Style> {
        let first = self.card_styles().next()?;
        self.card_styles()
            .all(|style| style == first)
            .then_some(first)
    }

    /// Returns the style in which a card is drawn.
    pub fn card_style(&self, draft: &Draft, card: &Card) -> Style {
        let chosen = draft.style.parse().ok();
        let own = || self.card_source(card).map(|source| source.style);
        let first = || {
            let mut sources = draft.cards.iter().filter_map(|card| self.card_source(card));
            sources.next().map(|source| source.style)
        };
        chosen
            .or_else(own)
            .or_else(first)
            .unwrap_or_else(Style::epico)
    }

    /// Returns the effect of saving on the card at this index.
    pub fn card_state(&self, draft: &Draft, index: usize) -> State {
        let card = &draft.cards[index];
        if self.stored_medium(card).is_none() {
            return State::New;
        }
        let Some(source) = self
            .card_source(card)
            .filter(|_| !card.has_unknown_source())
        else {
            return State::Unknown;
        };
        let is_drawn_so = card.made_text == card.text_digest()
            && card.made_background == card.background_digest()
            && self.card_style(draft, card) == source.style;
        if !is_drawn_so {
            State::Redrawn
        } else if source.page == Some(index + 1) && source.pages == Some(draft.cards.len()) {
            State::Same
        } else {
            State::Renumbered
        }
    }

    /// Turns cards that are no longer on the piece into new cards with the same texts.
    pub fn detach_absent(&self, draft: &mut Draft) {
        let is_here = |id: &str| self.piece.event.media.iter().any(|medium| medium.id == id);
        for card in draft.cards.iter_mut().chain(&mut draft.removed) {
            let base = [&card.medium, &card.copied]
                .into_iter()
                .find(|id| !id.is_empty());
            if base.is_some_and(|id| !is_here(id)) {
                card.turn_into_new_card();
            }
        }
    }

    /// Returns the input for a preview of the card at this index. `None` if the stored card does not
    /// change, or if the card has no text.
    pub fn preview_input(&self, draft: &Draft, index: usize) -> Option<Value> {
        let card = &draft.cards[index];
        let is_stored = matches!(self.card_state(draft, index), State::Same | State::Unknown);
        let text = nonblank_text(&card.text).filter(|_| !is_stored)?;
        Some(json!({
            "text": text,
            "style": self.card_style(draft, card),
            "page": index + 1,
            "pages": draft.cards.len(),
            "background": nonblank_text(&card.prompt),
            "media_id": nonblank_text(&card.photo),
            "card": self.background_medium(card),
        }))
    }

    /// Returns the id of the medium whose background a new drawing may keep: the medium of the card or,
    /// for a copy, the medium of the copied card. `None` if the source of this medium is unknown.
    pub fn background_medium<'a>(&'a self, card: &'a Card) -> Option<&'a str> {
        self.card_source(card)?;
        let medium = self.stored_medium(card).map(|medium| medium.id.as_str());
        medium.or(Some(&card.copied))
    }
}

/// Returns the cards for the input of the operation, with only the values that differ from the sources
/// of the cards.
///
/// Fails with 400 if a card has no text, or has two backgrounds.
pub(super) fn card_inputs(draft: &Draft) -> Result<Vec<Value>> {
    let cards = draft.cards.iter().enumerate();
    cards.map(|(index, card)| card_input(index, card)).collect()
}

fn card_input(index: usize, card: &Card) -> Result<Value> {
    let [medium, copied, photo] =
        [&card.medium, &card.copied, &card.photo].map(|id| nonblank_text(id));
    if card.has_unknown_source() {
        return Ok(json!({ "media_id": medium }));
    }
    let refused = |field: &str, rule: &str, message: &str| {
        Error::invalid_field(&format!("cards.{index}.{field}"), rule, message)
    };
    if card.text.trim().is_empty() {
        let message = "está em branco: escreva-o, ou retire o card";
        return Err(refused("text", "required", message));
    }
    let prompt = nonblank_text(&card.prompt);
    if prompt.is_some() && photo.is_some() {
        let message = "é escolhida ou descrita: fique com uma das duas";
        return Err(refused("photo_id", "exclusive", message));
    }
    let is_kept = card.made_background == card.background_digest();
    let has_base = !card.made_background.is_empty();
    // An empty prompt removes the background of the existing card.
    let nothing = || (has_base && photo.is_none()).then(String::new);
    let background = prompt.or_else(nothing).filter(|_| !is_kept);
    let mut input = json!({
        "media_id": medium,
        "copy_of": copied,
        "text": (card.made_text != card.text_digest()).then_some(&card.text),
        "prompt": background,
        "photo_id": photo.filter(|_| !is_kept),
    });
    if let Some(fields) = input.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    Ok(input)
}
