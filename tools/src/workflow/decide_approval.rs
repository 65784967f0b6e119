use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    EVENT_NOT_PENDING, edits, hints, notices,
    stages::{AllowedDecision, ApprovalView, PendingDecision},
};
use crate::announcements::PIECE_DECIDED;
use crate::draft_remarks::sees_draft_threads;
use crate::editable::{next_step_advice, require_revision};
use crate::variants::require_no_problems;
use crate::visibility::{self, EVENT};
use domain::{
    Capability, EventId, EventStatus, Revision,
    approval::Verdict,
    is_blank, text_enum,
    time::{DateFields, Millis, Timestamp},
};
use gateway::{Access, Code, Context, Error, Operation, Result, Spec, Verb};
use store::{
    events::{self, Change, Event},
    remarks,
};

text_enum! {
    /// The decision about an event that is in approval.
    pub enum Decision {
        Approve = "aprovar",
        Refuse = "recusar",
        /// A refusal whose reasons are the open remarks.
        RequestChanges = "pedir_ajustes",
    }
}

impl Decision {
    const fn resulting_status(self) -> EventStatus {
        match self {
            Decision::Approve => EventStatus::Approved,
            Decision::Refuse | Decision::RequestChanges => EventStatus::Refused,
        }
    }

    const fn verdict(self) -> Verdict {
        match self {
            Decision::Approve => Verdict::Approve,
            Decision::Refuse | Decision::RequestChanges => Verdict::Refuse,
        }
    }
}

/// Aprova ou recusa um evento em aprovação, ou pede ajustes. Só o `automatica` sai sozinho.
///
/// `pedir_ajustes` recusa por comentários abertos ou `motivo`. Em etapas, leva à seguinte. Repetir a
/// decisão não muda nada. Leia antes com `get_event`; a fila é `list_pending_approvals`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DecideApproval {
    /// Id do evento.
    event_id: EventId,
    /// A decisão.
    action: Decision,
    /// Para quem refaz.
    #[schemars(length(max = 2000))]
    motivo: Option<String>,
    /// Data final, usada só ao aprovar.
    #[serde(flatten)]
    date: DateFields,
    /// Legenda final, ao aprovar; ausente mantém.
    #[schemars(length(max = 20000))]
    caption: Option<String>,
    /// O `api_revision` lido, sempre.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Option<Revision>,
}

/// Decisão tomada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Decided {
    ok: bool,
    pub(super) status: EventStatus,
    pub(super) api_revision: Revision,
    due_at: Option<Timestamp>,
    /// A etapa em que espera, depois de aprovada uma que não é a última.
    #[serde(skip_serializing_if = "Option::is_none")]
    aprovacao: Option<ApprovalView>,
    /// A legenda que ficou gravada; ausente quando não há, ou não cabe no resultado.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// O que convém contar a uma pessoa; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
}

impl Operation for DecideApproval {
    const SPEC: Spec = Spec::new(
        "decide_approval",
        "Aprovar ou recusar",
        Verb::Post,
        "/api/aprovar",
    )
    .access(Access::Member(Capability::Approve))
    .about(EVENT, "event_id")
    .read_by("get_event")
    .fails(&[404])
    .idempotent()
    .destructive()
    .reaches_outside_later()
    .hints(hints::DECIDE)
    .tool()
    .announces(&[PIECE_DECIDED]);
    type Output = Decided;

    fn omit_separately_readable_parts(answer: &mut Value) -> bool {
        let answer = answer.as_object_mut();
        answer.is_some_and(|answer| answer.remove("description").is_some())
    }

    async fn run(self, ctx: &Context<'_>) -> Result<Decided> {
        let date = self.date.to_instant(ctx.now)?;
        loop {
            let mut in_stage = false;
            match self.decide(ctx, date, &mut in_stage).await {
                // Another caller changed the event first, and this call has no `expected_revision`:
                // decides again on the current event, but not in another stage.
                Err(error)
                    if error.code == Code::STALE_REVISION
                        && self.expected_revision.is_none()
                        && !in_stage => {}
                decided => return decided,
            }
        }
    }
}

/// The notice of a repeated approval of a stage.
const REPEATED: &str = "Você já tinha aprovado esta etapa: nada mudou. Para decidir a etapa atual, se \
    for a sua vez, releia a peça e envie `expected_revision`.";

impl DecideApproval {
    /// Builds the decision of a guest, who can change neither the date nor the caption.
    pub(super) fn from_guest(event_id: EventId, action: Decision, seen: Revision) -> Self {
        Self {
            event_id,
            action,
            motivo: None,
            date: DateFields::default(),
            caption: None,
            expected_revision: Some(seen),
        }
    }

