//! A variant, as operations return it.

use schemars::JsonSchema;
use serde::Serialize;

use domain::{
    Event, Format, MediaId, Revision, VariantId,
    channels::TikTokOption,
    time::{LocalDate, Timestamp},
    variant::{Crop, CropAspect, PublishMode, Variant},
};
use store::scheduled_posts::ScheduledPost;

use crate::publishing::scheduled::Publishers;

/// Variante de uma peça: o que ela diz neste canal. O que falta é o da peça.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VariantView {
    pub id: VariantId,
    pub canal: String,
    pub formato: Format,
    /// Revisão da variante.
    pub revisao: Revision,
    /// Verdadeiro quando esta revisão foi aprovada.
    pub aprovada: bool,
    /// Verdadeiro quando esta revisão foi recusada; o motivo está no histórico.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recusada: bool,
    /// Quem publica: `manual` ou `automatica`.
    pub publicacao: PublishMode,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legenda: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primeiro_comentario: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub titulo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// O link com os parâmetros UTM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_final: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub midias: Option<Vec<MediumView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capa: Option<MediaId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub privacidade: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub colaboradores: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playlist: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sem_comentarios: bool,
    /// O segundo do vídeo que é a capa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capa_segundo: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiktok: Vec<TikTokOption>,
    /// Data própria, no horário de Brasília; ausente, a da peça.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 31))]
    pub day: Option<i8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 12))]
    pub month: Option<i8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year: Option<i16>,
    /// Hora própria `HH:mm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hour: Option<String>,
    /// Quando vai ao ar, em UTC: a data própria ou a da peça.
    pub due_at: Option<Timestamp>,
    /// Desde quando está no ar, publicada pelo serviço ou por uma pessoa; ausente, não está.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_ar_desde: Option<Timestamp>,
    /// O endereço do post no ar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_do_post: Option<String>,
    /// Por que o serviço não publicaria agora a `automatica`; ausente, publica.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aviso: Option<&'static str>,
}

/// Uma mídia da variante.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MediumView {
    pub media_id: MediaId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorte: Option<CropView>,
}

/// Um recorte.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CropView {
    pub proporcao: CropAspect,
    /// O ponto que fica à vista, em fração da largura.
    pub x: f64,
    /// Idem, da altura.
    pub y: f64,
}

#[expect(
    clippy::cast_precision_loss,
    reason = "durations are far below 2^52 milliseconds"
)]
fn to_seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1_000.0
}

impl From<Crop> for CropView {
    fn from(crop: Crop) -> Self {
        Self {
            proporcao: crop.aspect,
            x: crop.x,
            y: crop.y,
        }
    }
}

impl VariantView {
    /// Builds the view of a variant of this piece.
    pub fn new(variant: Variant, piece: &Event) -> Self {
        let local = variant.due_at.map(LocalDate::from_instant);
        let post = variant.resolve(piece);
        let (aprovada, recusada) = (variant.is_approved(), variant.is_refused());
        let content = variant.content;
        let medium = |medium: domain::variant::VariantMedium| MediumView {
            media_id: medium.id,
            alt: medium.alt,
            recorte: medium.crop.map(CropView::from),
        };
        Self {
            id: variant.id,
            canal: variant.channel,
            formato: variant.format,
            revisao: variant.revision,
            aprovada,
            recusada,
            publicacao: variant.publish,
            legenda: content.caption,
            primeiro_comentario: content.first_comment,
            titulo: content.title,
            link: content.link,
            link_final: post.link,
            midias: content
                .media
                .map(|media| media.into_iter().map(medium).collect()),
            capa: content.cover,
            privacidade: content.privacy,
            colaboradores: content.collaborators,
            tags: content.tags,
            playlist: content.playlist,
            sem_comentarios: content.comments_off,
            capa_segundo: content.cover_at.map(to_seconds),
            tiktok: content.tiktok,
            day: local.as_ref().map(|local| local.day),
            month: local.as_ref().map(|local| local.month),
            year: local.as_ref().map(|local| local.year),
            hour: local.map(|local| local.hour),
            due_at: post.due_at.map(Timestamp),
            no_ar_desde: None,
            link_do_post: None,
            aviso: None,
        }
    }

    /// Adds the obstacle that prevents the service from publishing the variant now.
    #[must_use]
    pub(crate) fn with_publisher(mut self, publishers: &Publishers<'_>) -> Self {
        if self.publicacao == PublishMode::Automatic && self.no_ar_desde.is_none() {
            self.aviso = publishers.obstacle(&self.canal);
        }
        self
    }

    /// Adds the time and the link of the post if the variant is online. `posts` are the published posts
    /// of its piece.
    #[must_use]
    pub fn with_post(mut self, posts: &[ScheduledPost]) -> Self {
        let mut posts = posts.iter();
        let post =
            posts.find(|post| post.network == self.canal && post.kind == self.formato.as_str());
        if let Some(post) = post {
            self.no_ar_desde = post.finished_at.map(Timestamp);
            self.link_do_post.clone_from(&post.link);
        }
        self
    }
}
