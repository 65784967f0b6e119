//! Images from the OpenAI Images API, or from a compatible server.
//!
//! `POST {base}/v1/images/generations`: <https://platform.openai.com/docs/api-reference/images>.
//! GPT image models accept no `response_format`; compatible servers answer with `b64_json` or
//! `url`.

use std::time::Duration;

use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use gateway::{Error, Result};
use image::{Rgb, RgbImage};
use ports::{ArtRequest, CardRequest, ImageGenerator, Look, Picture};
use reqwest::Url;
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;
use tools::media::Style;

use super::{
    api::{Api, malformed_error},
    local_images::LocalImages,
    pictures::{self, Decoded},
};
use crate::config::ImageModel;

/// The name of the product of this API in error messages.
const WHAT: &str = "imagens";
/// The name of the provider in responses.
const NAME: &str = "openai";
/// The colour that replaces the background in a preview, because the background is not generated
/// yet.
const PLAIN: Rgb<u8> = Rgb([118, 118, 118]);
/// The timeout of `check_available`.
const CHECK: Duration = Duration::from_secs(15);

/// The adapter of the Images API. Cards are typeset locally over a generated background.
pub struct OpenAiImages {
    api: Api,
    model: String,
    timeout: Duration,
}

impl OpenAiImages {
    pub fn new(provider: ImageModel) -> anyhow::Result<Self> {
        Ok(Self {
            api: Api::for_openai(&provider.account, WHAT, "PAUTA_OPENAI_IMAGE_MODEL")?,
            model: provider.model,
            timeout: provider.timeout,
        })
    }

    /// Generates an image within the timeout.
    async fn generate_image(
        &self,
        prompt: String,
        size: (u32, u32),
        quality: &str,
    ) -> Result<Bytes> {
        let request = json!({
            "model": self.model,
            "prompt": prompt,
            "n": 1,
            "size": nearest_size(size),
            "quality": quality,
            "output_format": "jpeg",
        });
        let made = timeout(self.timeout, self.request_image(request)).await;
        made.unwrap_or_else(|_| Err(self.api.timeout_error()))
    }

    async fn request_image(&self, request: serde_json::Value) -> Result<Bytes> {
        let body = self.api.post("v1/images/generations", &request).await?;
        let answer: Listed<Generated> = serde_json::from_slice(&body)
            .map_err(|_| self.api.malformed_error("a resposta não é a esperada"))?;
        match answer.data.into_iter().next() {
            Some(Generated {
                b64_json: Some(text),
                ..
            }) => Ok(STANDARD
                .decode(text.trim())
                .map_err(|_| self.api.malformed_error("a imagem não é base64"))?
                .into()),
            Some(Generated { url: Some(url), .. }) => self.download(&url).await,
            _ => Err(self.api.malformed_error("a resposta veio sem imagem")),
        }
    }

    /// Downloads an image from a URL in a response. The URL must be on the provider's own origin,
    /// or on a public host over https.
    async fn download(&self, url: &str) -> Result<Bytes> {
        let malformed = |fault| malformed_error(WHAT, fault);
        let url = Url::parse(url).map_err(|_| malformed("o endereço da imagem é inválido"))?;
        let answer = self.api.fetch_without_redirects(&url, false).await?;
        if !answer.status().is_success() {
            return Err(malformed("a imagem não pôde ser baixada"));
        }
        Ok(self.api.read_body(answer).await?)
    }

    /// Lists the models that the key may use.
    async fn list_models(&self) -> Result<Vec<Model>> {
        let models: Listed<Model> = serde_json::from_slice(&self.api.get("v1/models").await?)
            .map_err(|_| {
                self.api
                    .malformed_error("a lista de modelos não é a esperada")
            })?;
        Ok(models.data)
    }
}

#[derive(Deserialize)]
struct Listed<T> {
    data: Vec<T>,
}

#[derive(Deserialize)]
struct Generated {
    b64_json: Option<String>,
    url: Option<String>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

#[async_trait]
impl ImageGenerator for OpenAiImages {
    async fn draw_art(&self, request: ArtRequest) -> Result<Picture> {
        if request.photo.is_some() {
            return LocalImages.draw_art(request).await;
        }
        let prompt = format!(
            "{}\n\nEstilo: {}.{}",
            request.prompt,
            style_words(request.style),
            color_words(request.look.as_deref())
        );
        let size = (request.width, request.height);
        let bytes = self.generate_image(prompt, size, request.quality).await?;
        pictures::run_blocking(move || {
            pictures::encode_picture(&decode_result(&bytes)?.crop_to_size(size))
        })
        .await
    }

