//! Approved pieces with variants that changed after the approval. These variants wait for a separate
//! decision.

use schemars::JsonSchema;
use serde::Serialize;

use super::{awaiting::Awaiting, stages};
use domain::{Event, EventId, Format, Revision, VariantId, variant::Variant};
use gateway::{Context, Result};
use store::waiting;

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
    /// Lists the pieces that the caller may see and that wait for the caller or, depending on `whose`,
    /// for anybody. The pieces are in the order of the agenda, at most [`waiting::MOST`].
    pub async fn list(ctx: &Context<'_>, whose: Awaiting) -> Result<Vec<Self>> {
        let changed = stages::list_changed_for_caller(ctx, whose, waiting::MOST).await?;
        Ok(changed.into_iter().map(Self::new).collect())
    }

    fn new((piece, undecided): (Event, Vec<Variant>)) -> Self {
        let variants = undecided.into_iter().map(|variant| ChangedVariant {
            id: variant.id,
            canal: variant.channel,
            formato: variant.format,
        });
        Self {
            id: piece.id,
            api_revision: piece.api_revision,
            title: piece.title,
            variantes: variants.collect(),
        }
    }
}
