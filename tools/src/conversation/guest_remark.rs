//! The remarks of a piece as its guests see them.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::remark_view::AnchorView;
use domain::{
    Anchor, Event, EventId, RemarkId, caption_shown_to_guests, is_content_shown_to_guests,
    time::Timestamp,
};
use gateway::{Context, Result};
use store::remarks::{self, Remark};

/// Maximum number of remarks in the answer to a guest, not counting the first remarks of their threads.
const MOST: usize = 2_000;
/// The number of remarks that each piece may show at least, even if the link has many pieces.
const LEAST_OF_PIECE: usize = 20;

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
    /// Nulo num comentário removido, que fica por causa das respostas.
    texto: Option<String>,
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_at: Option<Timestamp>,
    /// Se a conversa foi resolvida; só no primeiro comentário dela, como `ancora`.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolvido: Option<bool>,
    /// Onde na peça; ausente quando é sobre ela toda, ou numa peça recusada. De um trecho que não está
    /// mais na legenda, quem não o escreveu não vê o texto.
    #[serde(skip_serializing_if = "Option::is_none")]
    ancora: Option<AnchorView>,
}

/// The remarks of a piece that its guests see.
#[derive(Debug, Default)]
pub struct GuestTalk {
    /// The remarks, grouped by thread.
    pub remarks: Vec<GuestRemark>,
    /// True if the piece has older remarks too.
    pub is_cut: bool,
}

impl GuestTalk {
    /// Loads the newest remarks that guests see on these pieces, by piece.
    pub async fn load_for_pieces(
        ctx: &Context<'_>,
        pieces: &[Event],
    ) -> Result<HashMap<EventId, Self>> {
        let ids = pieces.iter().map(|piece| &piece.id);
        let most = (MOST / pieces.len().max(1)).max(LEAST_OF_PIECE);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let found = remarks::list_for_guests(&ctx.db(), ids, most).await?;
        let mut seen: HashMap<EventId, Self> = HashMap::new();
        for remark in found.remarks {
            let piece = pieces.iter().find(|piece| piece.id == remark.event_id);
            let event_id = remark.event_id.clone();
            let is_cut = found.cut.contains(&event_id);
            let one = GuestRemark::from_remark(ctx, remark, piece)?;
            let talk = seen.entry(event_id).or_default();
            talk.is_cut = is_cut;
            talk.remarks.push(one);
        }
        Ok(seen)
    }
}

impl GuestRemark {
    fn from_remark(ctx: &Context<'_>, remark: Remark, piece: Option<&Event>) -> Result<Self> {
        let guest = ctx.caller()?.guest();
        let seu = guest.is_some_and(|guest| remark.guest_link_id.as_ref() == Some(&guest.link_id));
        let piece = piece.filter(|piece| is_content_shown_to_guests(piece.status));
        let ancora = match (&remark.anchor, piece) {
            (Some(anchor), Some(piece)) => Some(describe_place(anchor, piece, seu)?),
            _ => None,
        };
        Ok(Self {
            ancora,
            resolvido: remark.is_first().then_some(remark.resolved_at.is_some()),
            seu,
            id: remark.id,
            conversa: remark.thread_id,
            autor: remark.author_name,
            texto: remark.removed_at.is_none().then_some(remark.text),
            created_at: Timestamp(remark.created_at),
            edited_at: remark.edited_at.map(Timestamp),
        })
    }
}

/// Describes the place of a remark. A passage that is not in the caption that guests see may come from a
/// draft, so only the author of the remark sees the passage.
fn describe_place(anchor: &str, piece: &Event, is_own: bool) -> Result<AnchorView> {
    let anchor: Anchor = serde_json::from_str(anchor)?;
    let is_shown = match &anchor {
        Anchor::Caption { trecho, .. } => {
            let caption = caption_shown_to_guests(piece);
            caption.is_some_and(|caption| caption.contains(trecho.as_str()))
        }
        _ => true,
    };
    let view = AnchorView::from_anchor(anchor, piece, None);
    Ok(match is_shown || is_own {
        true => view,
        false => view.without_passage(),
    })
}
