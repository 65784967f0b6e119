//! Previews of a form's image, drawn small while the user types.
//!
//! The code that generates the image draws a preview in full size, and then reduces it, so that
//! lines break at the same places. A preview stores nothing and calls no provider.

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::{
    Style, brand,
    generate_art::Quality,
    keep::picture_warnings,
    photo::{load_photo, load_stored_image, require_image},
    size::{DEFAULT, parse_dimensions},
};
use crate::timeline::Pace;
use domain::{Capability, MediaId, VISIBLE};
use gateway::{
    Access, Content, Context, Entry, Error, OutputForm, Page, Reply, Result, Spec, StaticDocument,
    Verb,
};
use ports::{ArtRequest, CardRequest, Picture};
use store::media_sources;

/// Maximum previews drawn at the same time. It is below the limit for all images, so that
/// generation does not wait for previews.
const AT_ONCE: usize = 2;
/// Maximum previews of a member per minute: ten cards after each pause in typing.
const PER_MINUTE: u32 = 300;
/// Pixels of the preview's longer side.
const LONGER: u32 = 640;

/// Draws a preview of an image, or of one card of a carousel.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PreviewArt {
    /// O texto.
    #[schemars(length(min = 1, max = 4000), regex(pattern = *VISIBLE))]
    text: String,
    /// O desenho.
    #[serde(default = "Style::epico")]
    style: Style,
    /// Pixels de uma imagem.
    #[schemars(regex(pattern = "^[0-9]{3,4}x[0-9]{3,4}$"))]
    size: Option<String>,
    /// Imagem de fundo.
    media_id: Option<MediaId>,
    /// O número do card; ausente, é uma imagem.
    #[schemars(range(min = 1, max = 10))]
    page: Option<u32>,
    /// Quantos cards o carrossel tem.
    #[schemars(range(min = 1, max = 10))]
    pages: Option<u32>,
    /// O que o fundo do card mostra.
    #[schemars(length(max = 4000))]
    background: Option<String>,
    /// O card que se corrige: o fundo que um provedor desenhou para ele fica, se `background` não muda.
    card: Option<MediaId>,
    /// Uma marca ainda não publicada, em JSON.
    #[schemars(length(max = 2000))]
    brand: Option<String>,
}

/// The page's entry in the table.
pub(super) const PAGE: Entry = Entry::for_page::<PreviewArt>(
    Spec::new("preview_art", "Prévia de uma imagem", Verb::Get, "/previa")
        .access(Access::Browser)
        .console()
        .sends(OutputForm::Bytes)
        .partial(&[304])
        .fails(&[400, 403, 404, 429]),
    "A imagem que um formulário geraria, em tamanho menor.",
);

impl Page for PreviewArt {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        static TURNS: Semaphore = Semaphore::const_new(AT_ONCE);
        let caller = ctx.caller()?;
        let needed = if self.page.is_some() {
            Capability::Carousel
        } else {
            Capability::Art
        };
        caller.authorize(Access::Member(needed))?;
        let pace = ctx.services.parts.get::<Pace>();
        let member = format!("preview_art:{}", caller.member.id.as_str());
        pace.count_request(member, PER_MINUTE, ctx.now)?;
        let _turn = TURNS.acquire().await.map_err(Error::internal)?;
        let drawn = self.draw_preview(ctx).await?;
        let told = escape_non_ascii(&serde_json::to_string(&picture_warnings(&drawn))?);
        let document = StaticDocument::new(drawn.media_type, drawn.bytes);
        Ok(Reply::new(Content::Document(document))
            .with_header("cache-control", "private, max-age=300")
            .with_header("pauta-avisos", told))
    }
}

impl PreviewArt {
    async fn draw_preview(self, ctx: &Context<'_>) -> Result<Picture> {
        let look = match &self.brand {
            Some(brand) => Some(brand::preview_look(ctx, brand).await?),
            None => brand::load_look(ctx).await?.0,
        };
        let images = &ctx.services.images;
        let prompt = self.background.filter(|text| !text.trim().is_empty());
        let kept = match (&self.card, &prompt) {
            (Some(card), Some(prompt)) => find_background(ctx, card, prompt).await?,
            _ => None,
        };
        let is_kept = kept.is_some();
        let photo = match &kept {
            Some(background) => load_stored_image(ctx.services, background).await?,
            None => load_photo(ctx, self.media_id.as_ref()).await?,
        };
        let Some(page) = self.page else {
            let (width, height) = parse_dimensions(self.size.as_deref(), None)?;
            let request = ArtRequest {
                prompt: self.text,
                style: self.style,
                width,
                height,
                quality: Quality::Medium.as_str(),
                photo,
                look,
            };
            return images.preview_art(request, LONGER).await;
        };
        let request = CardRequest {
            text: self.text,
            photo: photo.filter(|_| is_kept || prompt.is_none()),
            prompt: prompt.filter(|_| !is_kept),
            style: self.style,
            width: DEFAULT.0,
            height: DEFAULT.1,
            page: (page, self.pages.unwrap_or(page).max(page)),
            look,
        };
        images.preview_card(request, LONGER).await
    }
}

/// Finds the background that a provider drew for a card from this prompt. Refuses (404) a card that the
/// caller may not see.
async fn find_background(
    ctx: &Context<'_>,
    card: &MediaId,
    prompt: &str,
) -> Result<Option<MediaId>> {
    require_image(ctx, card).await?;
    let mut sources = media_sources::find_all(&ctx.db(), [card]).await?;
    let source = sources.remove(card);
    let source = source.filter(|source| source.prompt.as_deref() == Some(prompt));
    Ok(source.and_then(|source| source.background_id))
}

/// Escapes all non-ASCII characters of a JSON text, for a header.
fn escape_non_ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            text.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::escape_non_ascii;

    #[test]
    fn a_text_in_a_header_can_be_decoded_unchanged() {
        for said in ["não coube", "🔥 e «mais»", "plain"] {
            let json = serde_json::to_string(said).expect("JSON");
            let header = escape_non_ascii(&json);
            assert!(header.is_ascii());
            let read: String = serde_json::from_str(&header).expect("JSON");
            assert_eq!(read, said);
        }
    }
}
