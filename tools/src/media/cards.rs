//! Draws cards of a carousel.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};

use super::{Style, brand, photo::load_stored_image, size::DEFAULT};
use domain::MediaId;
use gateway::{Code, Context, Error, Result};
use ports::{CardRequest, Look, Picture};
use store::media_sources::Source;

/// Maximum cards drawn at the same time.
const AT_ONCE: usize = 4;

/// The background of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Background {
    /// The background of the style.
    Plain,
    /// A stored image that the caller may see.
    Photo(MediaId),
    /// A background that a provider draws now, from this prompt.
    Requested(String),
    /// A background that was requested before: the prompt, and the medium if a provider drew it.
    Kept(String, Option<MediaId>),
}

/// A card that is to be drawn.
#[derive(Debug, Clone)]
pub(super) struct CardDraft {
    /// The position in the carousel, counted from 0.
    pub index: usize,
    pub text: String,
    pub style: Style,
    pub background: Background,
}

impl CardDraft {
    /// Builds the record of the inputs from which the card was drawn. The id of a new background is
    /// added when the background is stored.
    pub(super) fn to_source(&self, count: usize, maker: &str) -> Result<Source> {
        let number = |number: usize| i64::try_from(number).map_err(Error::internal);
        let (prompt, photo_id, background_id) = match self.background.clone() {
            Background::Plain => (None, None, None),
            Background::Photo(photo) => (None, Some(photo), None),
            Background::Requested(prompt) => (Some(prompt), None, None),
            Background::Kept(prompt, background) => (Some(prompt), None, background),
        };
        Ok(Source {
            text: Some(self.text.clone()),
            prompt,
            style: self.style,
            quality: None,
            photo_id,
            background_id,
            page: Some(number(self.index + 1)?),
            pages: Some(number(count)?),
            maker: maker.to_owned(),
        })
    }

    /// True if a provider may draw the background.
    fn needs_provider(&self) -> bool {
        matches!(self.background, Background::Requested(_))
    }

    /// Returns the stored image over which the card is drawn.
    fn stored_background(&self) -> Option<&MediaId> {
        match &self.background {
            Background::Photo(id) | Background::Kept(_, Some(id)) => Some(id),
            Background::Plain | Background::Requested(_) | Background::Kept(_, None) => None,
        }
    }

    fn build_request(
        &self,
        count: usize,
        images: &BTreeMap<MediaId, Bytes>,
        look: Option<Arc<Look>>,
    ) -> Result<CardRequest> {
        let number = |number: usize| u32::try_from(number).map_err(Error::internal);
        let prompt = match &self.background {
            Background::Requested(prompt) => Some(prompt.clone()),
            _ => None,
        };
        let photo = self.stored_background().and_then(|id| images.get(id));
        Ok(CardRequest {
            text: self.text.clone(),
            prompt,
            photo: photo.cloned(),
            style: self.style,
            width: DEFAULT.0,
            height: DEFAULT.1,
            page: (number(self.index + 1)?, number(count)?),
            look,
        })
    }
}

/// Returns the provider of the pictures: `local`, unless an external provider drew at least one of the
/// pictures.
pub(super) fn picture_provider(pictures: &[Picture]) -> &'static str {
    let foreign = pictures.iter().map(|p| p.maker).find(|m| *m != "local");
    foreign.unwrap_or("local")
}

/// Returns the warnings of the image generator as sentences. With several cards, each sentence names its
/// card.
pub(super) fn card_warnings(
    drafts: &[CardDraft],
    pictures: &[Picture],
    count: usize,
) -> Vec<String> {
    let sentences = drafts.iter().zip(pictures).flat_map(|(draft, picture)| {
        let place = if count > 1 {
            format!("No card {}, ", draft.index + 1)
        } else {
            "Nesta peça, ".into()
        };
        let warnings = picture.warnings.iter();
        warnings.map(move |warning| format!("{place}{warning}."))
    });
    sentences.collect()
}

