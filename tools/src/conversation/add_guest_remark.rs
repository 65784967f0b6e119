use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    REMARK,
    add_remark::{AddRemark, RemarkAdded},
    anchor_input::AnchorInput,
    guest_words::reword_for_guest,
};
use crate::{announcements::REMARK_ADDED_BY_GUEST, guest_scope, visibility::EVENT};
use domain::{EventId, GuestRight, RemarkId, Revision, VISIBLE};
use gateway::{Access, Context, Operation, Result, Spec, Verb};

/// Comenta, como pessoa convidada, uma peça do link.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AddGuestRemark {
    /// Id da peça.
    event_id: EventId,
    /// Texto simples.
    #[schemars(length(min = 1, max = 4000), regex(pattern = *VISIBLE))]
    texto: String,
    /// Onde na peça, como em `add_remark`; ausente, a peça toda.
    ancora: Option<AnchorInput>,
    /// A `conversa` a que responde, sem `ancora`.
    responde_a: Option<RemarkId>,
    /// O `api_revision` visto.
    #[schemars(range(min = 1, max = 9007199254740991i64))]
    api_revision: Revision,
}

impl AddGuestRemark {
    /// Builds the input of a remark about the whole piece.
    pub fn about_piece(event_id: EventId, texto: String, api_revision: Revision) -> Self {
        Self {
            event_id,
            texto,
            ancora: None,
            responde_a: None,
            api_revision,
        }
    }
}

impl Operation for AddGuestRemark {
    const SPEC: Spec = Spec::new(
        "add_guest_remark",
        "Comentar como convidado",
        Verb::Post,
        "/api/convidado/comentarios",
    )
    .access(Access::Guest(Some(GuestRight::Remark)))
    .makes(REMARK)
    .within(EVENT, "event_id")
    .read_by("list_guest_pieces")
    .fails(&[404])
    .extension()
    .announces(&[REMARK_ADDED_BY_GUEST]);
    type Output = RemarkAdded;

    fn affected_ids(output: &RemarkAdded) -> Vec<&str> {
        AddRemark::affected_ids(output)
    }

    async fn run(self, ctx: &Context<'_>) -> Result<RemarkAdded> {
        let piece = guest_scope::require_piece_to_change(ctx, &self.event_id).await?;
        guest_scope::require_seen_revision(&piece, self.api_revision)?;
        if let Some(place) = &self.ancora {
            place.require_shown_to_guests(&piece)?;
        }
        let remark = AddRemark::from_guest(
            self.event_id,
            self.texto,
            self.ancora,
            self.responde_a,
            self.api_revision,
        );
        remark.run(ctx).await.map_err(reword_for_guest)
    }
}
