//! The answer of `list_guest_pieces`.

use domain::{EventStatus, Format, GuestRight, Revision};
use gateway::{Context, Result};
use serde::Deserialize;
use serde_json::json;

use crate::{marked::Mark, piece::variant::Crop};

#[derive(Debug, Deserialize)]
pub(super) struct Pieces {
    pub nome: String,
    pub direito: GuestRight,
    pub convidado_por: String,
    pub assinatura: Option<String>,
    pub pecas: Vec<Piece>,
    /// True if the link has more pieces than `pecas` contains.
    #[serde(default)]
    pub ha_mais_pecas: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Piece {
    pub id: String,
    pub titulo: String,
    pub canal: String,
    pub status: EventStatus,
    pub api_revision: Revision,
    pub due_at: Option<String>,
    pub pode_decidir: bool,
    pub legenda: Option<String>,
    pub midias: Vec<Medium>,
    pub variantes: Vec<Variant>,
    #[serde(default)]
    pub canais_em_ajuste: Vec<ChangingChannel>,
    pub comentarios: Vec<Remark>,
    /// True if the piece has older remarks than `comentarios` contains.
    #[serde(default)]
    pub ha_comentarios_antigos: bool,
}

/// A channel whose post is hidden from guests while the team changes it.
#[derive(Debug, Deserialize)]
pub(super) struct ChangingChannel {
    pub canal: String,
    pub formato: Format,
}

/// The content of the piece on one channel.
#[derive(Debug, Deserialize)]
pub(super) struct Variant {
    pub canal: String,
    pub formato: Format,
    pub due_at: Option<String>,
    pub legenda: String,
    #[serde(default)]
    pub titulo: Option<String>,
    #[serde(default)]
    pub primeiro_comentario: Option<String>,
    #[serde(default)]
    pub link: Option<String>,
    pub midias: Vec<ChosenMedium>,
}

/// A medium of the piece that a variant publishes.
#[derive(Debug, Deserialize)]
pub(super) struct ChosenMedium {
    pub id: String,
    #[serde(default)]
    pub alt: Option<String>,
    #[serde(default)]
    pub recorte: Option<Crop>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Medium {
    pub id: String,
    pub media_type: String,
    pub alt: Option<String>,
    pub largura: Option<i64>,
    pub altura: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Remark {
    pub id: String,
    pub conversa: String,
    pub autor: String,
    /// True if this guest wrote the remark.
    pub seu: bool,
    /// `None` if the remark was removed.
    pub texto: Option<String>,
    pub created_at: String,
    #[serde(default)]
    pub edited_at: Option<String>,
    #[serde(default)]
    pub resolvido: Option<bool>,
    #[serde(default)]
    pub ancora: Option<Anchor>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Anchor {
    #[serde(default)]
    pub trecho: Option<String>,
    #[serde(default)]
    pub media_id: Option<String>,
    #[serde(default)]
    pub x: Option<f64>,
    #[serde(default)]
    pub y: Option<f64>,
    #[serde(default)]
    pub largura: Option<f64>,
    #[serde(default)]
    pub altura: Option<f64>,
    #[serde(default)]
    pub segundo: Option<f64>,
    /// True if the passage is no longer in the caption, or the medium is no longer on the piece.
    #[serde(default)]
    pub desatualizado: bool,
}

impl Anchor {
    /// Returns the mark of a point or rectangle on an image. `None` for other places.
    pub fn mark(&self) -> Option<Mark> {
        Mark::from_fields(self.x, self.y, [self.largura, self.altura])
    }
}

impl Pieces {
    pub async fn read(ctx: &Context<'_>) -> Result<Self> {
        let answer = ctx.read("list_guest_pieces", json!({})).await?;
        Ok(serde_json::from_value(answer)?)
    }

    pub fn find(&self, id: &str) -> Option<&Piece> {
        self.pecas.iter().find(|piece| piece.id == id)
    }

    /// Returns the account name that the previews of posts show.
    pub fn signer(&self) -> &str {
        self.assinatura.as_deref().unwrap_or(&self.convidado_por)
    }

    /// Returns the number of pieces that wait for a decision of the team.
    pub fn count_waiting_for_team(&self) -> usize {
        let with_team =
            |piece: &&Piece| piece.status == EventStatus::InApproval && !piece.pode_decidir;
        self.pecas.iter().filter(with_team).count()
    }

    /// Returns the pieces that wait for a decision of this guest.
    pub fn waiting(&self) -> impl Iterator<Item = &Piece> {
        self.pecas.iter().filter(|piece| piece.pode_decidir)
    }
}

impl Piece {
    /// True if the piece has variants, even if all their posts are hidden from guests.
    pub fn has_variants(&self) -> bool {
        !self.variantes.is_empty() || !self.canais_em_ajuste.is_empty()
    }
}

impl Medium {
    pub fn is_video(&self) -> bool {
        self.media_type.starts_with("video/")
    }
}