/// Draws cards of a carousel of `count` cards, a few at a time, before anything is stored. First
/// checks that all texts fit, because a background may cost money. Also returns a warning about the
/// brand.
///
/// Stops if the caller disconnects, unless a provider draws a background: its work is paid for, so
/// the cards must be stored.
pub(super) async fn draw_cards(
    ctx: &Context<'_>,
    drafts: &[CardDraft],
    count: usize,
) -> Result<(Vec<Picture>, Option<String>)> {
    let (look, unread) = brand::load_look(ctx).await?;
    let stored = load_backgrounds(ctx, drafts).await?;
    let mut requests = vec![];
    for draft in drafts {
        requests.push(draft.build_request(count, &stored, look.clone())?);
    }
    let images = &ctx.services.images;
    for (draft, request) in drafts.iter().zip(&requests) {
        let fits = images.require_fitting_text(request.clone()).await;
        fits.map_err(|error| name_card_in_error(error, draft.index))?;
    }
    ctx.reserve_pictures(drafts.len()).await?;
    let is_paid = drafts.iter().any(CardDraft::needs_provider);
    let steps = Steps::begin(ctx, drafts.len());
    let steps = &steps;
    let indexes = drafts.iter().map(|draft| draft.index);
    let indexes: Vec<usize> = indexes.collect();
    let drawn = indexes.into_iter().zip(requests).map(|(index, request)| {
        let over_image = request.photo.is_some();
        let drawing = images.draw_card(request);
        async move {
            let drawn = drawing.await.map_err(|error| match error.code {
                // The texts were checked before, so the image is the cause.
                Code::INVALID_INPUT if over_image => error,
                _ => name_card_in_error(error, index),
            })?;
            steps.report_card();
            Ok(drawn)
        }
    });
    let drawing = stream::iter(drawn)
        .buffered(AT_ONCE)
        .try_collect::<Vec<_>>();
    let pictures = match is_paid {
        true => drawing.await?,
        false => ctx.until_caller_leaves(drawing).await?,
    };
    Ok((pictures, unread))
}

/// Reports the number of drawn cards as progress. The last step stands for storing the cards.
struct Steps<'c, 's> {
    ctx: &'c Context<'s>,
    drawn: AtomicU64,
    cards: u64,
}

impl<'c, 's> Steps<'c, 's> {
    fn begin(ctx: &'c Context<'s>, cards: usize) -> Self {
        let cards = u64::try_from(cards).unwrap_or(u64::MAX);
        let message = || match cards {
            1 => "Desenhando o card".into(),
            _ => format!("Desenhando {cards} cards"),
        };
        ctx.report_progress(0, Some(cards + 1), message);
        let drawn = AtomicU64::new(0);
        Self { ctx, drawn, cards }
    }

    fn report_card(&self) {
        let (drawn, cards) = (self.drawn.fetch_add(1, Ordering::Relaxed) + 1, self.cards);
        self.ctx
            .report_progress(drawn, Some(cards + 1), || match drawn == cards {
                true => "Cards desenhados; guardando".into(),
                false => format!("{drawn} de {cards} cards desenhados"),
            });
    }
}

/// Loads each stored background once.
async fn load_backgrounds(
    ctx: &Context<'_>,
    drafts: &[CardDraft],
) -> Result<BTreeMap<MediaId, Bytes>> {
    let mut images = BTreeMap::new();
    for id in drafts.iter().filter_map(CardDraft::stored_background) {
        if !images.contains_key(id) {
            let image = load_stored_image(ctx.services, id).await?;
            let absent = || Error::internal("o fundo de um cartão não é uma imagem guardada");
            images.insert(id.clone(), image.ok_or_else(absent)?);
        }
    }
    Ok(images)
}

/// Names the card in an error.
fn name_card_in_error(error: Error, index: usize) -> Error {
    if error.code == Code::INVALID_INPUT {
        let field = format!("cards.{index}.text");
        return Error::invalid_field(
            &field,
            "fit",
            "não cabe no card no menor corpo legível; encurte",
        );
    }
    error.with_detail("card", format!("cards.{index}").into())
}
