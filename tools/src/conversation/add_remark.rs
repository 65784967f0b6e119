use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    REMARK, WRITERS, anchor_input::AnchorInput, hints, remark_view::Audience,
    require_room_in_thread, require_room_on_piece,
};
use crate::{
    announcements::REMARK_ADDED,
    draft_remarks::sees_draft_threads,
    visibility::{self, EVENT},
};
use domain::{
    Anchor, Capability, Event, EventId, Fault, Member, MemberId, RemarkId, Revision, VISIBLE,
};
use gateway::{Context, Error, Operation, Result, Spec, Verb};
use store::{
    events, history, members,
    remarks::{self, NewRemark, Thread},
};

/// Comenta uma peça em texto simples, ou responde.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AddRemark {
    /// Id do evento.
    #[serde(rename = "eventId")]
    event_id: EventId,
    /// Texto simples.
    #[schemars(length(min = 1, max = 4000), regex(pattern = *VISIBLE))]
    texto: String,
    /// Onde; ausente, a peça toda. `legenda` ou `email` (`template_id`): `trecho` igual; se repetido,
    /// `posicao`. `imagem` (`media_id`): ponto ou retângulo, em frações desde o alto à esquerda.
    ancora: Option<AnchorInput>,
    /// A `conversa`, sem `ancora`.
    responde_a: Option<RemarkId>,
    /// `id` de `list_team`.
    #[serde(default)]
    #[schemars(length(max = 50))]
    mencoes: Vec<MemberId>,
    /// O valor lido.
    #[schemars(range(min = 1, max = 9007199254740991i64))]
    api_revision: Option<Revision>,
    /// De conversa nova.
    publico: Option<Audience>,
}

/// Comentário escrito.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RemarkAdded {
    ok: bool,
    id: RemarkId,
    /// A conversa: o id do primeiro comentário dela.
    conversa: RemarkId,
    /// A revisão do evento a que o comentário se refere.
    api_revision: Revision,
}

impl Operation for AddRemark {
    const SPEC: Spec = Spec::new(
        "add_remark",
        "Comentar",
        Verb::Post,
        "/api/eventos/{eventId}/comentarios",
    )
    .access(WRITERS)
    .makes(REMARK)
    .within(EVENT, "eventId")
    .fails(&[404])
    .extension()
    .hints(hints::ADD)
    .tool()
    .announces(&[REMARK_ADDED]);
    type Output = RemarkAdded;

    fn affected_ids(output: &RemarkAdded) -> Vec<&str> {
        vec![output.id.as_str()]
    }

    fn required_capabilities(&self) -> Vec<Capability> {
        let of_email = self
            .ancora
            .as_ref()
            .is_some_and(AnchorInput::is_in_email_draft);
        of_email
            .then_some(Capability::EmailDraftsView)
            .into_iter()
            .collect()
    }

    async fn run(self, ctx: &Context<'_>) -> Result<RemarkAdded> {
        let event = visibility::require_event(ctx, &self.event_id).await?;
        let revision = self.api_revision.unwrap_or(event.api_revision);
        if revision > event.api_revision {
            let message = "é maior que a do evento; releia-o com `get_event`";
            return Err(Error::invalid_field("api_revision", "maximum", message));
        }
        let anchor = match &self.ancora {
            Some(_) if self.responde_a.is_some() => {
                let message = "é da conversa; uma resposta não tem outra";
                return Err(Error::invalid_field("ancora", "not", message));
            }
            Some(place) if place.is_in_email_draft() => {
                if self.publico == Some(Audience::Guests) {
                    let message = "não vale para um rascunho de e-mail, que convidados não veem";
                    return Err(Error::invalid_field("publico", "const", message));
                }
                Some(place.to_draft_anchor(ctx).await?)
            }
            Some(place) => {
                let caption = history::caption_at(&ctx.db(), &event, revision).await?;
                Some(place.to_anchor(&event, revision, caption.as_deref())?)
            }
            None => None,
        };
        // Locks the piece, so that only one caller at a time counts its threads.
        events::lock_event(&ctx.db(), &event.id).await?;
        let id = RemarkId::new(ctx.now);
        let thread = match &self.responde_a {
            Some(answered) => {
                let thread = self.find_thread(ctx, answered).await?;
                require_room_in_thread(ctx, &thread.id).await?;
                thread
            }
            None => {
                require_room_on_piece(ctx, &event.id, ctx.caller()?.guest().is_some()).await?;
                Thread {
                    id: id.clone(),
                    for_guests: self.publico == Some(Audience::Guests),
                    template_id: anchor.as_ref().and_then(Anchor::template_id).cloned(),
                }
            }
        };
        self.require_mentions_visible(ctx, &event, &thread).await?;
        let caller = ctx.caller()?;
        let remark = NewRemark {
            id: &id,
            event_id: &event.id,
            thread_id: &thread.id,
            author_id: &caller.member.id,
            guest_link_id: caller.guest().map(|guest| &guest.link_id),
            for_guests: thread.for_guests,
            token_id: caller.token_id(),
            text: &self.texto,
            anchor: anchor.as_ref().map(serde_json::to_string).transpose()?,
            template_id: thread.template_id.as_ref(),
            passage_at: anchor.as_ref().and_then(Anchor::draft_position),
            read_revision: revision,
        };
        let mentions: BTreeSet<&MemberId> = self.mencoes.iter().collect();
        remarks::insert(&ctx.db(), remark, mentions, ctx.now).await?;
        Ok(RemarkAdded {
            ok: true,
            conversa: thread.id,
            id,
            api_revision: revision,
        })
    }
}

