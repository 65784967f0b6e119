//! The inputs of a generated medium as shown in responses.

use schemars::JsonSchema;
use serde::Serialize;

use super::Style;
use domain::MediaId;
use store::{media::Media, media_sources::Source};

/// Com o que uma mídia foi gerada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MediaSource {
    /// O texto do card; nulo numa imagem avulsa.
    text: Option<String>,
    /// O que a imagem, ou o fundo do card, mostra.
    prompt: Option<String>,
    /// O desenho.
    style: Style,
    /// Largura x altura, em pixels.
    size: Option<String>,
    /// Esforço do provedor numa imagem avulsa.
    quality: Option<String>,
    /// A imagem guardada que foi escolhida para o fundo.
    photo_id: Option<MediaId>,
    /// O número do card, a partir de 1; nulo numa imagem avulsa.
    page: Option<i64>,
    /// Quantos cards o carrossel tinha.
    pages: Option<i64>,
    /// Quem fez: `local`, o gerador embutido, ou o provedor.
    gerador: String,
}

impl MediaSource {
    pub(super) fn from_source(source: Source, media: &Media) -> Self {
        Self {
            text: source.text,
            prompt: source.prompt,
            style: source.style,
            size: media
                .width
                .zip(media.height)
                .map(|(width, height)| format!("{width}x{height}")),
            quality: source.quality,
            photo_id: source.photo_id,
            page: source.page,
            pages: source.pages,
            gerador: source.maker,
        }
    }
}
