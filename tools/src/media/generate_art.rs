use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MEDIA, MediaResult, Style,
    attach::{self, Linked, Place},
    brand, hints, job,
    keep::{Made, picture_warnings, release_claims},
    photo::load_photo,
    size::parse_dimensions,
};
use crate::{
    editable::require_revision,
    visibility::{self, EVENT},
};
use domain::{Capability, EventId, MediaId, Revision, VISIBLE, text_enum};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use ports::ArtRequest;
use store::media_sources::Source;

/// The number of steps in the progress reports: the image is generated, then stored.
const STEPS: u64 = 2;

text_enum! {
    /// How much effort a provider puts into an image.
    pub enum Quality {
        Low = "low",
        Medium = "medium",
        High = "high",
    }
}

impl Quality {
    fn medium() -> Self {
        Self::Medium
    }
}

/// Gera uma imagem de um texto e, com `event_id`, anexa ao evento.
///
/// O gerador embutido (`local`) não ilustra: compõe o texto (`#`, `-` e `**` valem) e recusa
/// descrições. Vários cards: `generate_carousel`; foto pronta: `import_media`. A mesma chave não paga
/// de novo.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("dependentRequired" = { "expected_revision": ["event_id"] }))]
pub struct GenerateArt {
    /// O que a imagem mostra; no embutido, o texto.
    #[schemars(length(min = 1, max = 4000), regex(pattern = *VISIBLE))]
    prompt: String,
    /// Evento editável.
    event_id: Option<EventId>,
    /// O `api_revision` lido.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Option<Revision>,
    /// Lados de 256 a 2048: `1080x1350` (padrão), `1080x1920` (story, reel), `1200x628` (X), `1280x720`
    /// (YouTube).
    #[schemars(regex(
        pattern = "^(25[6-9]|2[6-9][0-9]|[3-9][0-9]{2}|1[0-9]{3}|20[0-3][0-9]|204[0-8])x(25[6-9]|2[6-9][0-9]|[3-9][0-9]{2}|1[0-9]{3}|20[0-3][0-9]|204[0-8])$"
    ))]
    size: Option<String>,
    /// Imagem de fundo.
    media_id: Option<MediaId>,
    /// Posição no evento, substituindo.
    #[serde(default)]
    #[schemars(range(min = 0, max = 99))]
    slide_index: u8,
    /// Abre lugar em vez de substituir.
    #[serde(default)]
    insert: bool,
    /// Esforço do provedor.
    #[serde(default = "Quality::medium")]
    quality: Quality,
    /// Tipo lógico da mídia.
    #[serde(default = "default_kind")]
    #[schemars(length(min = 1, max = 40), regex(pattern = *VISIBLE))]
    kind: String,
    /// Desenho da peça.
    #[serde(default = "Style::epico")]
    style: Style,
    /// Como `4:5`; concorda com `size`.
    #[schemars(regex(pattern = "^[1-9][0-9]?:[1-9][0-9]?$"))]
    format: Option<String>,
}

/// Imagem gerada e guardada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ArtGenerated {
    #[serde(flatten)]
    media: MediaResult,
    /// Quem fez: `local`, o gerador embutido, ou o provedor.
    gerador: String,
    /// O que convém saber antes de publicar.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
}

fn default_kind() -> String {
    "imagem".into()
}

impl Operation for GenerateArt {
    const SPEC: Spec = Spec::new("generate_art", "Gerar imagem", Verb::Post, "/api/art")
        .access(Access::Member(Capability::Art))
        .makes(MEDIA)
        .within(EVENT, "event_id")
        .read_by("get_event")
        .fails(&[404])
        .outside()
        .pictures()
        .generates_media()
        .destructive()
        .hints(hints::ART)
        .tool()
        .announces_nothing();
    type Output = ArtGenerated;

    fn affected_ids(output: &ArtGenerated) -> Vec<&str> {
        vec![output.media.id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<ArtGenerated> {
        let (width, height) = parse_dimensions(self.size.as_deref(), self.format.as_deref())?;
        self.require_expected_revision(ctx).await?;
        let work = self.generate_image(ctx, (width, height));
        job::with_marked_event(ctx, self.event_id.as_ref(), work).await
    }
}

impl GenerateArt {
    /// Refuses (409) an event that has changed since the caller read it, before the image is
    /// generated. The revision is compared again when the image is attached.
    async fn require_expected_revision(&self, ctx: &Context<'_>) -> Result<()> {
        let (Some(expected), Some(event_id)) = (self.expected_revision, &self.event_id) else {
            return Ok(());
        };
        let event = visibility::require_event(ctx, event_id).await?;
        require_revision(ctx, &event, expected).await
    }

    async fn generate_image(
        &self,
        ctx: &Context<'_>,
        (width, height): (u32, u32),
    ) -> Result<ArtGenerated> {
        let event_id = self.event_id.as_ref();
        let alt: String = self.prompt.chars().take(500).collect();
        let (look, unread) = brand::load_look(ctx).await?;
        let request = ArtRequest {
            prompt: self.prompt.clone(),
            style: self.style,
            width,
            height,
            quality: self.quality.as_str(),
            photo: load_photo(ctx, self.media_id.as_ref()).await?,
            look,
        };
        ctx.reserve_pictures(1).await?;
        ctx.report_progress(0, Some(STEPS), || "Gerando a imagem".into());
        let picture = ctx.services.images.draw_art(request).await?;
        ctx.report_progress(1, Some(STEPS), || "Imagem pronta; guardando".into());
        let (maker, mut avisos) = (picture.maker, picture_warnings(&picture));
        avisos.extend(unread);
        let source = Source {
            text: None,
            prompt: Some(self.prompt.clone()),
            style: self.style,
            quality: Some(self.quality.as_str().to_owned()),
            photo_id: self.media_id.clone(),
            background_id: None,
            page: None,
            pages: None,
            maker: maker.to_owned(),
        };
        let mut claims = vec![];
        let named = (self.kind.as_str(), alt.as_str(), "art");
        let made = Made::write_picture(ctx, picture, 0, named, source, &mut claims).await;
        let linked = match made {
            Ok(made) => {
                let slide = Place::replace_or_insert_at(self.slide_index, self.insert);
                let new = [(made, slide)];
                let (expected, action) = (self.expected_revision, Self::SPEC.name);
                let linked = attach::insert_and_attach(ctx, event_id, expected, action, &new).await;
                let [(made, _)] = new;
                linked.map(|linked| (made.media, linked))
            }
            Err(error) => Err(error),
        };
        release_claims(ctx, claims).await;
        let (media, linked) = linked?;
        avisos.extend(linked.as_ref().and_then(Linked::displaced_warning));
        let revision = linked.map(|linked| linked.revision);
        Ok(ArtGenerated {
            media: MediaResult::from_media(&media, revision, ctx),
            gerador: maker.into(),
            avisos,
        })
    }
}
