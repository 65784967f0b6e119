//! The built-in typographic renderer. It needs no provider and no network.

use async_trait::async_trait;
use bytes::Bytes;
use gateway::{Error, Result};
use image::RgbImage;
use ports::{ArtRequest, CardRequest, ImageGenerator, Picture};
use typeset::{Brand, Card, DoesNotFit, Format, Image, Overflow};

use super::{descriptions::describes_a_picture, look::Look, pictures};

/// The name of the renderer in responses.
const NAME: &str = "local";

/// Renders prompts and card texts as typeset cards.
#[derive(Debug, Clone, Copy)]
pub struct LocalImages;

#[async_trait]
impl ImageGenerator for LocalImages {
    async fn draw_art(&self, request: ArtRequest) -> Result<Picture> {
        draw_art(request, None).await
    }

    async fn require_fitting_text(&self, request: CardRequest) -> Result<()> {
        pictures::run_blocking(move || Self::require_fit(&request, request.photo.is_some())).await
    }

    async fn draw_card(&self, request: CardRequest) -> Result<Picture> {
        draw_card(request, None).await
    }

    async fn preview_art(&self, request: ArtRequest, longer: u32) -> Result<Picture> {
        draw_art(request, Some(longer)).await
    }

    async fn preview_card(&self, request: CardRequest, longer: u32) -> Result<Picture> {
        draw_card(request, Some(longer)).await
    }

    async fn check_available(&self) -> Result<()> {
        Ok(())
    }
}

impl LocalImages {
    /// Fails (400) if the text does not fit. A background leaves less room for text.
    pub(super) fn require_fit(request: &CardRequest, over_background: bool) -> Result<()> {
        let any = over_background.then(|| RgbImage::new(1, 1));
        let any = any.and_then(to_drawable);
        let look = request.look.as_deref().map(Look::from_port);
        let brand = look.as_ref().map(Look::brand);
        typeset::fits(&build_card(request, any.as_ref(), brand.as_ref()))
            .map_err(text_overflow_error)
    }

    /// Typesets a card over a background from another image provider.
    pub(super) fn typeset_over(
        request: &CardRequest,
        background: RgbImage,
        maker: &'static str,
        longer: Option<u32>,
    ) -> Result<Picture> {
        let look = request.look.as_deref().map(Look::from_port);
        let brand = look.as_ref().map(Look::brand);
        let background = to_drawable(background);
        let card = build_card(request, background.as_ref(), brand.as_ref());
        render_picture(&card, maker, longer)
    }
}

/// Renders a prompt as a card. A preview is rendered in full size and then reduced.
async fn draw_art(request: ArtRequest, longer: Option<u32>) -> Result<Picture> {
    if describes_a_picture(&request.prompt) {
        return Err(description_error());
    }
    pictures::run_blocking(move || {
        let size = (request.width, request.height);
        let photo = decode_photo(request.photo.as_ref(), size)?;
        let look = request.look.as_deref().map(Look::from_port);
        let brand = look.as_ref().map(Look::brand);
        let card = Card {
            text: &request.prompt,
            style: to_typeset_style(request.style),
            width: request.width,
            height: request.height,
            overflow: Overflow::Ellipsis,
            background: photo.as_ref(),
            seed: hash_text(&request.prompt),
            page: None,
            brand: brand.as_ref(),
        };
        render_picture(&card, NAME, longer)
    })
    .await
}

/// Renders one card of a carousel. A preview is rendered in full size and then reduced.
async fn draw_card(request: CardRequest, longer: Option<u32>) -> Result<Picture> {
    pictures::run_blocking(move || {
        let size = (request.width, request.height);
        let photo = decode_photo(request.photo.as_ref(), size)?;
        let look = request.look.as_deref().map(Look::from_port);
        let brand = look.as_ref().map(Look::brand);
        let card = build_card(&request, photo.as_ref(), brand.as_ref());
        let mut made = render_picture(&card, NAME, longer)?;
        if request.prompt.is_some() && photo.is_none() {
            made.warnings.push(
                "o fundo pedido não foi feito: o gerador embutido só desenha o do estilo, ou usa a \
                 foto de media_id",
            );
        }
        Ok(made)
    })
    .await
}

