//! The answer of `list_guest_pieces`.

use domain::{EventStatus, GuestRight, Revision};
use gateway::{Context, Result};
use serde::Deserialize;
use serde_json::json;

#[derive(Debug, Deserialize)]
pub(super) struct Pieces {
    pub nome: String,
    pub direito: GuestRight,
    pub convidado_por: String,
    pub pecas: Vec<Piece>,
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
    pub comentarios: Vec<Remark>,
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
    pub texto: String,
    pub created_at: String,
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
}

impl Pieces {
    pub async fn read(ctx: &Context<'_>) -> Result<Self> {
        let answer = ctx.read("list_guest_pieces", json!({})).await?;
        Ok(serde_json::from_value(answer)?)
    }

    pub fn find(&self, id: &str) -> Option<&Piece> {
        self.pecas.iter().find(|piece| piece.id == id)
    }

    /// The pieces that wait for a decision of this guest.
    pub fn waiting(&self) -> impl Iterator<Item = &Piece> {
        self.pecas.iter().filter(|piece| piece.pode_decidir)
    }
}

impl Medium {
    pub fn is_video(&self) -> bool {
        self.media_type.starts_with("video/")
    }
}
