//! A stored medium as shown in responses.

use schemars::JsonSchema;
use serde::Serialize;

use crate::links::Links;
use domain::{MediaId, Revision};
use gateway::Context;
use store::media::{Media, storage_path};

/// Mídia guardada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MediaResult {
    pub id: MediaId,
    /// Endereço público assinado, válido por 7 dias.
    #[schemars(extend("format" = "uri"))]
    pub url: String,
    /// Caminho interno, sem credenciais.
    pub storage_path: String,
    pub media_type: String,
    pub bytes: i64,
    /// Pixels.
    pub width: Option<i64>,
    /// Pixels.
    pub height: Option<i64>,
    /// Revisão do evento depois do anexo, quando há evento.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_revision: Option<Revision>,
}

impl MediaResult {
    /// Builds the view with a new link.
    pub fn from_media(media: &Media, api_revision: Option<Revision>, ctx: &Context<'_>) -> Self {
        Self {
            url: ctx
                .services
                .parts
                .get::<Links>()
                .media_url(&media.id, ctx.now),
            id: media.id.clone(),
            storage_path: storage_path(&media.sha256),
            media_type: media.media_type.clone(),
            bytes: media.bytes,
            width: media.width,
            height: media.height,
            api_revision,
        }
    }
}
