use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MEDIA, Style,
    attach::{self, CARD, Linked, Place},
    brand,
    contents::Claim,
    hints, job,
    keep::{store_image, warnings},
    photo::load_photo,
    size::DEFAULT,
};
use crate::media_ref::MediaRef;
use crate::visibility::EVENT;
use domain::{Capability, EventId, MediaId, Revision, VISIBLE};
use gateway::{Access, Code, Context, Error, Operation, Result, Spec, Verb};
use ports::{CardRequest, Look, Picture};
use store::{events::Attached, media::Media};

/// Maximum cards drawn at the same time.
const AT_ONCE: usize = 4;

/// Gera um carrossel de 1 a 10 cards de 1080x1350, com o texto de cada um composto como veio.
///
/// Ou saem todos os cards, na ordem, ou nenhum. Com `event_id`, ficam nos slides 0 em diante do evento, no
/// lugar do que lá estava, e o `api_revision` aumenta. Recusado, dizendo qual card, quando um texto não cabe
/// legível ou o provedor recusa um fundo.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GenerateCarousel {
    /// Evento editável ao qual anexar.
    event_id: Option<EventId>,
    /// Os cards, na ordem.
    #[schemars(length(min = 1, max = 10))]
    cards: Vec<Card>,
    /// Imagem guardada que fica de fundo nos cards sem `prompt`.
    media_id: Option<MediaId>,
    /// Desenho dos cards.
    #[serde(default = "Style::epico")]
    style: Style,
}

/// Um card.
#[derive(Debug, Deserialize, JsonSchema)]
struct Card {
    /// Texto do card, sem mudar nada: a primeira linha curta é título; `#`, `-` e `**` valem.
    #[schemars(length(min = 1, max = 2000), regex(pattern = *VISIBLE))]
    text: String,
    /// O que o fundo mostra; ausente, o fundo é o do estilo.
    #[schemars(length(min = 1, max = 4000), regex(pattern = *VISIBLE))]
    prompt: Option<String>,
}

/// Carrossel gerado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CarouselGenerated {
    /// Os cards, na ordem.
    cards: Vec<MediaRef>,
    /// Quem fez: `local`, o gerador embutido, ou o provedor dos fundos.
    gerador: String,
    /// O que convém saber antes de publicar.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
    /// Revisão do evento depois do anexo, quando há evento.
    #[serde(skip_serializing_if = "Option::is_none")]
    api_revision: Option<Revision>,
}

impl Operation for GenerateCarousel {
    const SPEC: Spec = Spec::new(
        "generate_carousel",
        "Gerar carrossel",
        Verb::Post,
        "/api/carousel",
    )
    .access(Access::Member(Capability::Carousel))
    .makes(MEDIA)
    .within(EVENT, "event_id")
    .fails(&[404])
    .outside()
    .pictures()
    .destructive()
    .hints(hints::CAROUSEL)
    .tool();
    type Output = CarouselGenerated;

    fn affected(output: &CarouselGenerated) -> Vec<&str> {
        output.cards.iter().map(|card| card.id.as_str()).collect()
    }

    async fn run(self, ctx: &Context<'_>) -> Result<CarouselGenerated> {
        job::with_marked_event(ctx, self.event_id.as_ref(), self.generate(ctx)).await
    }
}

impl GenerateCarousel {
    async fn generate(&self, ctx: &Context<'_>) -> Result<CarouselGenerated> {
        let (look, unread) = brand::load_look(ctx).await?;
        let pictures = self.draw_cards(ctx, look).await?;
        let mut avisos = warnings(&pictures);
        avisos.extend(unread);
        let foreign = pictures.iter().map(|p| p.maker).find(|m| *m != "local");
        let gerador = foreign.unwrap_or("local").to_owned();
        let (mut kept, mut claims) = (vec![], vec![]);
        let stored = self
            .store_cards(ctx, pictures, &mut kept, &mut claims)
            .await;
        for claim in claims {
            claim.release(ctx.services).await;
        }
        let linked = stored?;
        avisos.extend(linked.as_ref().and_then(Linked::warning));
        let api_revision = linked.map(|linked| linked.revision);
        let slides = (0i64..).zip(kept).map(|(slide_index, media)| Attached {
            id: media.id,
            slide_index,
            kind: media.kind,
            alt: media.alt,
            media_type: media.media_type,
        });
        let cards = slides.map(|slide| MediaRef::of(slide, ctx)).collect();
        Ok(CarouselGenerated {
            cards,
            gerador,
            avisos,
            api_revision,
        })
    }

    /// Draws all cards, a few at a time, before anything is stored. It first checks that all texts
    /// fit, because a background may cost money.
    async fn draw_cards(&self, ctx: &Context<'_>, look: Option<Arc<Look>>) -> Result<Vec<Picture>> {
        let count = u32::try_from(self.cards.len()).map_err(Error::internal)?;
        let photo = load_photo(ctx, self.media_id.as_ref()).await?;
        let requests: Vec<CardRequest> = (1u32..)
            .zip(&self.cards)
            .map(|(number, card)| CardRequest {
                text: card.text.clone(),
                prompt: card.prompt.clone(),
                photo: photo.clone().filter(|_| card.prompt.is_none()),
                style: self.style,
                width: DEFAULT.0,
                height: DEFAULT.1,
                page: (number, count),
                look: look.clone(),
            })
            .collect();
        let images = &ctx.services.images;
        for (index, request) in requests.iter().enumerate() {
            let fits = images.require_fitting_text(request.clone()).await;
            fits.map_err(|error| name_card_in_error(error, index))?;
        }
        let drawn = requests.into_iter().enumerate().map(|(index, request)| {
            let drawing = images.draw_card(request);
            let over_photo = self.media_id.is_some();
            async move {
                drawing.await.map_err(|error| match error.code {
                    // The texts were checked before, so the photo is the cause.
                    Code::INVALID_INPUT if over_photo => error,
                    _ => name_card_in_error(error, index),
                })
            }
        });
        stream::iter(drawn).buffered(AT_ONCE).try_collect().await
    }

    async fn store_cards(
        &self,
        ctx: &Context<'_>,
        pictures: Vec<Picture>,
        kept: &mut Vec<Media>,
        claims: &mut Vec<Claim>,
    ) -> Result<Option<Linked>> {
        for (number, (picture, card)) in (0i64..).zip(pictures.into_iter().zip(&self.cards)) {
            let (media, claim) =
                store_image(ctx, picture, number, CARD, Some(&card.text), "carousel").await?;
            kept.push(media);
            claims.push(claim);
        }
        let new: Vec<(Media, Place)> = (0i64..)
            .zip(kept.iter().cloned())
            .map(|(n, m)| (m, Place::Card(n)))
            .collect();
        let event_id = self.event_id.as_ref();
        attach::insert_and_attach_in_tx(ctx, event_id, Self::SPEC.name, &new).await
    }
}

/// Names the card in an error.
fn name_card_in_error(error: Error, index: usize) -> Error {
    if error.code == Code::INVALID_INPUT {
        let field = format!("cards.{index}.text");
        return Error::invalid(
            &field,
            "fit",
            "não cabe no card no menor corpo legível; encurte",
        );
    }
    error.with("card", format!("cards.{index}").into())
}