impl AddRemark {
    /// Builds the input of a remark that a guest writes about the current revision.
    pub(super) fn from_guest(
        event_id: EventId,
        texto: String,
        ancora: Option<AnchorInput>,
        responde_a: Option<RemarkId>,
        revision: Revision,
    ) -> Self {
        Self {
            event_id,
            texto,
            ancora,
            responde_a,
            mencoes: vec![],
            api_revision: Some(revision),
            publico: Some(Audience::Guests),
        }
    }

    /// Finds the thread of the answered remark. Refuses (400) a remark of another piece, a thread that
    /// the caller may not see, and an audience in the input that differs from the audience of the
    /// thread.
    async fn find_thread(&self, ctx: &Context<'_>, answered: &RemarkId) -> Result<Thread> {
        let one = std::slice::from_ref(answered);
        let mut threads = remarks::load_threads(&ctx.db(), &self.event_id, one).await?;
        let caller = ctx.caller()?;
        let is_guest = caller.guest().is_some();
        let thread = threads.remove(answered);
        let thread = thread.filter(|thread| thread.for_guests || !is_guest);
        let may_see = |thread: &Thread| thread.template_id.is_none() || sees_draft_threads(caller);
        let thread = thread.filter(may_see);
        let thread = thread.ok_or_else(|| {
            let message = "não é de uma conversa desta peça; veja `list_remarks`";
            Error::invalid_field("responde_a", "thread", message)
        })?;
        let wanted = self.publico.map(|audience| audience == Audience::Guests);
        match wanted.is_none_or(|wanted| wanted == thread.for_guests) {
            true => Ok(thread),
            false => {
                let message = "é o da conversa; uma resposta não o muda";
                Err(Error::invalid_field("publico", "const", message))
            }
        }
    }

    /// Refuses (400) mentions of members who may not see the piece or the e-mail draft of the thread.
    /// The refusal is the same if the member does not exist.
    async fn require_mentions_visible(
        &self,
        ctx: &Context<'_>,
        event: &Event,
        thread: &Thread,
    ) -> Result<()> {
        let active = members::find_active(&ctx.db(), &self.mencoes).await?;
        let is_of_draft = thread.template_id.is_some();
        let may_see = |member: &Member| {
            event.is_visible_to(member) && (!is_of_draft || member.sees_email_drafts())
        };
        let sees = |id: &MemberId| {
            let mut active = active.iter();
            active.any(|member| member.id == *id && may_see(member))
        };
        let message = match is_of_draft {
            true => "não é de alguém da equipe que possa ver esta peça e seus rascunhos de e-mail",
            false => "não é de alguém da equipe que possa ver esta peça",
        };
        let hidden = self.mencoes.iter().enumerate().filter(|(_, id)| !sees(id));
        let faults: Vec<Fault> = hidden
            .map(|(place, _)| Fault {
                field: format!("mencoes.{place}"),
                rule: "visible".into(),
                message: message.into(),
            })
            .collect();
        match faults.is_empty() {
            true => Ok(()),
            false => Err(Error::from_faults(faults)),
        }
    }
}
