//! The remarks of a piece as its guests see them.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::remark_view::AnchorView;
use domain::{Event, EventId, RemarkId, is_content_shown_to_guests, time::Timestamp};
use gateway::{Context, Result};
use store::remarks::{self, Remark};

/// Maximum number of remarks in the answer to a guest.
const MOST: i64 = 2_000;

/// Um comentário de uma conversa para convidados.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestRemark {
    id: RemarkId,
    /// A conversa: o id do primeiro comentário dela. Vai em `responde_a`.
    conversa: RemarkId,
    /// Nome de quem escreveu.
    autor: String,
    /// Verdadeiro quando quem lê o escreveu.
    seu: bool,
    texto: String,
    created_at: Timestamp,
    /// Se a conversa foi resolvida; só no primeiro comentário dela, como `ancora`.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolvido: Option<bool>,
    /// Onde na peça; ausente quando é sobre ela toda, ou numa peça recusada.
    #[serde(skip_serializing_if = "Option::is_none")]
    ancora: Option<AnchorView>,
}

impl GuestRemark {
    /// Loads the remarks that guests see on these pieces, in threads, by piece.
    pub async fn load_for_pieces(
        ctx: &Context<'_>,
        pieces: &[Event],
    ) -> Result<HashMap<EventId, Vec<Self>>> {
        let ids = pieces.iter().map(|piece| &piece.id);
        let mut seen: HashMap<EventId, Vec<Self>> = HashMap::new();
        for remark in remarks::list_for_guests(&ctx.db(), ids, MOST).await? {
            let piece = pieces.iter().find(|piece| piece.id == remark.event_id);
            let event_id = remark.event_id.clone();
            let one = Self::from_remark(ctx, remark, piece)?;
            seen.entry(event_id).or_default().push(one);
        }
        Ok(seen)
    }

    fn from_remark(ctx: &Context<'_>, remark: Remark, piece: Option<&Event>) -> Result<Self> {
        let piece = piece.filter(|piece| is_content_shown_to_guests(piece.status));
        let ancora = match (&remark.anchor, piece) {
            (Some(anchor), Some(piece)) => Some(AnchorView::from_anchor(
                serde_json::from_str(anchor)?,
                piece,
                None,
            )),
            _ => None,
        };
        let guest = ctx.caller()?.guest();
        Ok(Self {
            ancora,
            resolvido: remark.is_first().then_some(remark.resolved_at.is_some()),
            seu: guest.is_some_and(|guest| remark.guest_link_id.as_ref() == Some(&guest.link_id)),
            id: remark.id,
            conversa: remark.thread_id,
            autor: remark.author_name,
            texto: remark.text,
            created_at: Timestamp(remark.created_at),
        })
    }
}
