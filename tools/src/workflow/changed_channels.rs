//! The approved pieces with variants that changed, which wait for a decision of their own.

use schemars::JsonSchema;
use serde::Serialize;

use super::filter_page;
use domain::{EventId, EventStatus, Format, Revision, VariantId, variant::Variant};
use gateway::{Context, Result};
use store::{
    events::{self, Filter},
    variants,
};

/// The maximum number of pieces in the list.
const MOST: i64 = 50;

/// Evento aprovado com canais que mudaram depois.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedPiece {
    id: EventId,
    api_revision: Revision,
    title: String,
    variantes: Vec<ChangedVariant>,
}

/// Variante que espera decisão.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedVariant {
    id: VariantId,
    canal: String,
    formato: Format,
}

impl ChangedPiece {
    /// Lists the pieces that the caller may see, in the order of the agenda, at most [`MOST`].
    pub async fn list(ctx: &Context<'_>) -> Result<Vec<Self>> {
        let ids = variants::list_undecided_events(&ctx.db(), MOST).await?;
        if ids.is_empty() {
            return Ok(vec![]);
        }
        let filter = Filter {
            statuses: vec![EventStatus::Approved],
            only: Some(ids),
            ..Filter::default()
        };
        let filter = filter_page(ctx, filter, None)?;
        let pieces = events::list(&ctx.db(), filter, MOST).await?;
        let mut all = variants::load(&ctx.db(), pieces.iter().map(|piece| &piece.id)).await?;
        let changed = pieces.into_iter().map(|piece| {
            let variants = all.remove(&piece.id).unwrap_or_default().into_iter();
            let undecided = variants.filter(Variant::is_undecided);
            Self {
                variantes: undecided
                    .map(|variant| ChangedVariant {
                        id: variant.id,
                        canal: variant.channel,
                        formato: variant.format,
                    })
                    .collect(),
                id: piece.id,
                api_revision: piece.api_revision,
                title: piece.title,
            }
        });
        Ok(changed.collect())
    }
}
