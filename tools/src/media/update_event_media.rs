use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{attach::require_attachable, hints};
use crate::{
    announcements::PIECE_UPDATED,
    editable::require_editable_at,
    media_ref::MediaRef,
    visibility::{self, EVENT},
};
use domain::{Capability, EventId, MediaId, Revision};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::events::{self, Attached, Change};

/// Muda as mídias de um evento em elaboração: anexar, tirar, reordenar, descrever.
///
/// Primeiro `detach`, depois `attach` (no fim), depois `order`; os slides são renumerados desde 0.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UpdateEventMedia {
    /// Id do evento.
    #[serde(rename = "eventId")]
    event_id: EventId,
    /// O `api_revision` lido.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// Ids que entram.
    #[serde(default)]
    #[schemars(length(max = 20), extend("uniqueItems" = true))]
    attach: Vec<MediaId>,
    /// Ids que saem.
    #[serde(default)]
    #[schemars(length(max = 100), extend("uniqueItems" = true))]
    detach: Vec<MediaId>,
    /// A ordem; as que faltarem vêm depois.
    #[serde(default)]
    #[schemars(length(max = 100), extend("uniqueItems" = true))]
    order: Vec<MediaId>,
    /// Textos alternativos novos.
    #[serde(default)]
    #[schemars(length(max = 100))]
    alt: Vec<AltText>,
}

/// O texto alternativo de uma mídia.
#[derive(Debug, Deserialize, JsonSchema)]
struct AltText {
    /// A mídia.
    media_id: MediaId,
    /// O que ela mostra; vazio apaga.
    #[schemars(length(max = 1000))]
    alt: String,
}

/// Mídias do evento depois da mudança.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventMediaUpdated {
    ok: bool,
    api_revision: Revision,
    media: Vec<MediaRef>,
}

impl Operation for UpdateEventMedia {
    const SPEC: Spec = Spec::new(
        "update_event_media",
        "Atualizar mídias da peça",
        Verb::Patch,
        "/api/eventos/{eventId}/media",
    )
    .access(Access::Member(Capability::Art))
    .about(EVENT, "eventId")
    .read_by("get_event")
    .fails(&[404])
    .extension()
    .idempotent()
    .hints(hints::ARRANGE)
    .tool()
    .announces(&[PIECE_UPDATED]);
    type Output = EventMediaUpdated;

    async fn run(self, ctx: &Context<'_>) -> Result<EventMediaUpdated> {
        let db = ctx.db();
        let visible = visibility::require_event(ctx, &self.event_id).await?;
        require_editable_at(ctx, &visible, self.expected_revision).await?;
        let before = require_attachable(&db, ctx, &self.event_id).await?;
        let mut after = before.clone();
        after.media = self.arrange_slides(ctx, &before.media).await?;
        let saved = if after == before {
            before
        } else {
            let actor = &ctx.caller()?.member.id;
            let change = Change {
                actor,
                action: Self::SPEC.name,
                reason: None,
            };
            events::save(&db, &before, after, change, ctx.now).await?
        };
        Ok(EventMediaUpdated {
            ok: true,
            api_revision: saved.api_revision,
            media: saved
                .media
                .into_iter()
                .map(|media| MediaRef::from_attached(media, ctx))
                .collect(),
        })
    }
}

impl UpdateEventMedia {
    async fn arrange_slides(
        &self,
        ctx: &Context<'_>,
        slides: &[Attached],
    ) -> Result<Vec<Attached>> {
        let absent = || Error::not_found_in("mídia deste evento", "get_event");
        let mut slides = slides.to_vec();
        for id in &self.detach {
            let at = slides.iter().position(|s| s.id == *id).ok_or_else(absent)?;
            slides.remove(at);
        }
        let fresh = |id: &&MediaId| slides.iter().all(|slide| slide.id != **id);
        let ids: Vec<MediaId> = self.attach.iter().filter(fresh).cloned().collect();
        let found = visibility::require_media(ctx, &ids).await?;
        for id in &ids {
            let media = found
                .iter()
                .find(|media| media.id == *id)
                .ok_or_else(absent)?;
            slides.push(Attached {
                id: media.id.clone(),
                slide_index: i64::MAX,
                kind: media.kind.clone(),
                alt: media.alt.clone(),
                media_type: media.media_type.clone(),
            });
        }
        for id in self.order.iter().rev() {
            let at = slides.iter().position(|s| s.id == *id).ok_or_else(absent)?;
            let slide = slides.remove(at);
            slides.insert(0, slide);
        }
        for text in &self.alt {
            let slide = slides.iter_mut().find(|s| s.id == text.media_id);
            let alt = &mut slide.ok_or_else(absent)?.alt;
            *alt = (!text.alt.is_empty()).then(|| text.alt.clone());
        }
        let moved = !(self.attach.is_empty() && self.detach.is_empty() && self.order.is_empty());
        if moved {
            for (index, slide) in (0i64..).zip(&mut slides) {
                slide.slide_index = index;
            }
        }
        Ok(slides)
    }
}