    /// Decides once. Sets `in_stage` to true if the event waits in an approval stage.
    async fn decide(
        &self,
        ctx: &Context<'_>,
        date: Option<Millis>,
        in_stage: &mut bool,
    ) -> Result<Decided> {
        let before = visibility::require_event(ctx, &self.event_id).await?;
        if self.is_already_decided_on(&before, date) {
            return Ok(Decided::from(before));
        }
        let pending = PendingDecision::load(ctx, &before).await?;
        *in_stage = pending.as_ref().is_some_and(PendingDecision::has_stages);
        if let Some(pending) = &pending
            && self.action == Decision::Approve
            && pending.is_repeated(ctx, self.expected_revision)?
        {
            return Ok(Decided {
                aprovacao: pending.view(ctx)?,
                avisos: vec![REPEATED.into()],
                ..Decided::from(before)
            });
        }
        if let Some(expected) = self.expected_revision {
            require_revision(ctx, &before, expected).await?;
        }
        if before.status != EventStatus::InApproval {
            let advice = match before.status {
                EventStatus::Published | EventStatus::Archived => "Nada há a decidir.",
                status => next_step_advice(status),
            };
            return Err(Error::new(EVENT_NOT_PENDING)
                .because(format!(
                    "O evento está `{}`, não `em aprovação`.",
                    before.status
                ))
                .with_detail("status", before.status.as_str().into())
                .with_detail("next", advice.into()));
        }
        let allowed = pending.map(|pending| pending.decide(ctx, self.action.verdict()));
        let allowed = allowed.transpose()?;
        let mut after = before.clone();
        if !allowed.as_ref().is_some_and(AllowedDecision::keeps_waiting) {
            after.status = self.action.resulting_status();
        }
        if self.action == Decision::Approve {
            after.due_at = date.or(after.due_at);
            after.description = self.caption.clone().or(after.description);
        }
        let mut avisos = vec![];
        if self.expected_revision.is_none() {
            avisos.extend(edits::describe_edits_since_submission(ctx, &before.id).await?);
        }
        if self.action == Decision::Approve {
            avisos.extend(notices::past_date_warning(date, ctx.now));
            avisos.extend(notices::unwritten_caption_warning(&after, "aprovada"));
        }
        if self.action == Decision::Approve {
            let variants = require_no_problems(ctx, &after).await?;
            if after.status == EventStatus::Approved {
                avisos.extend(notices::automatic_posts_notices(ctx, &after, variants).await?);
            }
        }
        let caller = ctx.caller()?;
        let change = Change {
            actor: &caller.member.id,
            action: Self::SPEC.name,
            reason: self.motivo.as_deref(),
        };
        let db = ctx.db();
        if self.action == Decision::RequestChanges {
            self.require_changes(ctx).await?;
        }
        let mut notes = self.describe_decision(allowed.as_ref());
        let changes_caption = before.description != after.description;
        let earlier = allowed.as_ref().filter(|_| changes_caption);
        if let Some(names) = earlier.and_then(|allowed| allowed.earlier_approvers(caller)) {
            avisos.push(notices::changed_after_approval_warning(&names));
            let changed = json!({ "before": null, "after": names });
            notes.insert("changed_after_approval_of".into(), changed);
        }
        let saved = events::save_decision(&db, &before, after, (change, notes), ctx.now).await?;
        let aprovacao = match allowed {
            Some(allowed) => allowed.store(ctx, &before, &saved).await?,
            None => None,
        };
        if saved.status == EventStatus::Refused {
            // The next version must answer all open threads again.
            remarks::clear_answers(&db, &saved.id).await?;
        }
        Ok(Decided {
            avisos,
            aprovacao,
            ..Decided::from(saved)
        })
    }

    /// Returns the notes for the history besides the changed fields: the stage, and a decision that the
    /// resulting status does not show.
    fn describe_decision(&self, allowed: Option<&AllowedDecision>) -> Map<String, Value> {
        let decision = self.action.as_str();
        let mut notes = allowed
            .map(|allowed| allowed.notes(decision))
            .unwrap_or_default();
        if self.action == Decision::RequestChanges {
            let decided = json!({ "before": null, "after": decision });
            notes.insert("decision".into(), decided);
        }
        notes
    }

    /// Refuses (400) a request for changes that has neither a reason nor an open remark.
    async fn require_changes(&self, ctx: &Context<'_>) -> Result<()> {
        if self
            .motivo
            .as_deref()
            .is_some_and(|reason| !is_blank(reason))
        {
            return Ok(());
        }
        let has_open = match ctx.caller()?.guest() {
            Some(_) => remarks::has_open_for_guests(&ctx.db(), &self.event_id).await?,
            None => {
                let counts = remarks::count_open(
                    &ctx.db(),
                    sees_draft_threads(ctx.caller()?),
                    [&self.event_id],
                )
                .await?;
                counts.contains_key(&self.event_id)
            }
        };
        if has_open {
            return Ok(());
        }
        Err(Error::invalid_field(
            "motivo",
            "required",
            "é obrigatório enquanto a peça não tem comentário aberto; comente com `add_remark`",
        ))
    }

    /// Returns true if the event already has this decision, with the same date and caption.
    fn is_already_decided_on(&self, event: &Event, date: Option<Millis>) -> bool {
        let same_content = self.action != Decision::Approve
            || (date.is_none_or(|date| event.due_at == Some(date))
                && self
                    .caption
                    .as_ref()
                    .is_none_or(|c| event.description.as_ref() == Some(c)));
        event.status == self.action.resulting_status() && same_content
    }
}

impl From<Event> for Decided {
    fn from(event: Event) -> Self {
        Self {
            ok: true,
            status: event.status,
            api_revision: event.api_revision,
            due_at: event.due_at.map(Timestamp),
            aprovacao: None,
            description: event.description,
            avisos: vec![],
        }
    }
}
