use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    EVENT_NOT_PENDING,
    decide_approval::{DecideApproval, Decision},
    stages::{NOT_YOUR_STAGE, OWN_PIECE},
};
use crate::{
    announcements::PIECE_DECIDED_BY_GUEST,
    conversation::{AddGuestRemark, reword_for_guest},
    guest_scope,
    variants::CHANNEL_RULES,
    visibility::EVENT,
};
use domain::{EventId, EventStatus, Fault, GuestRight, Revision, VISIBLE, text_enum};
use gateway::{Access, Code, Context, Error, Operation, Result, Spec, Verb};

text_enum! {
    /// The decision of a guest.
    pub enum GuestDecision {
        Approve = "aprovar",
        RequestChanges = "pedir_ajustes",
    }
}

/// Aprova uma peça do link, ou pede ajustes, como pessoa convidada.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DecideAsGuest {
    /// Id da peça.
    event_id: EventId,
    /// A decisão.
    acao: GuestDecision,
    /// O que ajustar; grava um comentário. Obrigatório quando a peça não tem conversa aberta.
    #[schemars(length(min = 1, max = 4000), regex(pattern = *VISIBLE))]
    texto: Option<String>,
    /// O `api_revision` visto.
    #[schemars(range(min = 1, max = 9007199254740991i64))]
    api_revision: Revision,
}

/// Decisão tomada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestDecided {
    ok: bool,
    status: EventStatus,
    api_revision: Revision,
}

impl Operation for DecideAsGuest {
    const SPEC: Spec = Spec::new(
        "decide_as_guest",
        "Decidir como convidado",
        Verb::Post,
        "/api/convidado/decisao",
    )
    .access(Access::Guest(Some(GuestRight::Decide)))
    .about(EVENT, "event_id")
    .read_by("list_guest_pieces")
    .fails(&[404])
    .extension()
    .destructive()
    .announces(&[PIECE_DECIDED_BY_GUEST]);
    type Output = GuestDecided;

    async fn run(self, ctx: &Context<'_>) -> Result<GuestDecided> {
        let piece = guest_scope::require_piece_to_change(ctx, &self.event_id).await?;
        if piece.status != EventStatus::InApproval {
            return Err(Error::new(EVENT_NOT_PENDING)
                .because("Esta peça já não espera decisão.")
                .with_detail("next", "Abra o link de novo e veja como ela está.".into()));
        }
        guest_scope::require_seen_revision(&piece, self.api_revision)?;
        let action = match self.acao {
            GuestDecision::Approve if self.texto.is_some() => {
                return Err(Error::from_faults(vec![Fault {
                    field: "texto".into(),
                    rule: "not".into(),
                    message: "só ao pedir ajustes".into(),
                }]));
            }
            GuestDecision::Approve => Decision::Approve,
            GuestDecision::RequestChanges => {
                if let Some(text) = self.texto {
                    let id = self.event_id.clone();
                    let remark = AddGuestRemark::about_piece(id, text, self.api_revision);
                    remark.run(ctx).await?;
                }
                Decision::RequestChanges
            }
        };
        let decision = DecideApproval::from_guest(self.event_id, action, self.api_revision);
        match decision.run(ctx).await {
            Ok(decided) => Ok(GuestDecided {
                ok: true,
                status: decided.status,
                api_revision: decided.api_revision,
            }),
            Err(error) if error.code == Code::STALE_REVISION => {
                Err(guest_scope::hide_changes(&error))
            }
            // The messages for members would name the people for whom the piece waits.
            Err(error) if [NOT_YOUR_STAGE, OWN_PIECE].contains(&error.code) => {
                Err(Error::new(NOT_YOUR_STAGE)
                    .because("Esta peça espera pela equipe.")
                    .with_detail(
                        "next",
                        "Espere a equipe decidir e abra o link de novo.".into(),
                    ))
            }
            // Guests do not see the variants of a piece.
            Err(error) if error.code == CHANNEL_RULES => Err(Error::new(CHANNEL_RULES)
                .because("Esta peça ainda precisa de um ajuste da equipe.")
                .with_detail(
                    "next",
                    "Avise a equipe, e abra o link de novo depois.".into(),
                )),
            Err(error) => Err(reword_for_guest(error)),
        }
    }
}
