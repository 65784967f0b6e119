use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MEDIA, Style,
    attach::{self, CARD, Linked, Place},
    cards::{Background, CardDraft, card_warnings, draw_cards, picture_provider},
    hints, job,
    keep::{Made, release_claims},
    photo::require_image,
};
use crate::media_ref::MediaRef;
use crate::visibility::EVENT;
use domain::{Capability, EventId, MediaId, Revision, VISIBLE};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use ports::Picture;
use store::events::Attached;

/// Gera um carrossel: 1 a 10 cards de 1080x1350, na ordem, com o texto dado; todos ou nenhum.
///
/// Com `event_id`, ocupam os slides desde 0. Uma imagem, ou trocar um card: `generate_art`. A mesma
/// chave não paga de novo.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GenerateCarousel {
    /// Evento editável.
    event_id: Option<EventId>,
    /// Na ordem.
    #[schemars(length(min = 1, max = 10))]
    cards: Vec<Card>,
    /// Fundo dos cards sem `prompt`.
    media_id: Option<MediaId>,
    /// Desenho dos cards.
    #[serde(default = "Style::epico")]
    style: Style,
}

/// Um card.
#[derive(Debug, Deserialize, JsonSchema)]
struct Card {
    /// Texto do card; primeira linha curta é título; `#`, `-` e `**` valem.
    #[schemars(length(min = 1, max = 2000), regex(pattern = *VISIBLE))]
    text: String,
    /// O que o fundo mostra; ausente, o do estilo.
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
    .stoppable()
    .pictures()
    .generates_media()
    .destructive()
    .hints(hints::CAROUSEL)
    .tool()
    .announces_nothing();
    type Output = CarouselGenerated;

    fn affected_ids(output: &CarouselGenerated) -> Vec<&str> {
        output.cards.iter().map(|card| card.id.as_str()).collect()
    }

    async fn run(self, ctx: &Context<'_>) -> Result<CarouselGenerated> {
        job::with_marked_event(ctx, self.event_id.as_ref(), self.generate_cards(ctx)).await
    }
}

impl GenerateCarousel {
    async fn generate_cards(&self, ctx: &Context<'_>) -> Result<CarouselGenerated> {
        if let Some(photo) = &self.media_id {
            require_image(ctx, photo).await?;
        }
        let drafts: Vec<CardDraft> = (0..)
            .zip(&self.cards)
            .map(|one| self.card_draft(one))
            .collect();
        let count = self.cards.len();
        let (pictures, unread) = draw_cards(ctx, &drafts, count).await?;
        let mut avisos = card_warnings(&drafts, &pictures, count);
        avisos.extend(unread);
        let gerador = picture_provider(&pictures).to_owned();
        let mut claims = vec![];
        let stored = self.store_cards(ctx, &drafts, pictures, &mut claims).await;
        release_claims(ctx, claims).await;
        let (slides, linked) = stored?;
        avisos.extend(linked.as_ref().and_then(Linked::displaced_warning));
        let cards = slides
            .into_iter()
            .map(|slide| MediaRef::from_attached(slide, ctx));
        Ok(CarouselGenerated {
            cards: cards.collect(),
            gerador,
            avisos,
            api_revision: linked.map(|linked| linked.revision),
        })
    }

    fn card_draft(&self, (index, card): (usize, &Card)) -> CardDraft {
        let background = match (&card.prompt, &self.media_id) {
            (Some(prompt), _) => Background::Requested(prompt.clone()),
            (None, Some(photo)) => Background::Photo(photo.clone()),
            (None, None) => Background::Plain,
        };
        CardDraft {
            index,
            text: card.text.clone(),
            style: self.style,
            background,
        }
    }

    async fn store_cards(
        &self,
        ctx: &Context<'_>,
        drafts: &[CardDraft],
        pictures: Vec<Picture>,
        claims: &mut Vec<super::Claim>,
    ) -> Result<(Vec<Attached>, Option<Linked>)> {
        let mut new = vec![];
        for (draft, picture) in drafts.iter().zip(pictures) {
            let number = i64::try_from(draft.index).map_err(Error::internal)?;
            let source = draft.to_source(drafts.len(), picture.maker)?;
            let named = (CARD, draft.text.as_str(), "carousel");
            let made = Made::write_picture(ctx, picture, number, named, source, claims).await?;
            new.push((made, Place::Card(number)));
        }
        let event_id = self.event_id.as_ref();
        let linked = attach::insert_and_attach(ctx, event_id, None, Self::SPEC.name, &new).await?;
        let slides = (0i64..).zip(&new);
        let slides = slides.map(|(index, (made, _))| attach::media_to_slide(&made.media, index));
        Ok((slides.collect(), linked))
    }
}