/// Decodes the background photo and crops it to this size.
fn decode_photo(file: Option<&Bytes>, size: (u32, u32)) -> Result<Option<Image>> {
    let Some(file) = file else { return Ok(None) };
    let decoded = pictures::decode_image(file).map_err(|_| {
        Error::invalid_field(
            "media_id",
            "image",
            "precisa ser de uma imagem inteira, e não de um vídeo",
        )
    })?;
    Ok(to_drawable(decoded.crop_to_size(size)))
}

fn to_drawable(pixels: RgbImage) -> Option<Image> {
    let (width, height) = pixels.dimensions();
    Image::new(width, height, pixels.into_raw())
}

fn build_card<'a>(
    request: &'a CardRequest,
    background: Option<&'a Image>,
    brand: Option<&'a Brand<'a>>,
) -> Card<'a> {
    Card {
        text: &request.text,
        style: to_typeset_style(request.style),
        width: request.width,
        height: request.height,
        overflow: Overflow::Refuse,
        background,
        // All cards of a carousel have the same seed, and so the same palette.
        seed: 0,
        page: Some(request.page),
        brand,
    }
}

fn render_picture(card: &Card<'_>, maker: &'static str, longer: Option<u32>) -> Result<Picture> {
    let mut image = typeset::render(card).map_err(text_overflow_error)?;
    if let Some(longer) = longer {
        image = image.thumbnail(longer);
    }
    Ok(Picture {
        bytes: image.encode(Format::Jpeg).into(),
        media_type: "image/jpeg",
        width: image.width,
        height: image.height,
        maker,
        warnings: card_warnings(card),
        background: None,
    })
}

fn card_warnings(card: &Card<'_>) -> Vec<&'static str> {
    let whole = Card {
        overflow: Overflow::Refuse,
        ..*card
    };
    if typeset::fits(&whole).is_err() {
        vec!["o texto não coube e termina em reticências: encurte-o"]
    } else if typeset::is_crowded(card) {
        vec!["o texto é longo para uma imagem e ficou miúdo: encurte-o ou divida-o em mais cards"]
    } else {
        vec![]
    }
}

fn description_error() -> Error {
    Error::invalid_field(
        "prompt",
        "text",
        "parece a descrição de uma imagem, e o gerador embutido só compõe textos",
    )
    .with_detail(
        "next",
        "Envie o texto que a peça deve mostrar: frase, título com texto, lista, número ou oferta. \
         Entre aspas, ele sai como veio. Fotos e ilustrações precisam de um provedor de imagens \
         (PAUTA_IMAGE_PROVIDER) ou de um arquivo enviado com upload_media."
            .into(),
    )
}

fn text_overflow_error(_: DoesNotFit) -> Error {
    Error::invalid_field("text", "fit", "não cabe no menor corpo legível; encurte")
}

fn to_typeset_style(style: tools::media::Style) -> typeset::Style {
    match style {
        tools::media::Style::Epico => typeset::Style::Epico,
        tools::media::Style::Minimalista => typeset::Style::Minimalista,
        tools::media::Style::Editorial => typeset::Style::Editorial,
        tools::media::Style::Vibrante => typeset::Style::Vibrante,
    }
}

/// Returns the FNV-1a hash of the text. The same text therefore gives the same image.
fn hash_text(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thumbnails are made from decoded cards, so decoding must preserve the pixels.
    #[test]
    fn a_rendered_card_decodes_to_nearly_the_same_pixels() {
        for style in typeset::Style::ALL {
            let card = Card {
                text: "Sal é no começo",
                style,
                ..Card::default()
            };
            let drawn = typeset::render(&card).expect("an ellipsis always fits");
            let file = render_picture(&card, NAME, None).expect("it fits").bytes;
            let read = pictures::decode_image(&file).expect("a whole image").image;
            let read = read.to_rgb8().into_raw();
            let off: u64 = drawn
                .rgb()
                .iter()
                .zip(&read)
                .map(|(a, b)| u64::from(a.abs_diff(*b)))
                .sum();
            let mean = off / read.len() as u64;
            assert!(mean < 6, "{style:?} is off by {mean} on average");
        }
    }
}
