//! A medium of an event as shown in responses.

use schemars::JsonSchema;
use serde::Serialize;

use crate::links::Links;
use domain::MediaId;
use gateway::Context;
use store::{events::Attached, media::Media};

/// Mídia de um evento, com endereço público assinado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MediaRef {
    pub id: MediaId,
    /// Endereço público assinado, válido por 7 dias.
    #[schemars(extend("format" = "uri"))]
    pub url: String,
    /// Posição na sequência, a partir de 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slide_index: Option<i64>,
    /// Tipo lógico.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Texto alternativo.
    pub alt: Option<String>,
    pub media_type: String,
}

impl MediaRef {
    /// Builds the view with a new link.
    pub fn from_attached(media: Attached, ctx: &Context<'_>) -> Self {
        Self {
            url: ctx
                .services
                .parts
                .get::<Links>()
                .media_url(&media.id, ctx.now),
            id: media.id,
            slide_index: Some(media.slide_index),
            kind: Some(media.kind),
            alt: media.alt,
            media_type: media.media_type,
        }
    }

    /// Builds the view of a medium that has no place on an event.
    pub fn from_detached_media(media: Media, ctx: &Context<'_>) -> Self {
        Self {
            url: ctx
                .services
                .parts
                .get::<Links>()
                .media_url(&media.id, ctx.now),
            id: media.id,
            slide_index: None,
            kind: Some(media.kind),
            alt: media.alt,
            media_type: media.media_type,
        }
    }
}
