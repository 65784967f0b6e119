//! The typographic renderer built in: no provider, no network.

use async_trait::async_trait;
use bytes::Bytes;
use tools::{
    ports::{ArtRequest, CardRequest, ImageGenerator, Picture},
    registry::{Code, Error, Result},
};
use typeset::{Card, DoesNotFit, Format, Image, Overflow};

use super::pictures;

/// Draws prompts and card texts as well-set cards.
#[derive(Debug, Clone, Copy)]
pub struct LocalImages;

#[async_trait]
impl ImageGenerator for LocalImages {
    async fn art(&self, request: ArtRequest) -> Result<Picture> {
        pictures::run(move || {
            let card = Card {
                text: &request.prompt,
                style: style(request.style),
                width: request.width,
                height: request.height,
                overflow: Overflow::Ellipsis,
                background: None,
                seed: seed(&request.prompt),
                page: None,
            };
            finish(&card)
        })
        .await
    }

    async fn card(&self, request: CardRequest) -> Result<Picture> {
        pictures::run(move || set(&request, None)).await
    }
}

impl LocalImages {
    /// A card over a background that was made elsewhere.
    pub(super) async fn card_over(
        &self,
        request: CardRequest,
        background: Bytes,
    ) -> Result<Picture> {
        pictures::run(move || {
            let (_, image) = pictures::decode(&background).map_err(|_| {
                Error::new(Code::ProviderFailed)
                    .because("O provedor de imagens falhou: o que veio não é uma imagem.")
            })?;
            let pixels = image.to_rgb8();
            let (width, height) = pixels.dimensions();
            let background = Image::new(width, height, pixels.into_raw())
                .ok_or_else(|| Error::internal("the background has no pixels"))?;
            set(&request, Some(&background))
        })
        .await
    }
}

fn set(request: &CardRequest, background: Option<&Image>) -> Result<Picture> {
    let card = Card {
        text: &request.text,
        style: style(request.style),
        width: request.width,
        height: request.height,
        overflow: Overflow::Refuse,
        background,
        // One carousel has one palette, whatever its cards say.
        seed: 0,
        page: Some(request.page),
    };
    finish(&card)
}

fn finish(card: &Card<'_>) -> Result<Picture> {
    let image = typeset::render(card).map_err(|DoesNotFit| {
        Error::invalid("text", "fit", "não cabe no menor corpo legível; encurte")
    })?;
    Ok(Picture {
        bytes: image.encode(Format::Jpeg).into(),
        media_type: "image/jpeg",
        width: card.width,
        height: card.height,
    })
}

fn style(style: tools::media::Style) -> typeset::Style {
    match style {
        tools::media::Style::Epico => typeset::Style::Epico,
        tools::media::Style::Minimalista => typeset::Style::Minimalista,
        tools::media::Style::Editorial => typeset::Style::Editorial,
        tools::media::Style::Vibrante => typeset::Style::Vibrante,
    }
}

/// The same text gives the same picture.
fn seed(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