    async fn require_fitting_text(&self, request: CardRequest) -> Result<()> {
        let over_background = request.prompt.is_some() || request.photo.is_some();
        pictures::run_blocking(move || LocalImages::require_fit(&request, over_background)).await
    }

    async fn draw_card(&self, request: CardRequest) -> Result<Picture> {
        let Some(prompt) = &request.prompt else {
            return LocalImages.draw_card(request).await;
        };
        let prompt = format!(
            "{prompt}\n\nEstilo: {}.{} É o fundo de um texto: nenhuma letra, palavra ou número.",
            style_words(request.style),
            color_words(request.look.as_deref())
        );
        let size = (request.width, request.height);
        let bytes = self.generate_image(prompt, size, "medium").await?;
        pictures::run_blocking(move || {
            let background = decode_result(&bytes)?.crop_to_size(size);
            let kept = pictures::encode_picture(&background)?.bytes;
            let mut made = LocalImages::typeset_over(&request, background, NAME, None)?;
            made.background = Some(kept);
            Ok(made)
        })
        .await
    }

    async fn preview_art(&self, request: ArtRequest, longer: u32) -> Result<Picture> {
        if request.photo.is_some() {
            return LocalImages.preview_art(request, longer).await;
        }
        Err(Error::invalid_field(
            "prompt",
            "preview",
            "descreve a imagem que o provedor vai desenhar: ela só aparece ao gerar",
        ))
    }

    async fn preview_card(&self, request: CardRequest, longer: u32) -> Result<Picture> {
        if request.prompt.is_none() {
            return LocalImages.preview_card(request, longer).await;
        }
        pictures::run_blocking(move || {
            let plain = RgbImage::from_pixel(request.width, request.height, PLAIN);
            let mut made = LocalImages::typeset_over(&request, plain, NAME, Some(longer))?;
            made.warnings
                .push("o fundo é neutro na prévia: o provedor o desenha ao gerar");
            Ok(made)
        })
        .await
    }

    async fn check_available(&self) -> Result<()> {
        let models = timeout(CHECK, self.list_models()).await;
        let models = models.unwrap_or_else(|_| Err(self.api.timeout_error()))?;
        let model = &self.model;
        if models.iter().any(|known| known.id == *model) {
            return Ok(());
        }
        Err(self.api.unknown_model_error(model))
    }
}

fn decode_result(bytes: &[u8]) -> Result<Decoded> {
    pictures::decode_image(bytes)
        .map_err(|_| malformed_error(WHAT, "o que veio não é uma imagem inteira"))
}

/// Returns the part of the prompt that names the brand colours.
fn color_words(look: Option<&Look>) -> String {
    let Some(look) = look else {
        return String::new();
    };
    let hex = look
        .colors
        .iter()
        .map(|[r, g, b]| format!("#{r:02X}{g:02X}{b:02X}"));
    format!(" Cores: {}.", hex.collect::<Vec<_>>().join(", "))
}

/// Returns the part of the prompt that describes a style, so that the image resembles that style of the
/// typographic renderer.
fn style_words(style: Style) -> &'static str {
    match style {
        Style::Epico => "épico e cinematográfico, luz dramática sobre a noite, toques de dourado",
        Style::Minimalista => "minimalista, muito espaço vazio, poucas formas, uma só cor viva",
        Style::Editorial => "editorial, como em uma boa revista, sóbrio e de luz natural",
        Style::Vibrante => "vibrante, cores intensas, formas geométricas, muito contraste",
    }
}

/// Returns the supported size with the aspect ratio nearest to the requested one.
fn nearest_size((width, height): (u32, u32)) -> &'static str {
    let ratio = f64::from(width) / f64::from(height);
    if ratio > 1.2 {
        "1536x1024"
    } else if ratio < 1.0 / 1.2 {
        "1024x1536"
    } else {
        "1024x1024"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_supported_size_is_requested() {
        assert_eq!(nearest_size((1024, 1536)), "1024x1536");
        assert_eq!(nearest_size((1080, 1080)), "1024x1024");
        assert_eq!(nearest_size((2048, 256)), "1536x1024");
    }
}
