//! A post of a piece as a guest sees it.

use schemars::JsonSchema;
use serde::Serialize;

use domain::{
    Event, EventStatus, Format, MediaId, is_content_shown_to_guests,
    time::Timestamp,
    variant::{ResolvedMedium, Variant},
};

use crate::variants::CropView;

/// O que a peça diz num canal, como vai ser publicado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestPost {
    canal: String,
    formato: Format,
    due_at: Option<Timestamp>,
    legenda: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    titulo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    primeiro_comentario: Option<String>,
    /// Com os parâmetros UTM.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// Em ordem, entre as da peça.
    midias: Vec<GuestPostMedium>,
}

/// Um canal da peça que a equipe altera.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangingChannel {
    canal: String,
    formato: Format,
}

/// Uma mídia neste canal.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestPostMedium {
    id: MediaId,
    /// A descrição para quem não vê a imagem.
    #[serde(skip_serializing_if = "Option::is_none")]
    alt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorte: Option<CropView>,
}

impl GuestPost {
    /// Lists the posts of a piece that guests may see: all posts while the piece is in approval, later
    /// only approved posts. A variant that changed after its approval is a draft until it is approved
    /// again.
    pub fn list(piece: &Event, variants: &[Variant]) -> Vec<Self> {
        let shown = list_shown_variants(piece, variants);
        shown.map(|variant| Self::new(piece, variant)).collect()
    }

    fn new(piece: &Event, variant: &Variant) -> Self {
        let post = variant.resolve(piece);
        Self {
            canal: variant.channel.clone(),
            formato: variant.format,
            due_at: post.due_at.map(Timestamp),
            legenda: post.caption,
            titulo: post.title,
            primeiro_comentario: post.first_comment,
            link: post.link,
            midias: post.media.into_iter().map(GuestPostMedium::from).collect(),
        }
    }
}

impl ChangingChannel {
    /// Lists the channels whose posts guests do not see yet, because the variant changed after its
    /// approval or was added after the approval of the piece. Guests learn that these channels change,
    /// but not what their posts say.
    pub fn list(piece: &Event, variants: &[Variant]) -> Vec<Self> {
        let has_content = is_content_shown_to_guests(piece.status);
        let all = variants.iter().filter(|_| has_content);
        let hidden = all.filter(|variant| !is_shown(piece, variant));
        let channels = hidden.map(|variant| Self {
            canal: variant.channel.clone(),
            formato: variant.format,
        });
        channels.collect()
    }
}

/// Lists the variants of a piece whose posts guests see.
pub(super) fn list_shown_variants<'v>(
    piece: &Event,
    variants: &'v [Variant],
) -> impl Iterator<Item = &'v Variant> {
    variants.iter().filter(|variant| is_shown(piece, variant))
}

fn is_shown(piece: &Event, variant: &Variant) -> bool {
    let is_current = piece.status == EventStatus::InApproval || variant.is_approved();
    is_content_shown_to_guests(piece.status) && is_current
}

impl From<ResolvedMedium> for GuestPostMedium {
    fn from(medium: ResolvedMedium) -> Self {
        Self {
            id: medium.id,
            alt: medium.alt,
            recorte: medium.crop.map(CropView::from),
        }
    }
}
