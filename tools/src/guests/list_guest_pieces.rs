use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::guest_post::{ChangingChannel, GuestPost};
use crate::{
    conversation::{GuestRemark, GuestTalk},
    guest_scope, team_brand,
};
use domain::{
    Event, EventId, EventStatus, GuestRight, MediaId, Revision, approval::Team,
    caption_shown_to_guests, is_content_shown_to_guests, time::Timestamp,
};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::{
    Conn,
    approvals::{self, Running},
    media::{self, Media},
    members, variants,
};

/// Mostra a uma pessoa convidada as peças do seu link, com os comentários que são para convidados.
#[derive(Debug, serde::Deserialize, JsonSchema)]
pub struct ListGuestPieces {}

/// As peças do link.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestPieces {
    /// A pessoa convidada.
    nome: String,
    direito: GuestRight,
    /// Quem mandou o link.
    convidado_por: String,
    /// O nome da marca que assina os posts.
    assinatura: Option<String>,
    pecas: Vec<GuestPiece>,
    /// Verdadeiro quando o link tem mais peças que estas, que são as primeiras em data.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ha_mais_pecas: bool,
}

/// Uma peça como a pessoa convidada a vê.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestPiece {
    id: EventId,
    titulo: String,
    canal: String,
    status: EventStatus,
    /// A revisão que se vê; a decisão a informa.
    api_revision: Revision,
    due_at: Option<Timestamp>,
    /// Se a peça espera a decisão de quem tem o link.
    pode_decidir: bool,
    /// A legenda como vai ser publicada; nula enquanto não está escrita, e numa peça recusada.
    legenda: Option<String>,
    /// Em ordem; vazia numa peça recusada.
    midias: Vec<GuestMedium>,
    /// O que a peça diz em cada canal a que vai, com a data dele; vazio quando vai só ao seu.
    variantes: Vec<GuestPost>,
    /// Os canais que a equipe altera depois da aprovação; o que dizem aparece em `variantes` quando for
    /// aprovado de novo.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    canais_em_ajuste: Vec<ChangingChannel>,
    comentarios: Vec<GuestRemark>,
    /// Verdadeiro quando há comentários mais antigos que estes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ha_comentarios_antigos: bool,
}

/// Uma imagem ou um vídeo da peça.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestMedium {
    id: MediaId,
    media_type: String,
    /// A descrição para quem não vê a imagem.
    alt: Option<String>,
    /// Em pixels.
    largura: Option<i64>,
    altura: Option<i64>,
}

impl Operation for ListGuestPieces {
    const SPEC: Spec = Spec::new(
        "list_guest_pieces",
        "Ver peças de um link de convidado",
        Verb::Get,
        "/api/convidado/pecas",
    )
    .access(Access::Guest(Some(GuestRight::See)))
    .extension()
    .quotes();
    type Output = GuestPieces;

    async fn run(self, ctx: &Context<'_>) -> Result<GuestPieces> {
        let caller = ctx.caller()?;
        let guest = caller.guest();
        let guest = guest.ok_or_else(|| Error::internal("a guest operation without a guest"))?;
        let (pieces, ha_mais_pecas) = guest_scope::load_pieces(ctx).await?;
        let ids: Vec<MediaId> = pieces
            .iter()
            .flat_map(|piece| piece.media.iter().map(|medium| medium.id.clone()))
            .collect();
        let sizes = media::find_visible(&ctx.db(), None, &ids).await?;
        let stages = approvals::load(&ctx.db(), pieces.iter().map(|piece| &piece.id)).await?;
        let team = match stages.is_empty() {
            true => Team::default(),
            false => load_approvers(&ctx.db()).await?,
        };
        let may_decide = |piece: &Event| {
            let running = stages.get(&piece.id);
            let waits = |running: &Running| {
                let approval = &running.approval;
                approval.waits_for_guests(&caller.member.id, &team)
            };
            guest.right >= GuestRight::Decide
                && piece.status == EventStatus::InApproval
                && running.is_none_or(waits)
        };
        let variants = variants::load(&ctx.db(), pieces.iter().map(|piece| &piece.id)).await?;
        let brand = team_brand::load_brand(&ctx.db()).await?;
        let mut remarks = GuestTalk::load_for_pieces(ctx, &pieces).await?;
        Ok(GuestPieces {
            nome: guest.name.clone(),
            direito: guest.right,
            convidado_por: caller.member.name.clone(),
            assinatura: brand.map(|brand| brand.handle.unwrap_or(brand.name)),
            ha_mais_pecas,
            pecas: pieces
                .into_iter()
                .map(|piece| {
                    let variants = variants.get(&piece.id).map_or(&[][..], Vec::as_slice);
                    GuestPiece {
                        pode_decidir: may_decide(&piece),
                        variantes: GuestPost::list(&piece, variants),
                        canais_em_ajuste: ChangingChannel::list(&piece, variants),
                        ..GuestPiece::from_event(piece, &sizes, &mut remarks)
                    }
                })
                .collect(),
        })
    }
}

/// Loads the team, because the roles of its members determine who decides a stage.
async fn load_approvers(db: &Conn<'_>) -> Result<Team> {
    let members = members::load_team(db).await?;
    Ok(Team::new(
        members.into_iter().map(|(id, _, role)| (id, role)),
    ))
}

impl GuestPiece {
    fn from_event(
        piece: Event,
        sizes: &[Media],
        remarks: &mut HashMap<EventId, GuestTalk>,
    ) -> Self {
        let shows_content = is_content_shown_to_guests(piece.status);
        let caption = caption_shown_to_guests(&piece).map(str::to_owned);
        let media = piece.media.into_iter().filter(|_| shows_content);
        let talk = remarks.remove(&piece.id).unwrap_or_default();
        Self {
            titulo: piece.title,
            canal: piece.channel,
            status: piece.status,
            api_revision: piece.api_revision,
            due_at: piece.due_at.map(Timestamp),
            pode_decidir: false,
            legenda: caption,
            midias: media
                .map(|medium| {
                    let size = sizes.iter().find(|stored| stored.id == medium.id);
                    GuestMedium {
                        id: medium.id,
                        media_type: medium.media_type,
                        alt: medium.alt,
                        largura: size.and_then(|stored| stored.width),
                        altura: size.and_then(|stored| stored.height),
                    }
                })
                .collect(),
            variantes: vec![],
            canais_em_ajuste: vec![],
            comentarios: talk.remarks,
            ha_comentarios_antigos: talk.is_cut,
            id: piece.id,
        }
    }
}
