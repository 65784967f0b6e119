use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Style,
    attach::{self, CARD, require_attachable},
    cards::{CardDraft, card_warnings, draw_cards, picture_provider},
    correction::{Corrected, CorrectedCard, arrange_cards, plan_correction},
    hints, job,
    keep::{Made, release_claims},
};
use crate::{
    editable::require_editable_at,
    media_ref::MediaRef,
    visibility::{self, EVENT},
};
use domain::{Capability, EventId, MediaId, Revision};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use ports::Picture;
use store::events::{self, Attached, Change, Event};

/// Corrige o carrossel de um evento: só desenha de novo os cards que mudam.
///
/// `cards` é o carrossel inteiro, na nova ordem; sai o card que não está na lista. Um card com o `media_id`
/// de antes e nada mais fica como está, com o mesmo id; é desenhado de novo se mudar texto, fundo ou estilo, ou
/// se mudar o número impresso nele. O fundo que um provedor desenhou é aproveitado: só se pede outro quando
/// `prompt` muda. As outras mídias do evento ficam na ordem em que estão. Ou vale tudo, ou nada.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UpdateCarousel {
    /// Id do evento.
    #[serde(rename = "eventId")]
    event_id: EventId,
    /// O `api_revision` lido.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// Todos os cards, na nova ordem.
    #[schemars(length(min = 1, max = 10))]
    cards: Vec<CorrectedCard>,
    /// Desenho de todos os cards; ausente, cada um fica com o seu, e um novo tem o do primeiro.
    style: Option<Style>,
}

/// Carrossel depois da correção.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CarouselUpdated {
    ok: bool,
    api_revision: Revision,
    /// Os cards, na ordem.
    cards: Vec<MediaRef>,
    /// Os ids dos cards que foram desenhados agora.
    desenhados: Vec<MediaId>,
    /// Quem desenhou: `local`, o gerador embutido, ou o provedor dos fundos.
    #[serde(skip_serializing_if = "Option::is_none")]
    gerador: Option<String>,
    /// O que convém saber antes de publicar.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
}

impl Operation for UpdateCarousel {
    const SPEC: Spec = Spec::new(
        "update_carousel",
        "Corrigir carrossel",
        Verb::Patch,
        "/api/eventos/{eventId}/carousel",
    )
    .access(Access::Member(Capability::Carousel))
    .about(EVENT, "eventId")
    .read_by("get_event")
    .fails(&[404])
    .extension()
    .outside()
    .stoppable()
    .generates_media()
    .hints(hints::CORRECTION);
    type Output = CarouselUpdated;

    async fn run(self, ctx: &Context<'_>) -> Result<CarouselUpdated> {
        let visible = visibility::require_event(ctx, &self.event_id).await?;
        require_editable_at(ctx, &visible, self.expected_revision).await?;
        let before = require_attachable(&ctx.db(), ctx, &self.event_id).await?;
        let corrected = plan_correction(ctx, &before.media, &self.cards, self.style).await?;
        let work = self.correct_carousel(ctx, before, corrected);
        job::with_marked_event(ctx, Some(&self.event_id), work).await
    }
}

impl UpdateCarousel {
    async fn correct_carousel(
        &self,
        ctx: &Context<'_>,
        before: Event,
        corrected: Vec<Corrected>,
    ) -> Result<CarouselUpdated> {
        let drafts = corrected.iter().filter_map(|card| card.draft.clone());
        let drafts: Vec<CardDraft> = drafts.collect();
        let count = corrected.len();
        let (pictures, unread) = draw_cards(ctx, &drafts, count).await?;
        let mut avisos = card_warnings(&drafts, &pictures, count);
        if !drafts.is_empty() {
            avisos.extend(unread);
        }
        avisos.extend(corrected.iter().filter_map(Corrected::alt_warning));
        let gerador = (!pictures.is_empty()).then(|| picture_provider(&pictures).to_owned());
        let mut claims = vec![];
        let stored = self
            .store_cards(ctx, &drafts, pictures, count, &mut claims)
            .await;
        let saved = match stored {
            Ok(made) => self.save_cards(ctx, before, &corrected, &made).await,
            Err(error) => Err(error),
        };
        release_claims(ctx, claims).await;
        let (revision, slides, desenhados) = saved?;
        Ok(CarouselUpdated {
            ok: true,
            api_revision: revision,
            cards: slides
                .into_iter()
                .map(|slide| MediaRef::from_attached(slide, ctx))
                .collect(),
            desenhados,
            gerador,
            avisos,
        })
    }

    async fn store_cards(
        &self,
        ctx: &Context<'_>,
        drafts: &[CardDraft],
        pictures: Vec<Picture>,
        count: usize,
        claims: &mut Vec<super::Claim>,
    ) -> Result<Vec<Made>> {
        let mut made = vec![];
        for (draft, picture) in drafts.iter().zip(pictures) {
            let number = i64::try_from(draft.index).map_err(Error::internal)?;
            let source = draft.to_source(count, picture.maker)?;
            let named = (CARD, draft.text.as_str(), "carousel");
            made.push(Made::write_picture(ctx, picture, number, named, source, claims).await?);
        }
        Ok(made)
    }

    /// Inserts the new cards and sets the new order, in one transaction. Refuses (409) an event that has
    /// changed since it was read.
    async fn save_cards(
        &self,
        ctx: &Context<'_>,
        before: Event,
        corrected: &[Corrected],
        made: &[Made],
    ) -> Result<(Revision, Vec<Attached>, Vec<MediaId>)> {
        let tx = ctx.begin().await?;
        let db = tx.conn();
        require_attachable(&db, ctx, &self.event_id).await?;
        let mut new = made.iter();
        let mut cards = vec![];
        for card in corrected {
            let slide = match (&card.draft, &card.kept) {
                (None, Some(kept)) => kept.clone(),
                _ => {
                    let made = new.next();
                    let made = made.ok_or_else(|| Error::internal("a card was not drawn"))?;
                    made.insert_rows(&db).await?;
                    let slide = attach::media_to_slide(&made.media, 0);
                    Attached {
                        alt: card.kept_alt.clone().or(slide.alt),
                        ..slide
                    }
                }
            };
            cards.push(slide);
        }
        let mut after = before.clone();
        after.media = arrange_cards(&before.media, &cards);
        let ids: Vec<MediaId> = made.iter().map(|made| made.media.id.clone()).collect();
        let shown = |event: &Event| {
            let place = |card: &Attached| event.media.iter().find(|slide| slide.id == card.id);
            cards.iter().filter_map(place).cloned().collect()
        };
        if after.media == before.media {
            return Ok((before.api_revision, shown(&before), ids));
        }
        let change = Change {
            actor: &ctx.caller()?.member.id,
            action: Self::SPEC.name,
            reason: None,
        };
        let saved = events::save(&db, &before, after, change, ctx.now).await?;
        attach::announce_change(ctx, &db, &saved).await?;
        tx.commit().await?;
        Ok((saved.api_revision, shown(&saved), ids))
    }
}
