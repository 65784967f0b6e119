use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{MEDIA_PROCESSING, hints, notices, stages};
use crate::announcements::PIECE_SUBMITTED;
use crate::draft_remarks::sees_draft_threads;
use crate::editable::require_editable_at;
use crate::variants::require_no_problems;
use crate::visibility::{self, EVENT};
use domain::{
    Capability, EventId, EventStatus, Fault, MOST_TAG, RemarkId, Revision, VISIBLE,
    time::{DateFields, Timestamp},
};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::{
    events::{self, Change},
    media_jobs, remarks,
};

/// Envia um evento para aprovação.
///
/// Ele deixa de ser editável; `decide_approval` decide, `reopen_event` desfaz.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SubmitForApproval {
    /// Id do evento.
    event_id: EventId,
    /// O `api_revision` lido.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    #[serde(flatten)]
    date: DateFields,
    /// Legenda; ausente mantém.
    #[schemars(length(max = 20000))]
    caption: Option<String>,
    /// Etiqueta; ausente mantém.
    #[schemars(length(min = 1, max = MOST_TAG), regex(pattern = *VISIBLE))]
    tipo: Option<String>,
    /// Conversas de `list_remarks` atendidas.
    #[serde(default)]
    #[schemars(length(max = 500))]
    comentarios_respondidos: Vec<RemarkId>,
}

/// Evento enviado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Submitted {
    ok: bool,
    status: EventStatus,
    api_revision: Revision,
    due_at: Option<Timestamp>,
    /// O mesmo que `due_at`.
    proposto: Option<Timestamp>,
    /// A legenda que ficou gravada; ausente quando não há, ou não cabe no resultado.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// O que convém contar a uma pessoa; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
}

impl Operation for SubmitForApproval {
    const SPEC: Spec = Spec::new(
        "submit_for_approval",
        "Enviar para aprovação",
        Verb::Post,
        "/api/enviar",
    )
    .access(Access::Member(Capability::Enviar))
    .about(EVENT, "event_id")
    .read_by("get_event")
    .fails(&[404])
    .idempotent()
    .destructive()
    .hints(hints::SUBMIT)
    .tool()
    .announces(&[PIECE_SUBMITTED]);
    type Output = Submitted;

    fn omit_separately_readable_parts(answer: &mut Value) -> bool {
        let answer = answer.as_object_mut();
        answer.is_some_and(|answer| answer.remove("description").is_some())
    }

    async fn run(self, ctx: &Context<'_>) -> Result<Submitted> {
        let date = self.date.to_instant(ctx.now)?;
        let before = visibility::require_event(ctx, &self.event_id).await?;
        require_editable_at(ctx, &before, self.expected_revision).await?;
        if media_jobs::is_any_job_running(&ctx.db(), &before.id, ctx.now).await? {
            return Err(Error::new(MEDIA_PROCESSING));
        }
        let threads = self.find_answered_threads(ctx).await?;
        let mut after = before.clone();
        after.status = EventStatus::InApproval;
        after.due_at = date.or(after.due_at);
        after.description = self.caption.or(after.description);
        after.editorial_tag = self.tipo.or(after.editorial_tag);
        let actor = &ctx.caller()?.member.id;
        let change = Change {
            actor,
            action: Self::SPEC.name,
            reason: None,
        };
        let sent = events::save(&ctx.db(), &before, after, change, ctx.now).await?;
        require_no_problems(ctx, &sent).await?;
        stages::begin_approval(ctx, &sent).await?;
        remarks::mark_answered(&ctx.db(), &threads, sent.api_revision, ctx.now).await?;
        let due_at = sent.due_at.map(Timestamp);
        let mut avisos: Vec<String> = notices::past_date_warning(date, ctx.now)
            .into_iter()
            .collect();
        avisos.extend(notices::missing_media_warning(&sent));
        avisos.extend(notices::unwritten_caption_warning(&sent, "enviada"));
        Ok(Submitted {
            ok: true,
            status: sent.status,
            api_revision: sent.api_revision,
            proposto: due_at,
            due_at,
            description: sent.description,
            avisos,
        })
    }
}

impl SubmitForApproval {
    /// Returns the threads that this version answers. Refuses (400) a thread that does not belong to
    /// this piece, and a thread about an e-mail draft if the caller may not see drafts.
    async fn find_answered_threads(&self, ctx: &Context<'_>) -> Result<BTreeSet<RemarkId>> {
        let named = &self.comentarios_respondidos;
        let mut threads = remarks::load_threads(&ctx.db(), &self.event_id, named).await?;
        let sees_drafts = sees_draft_threads(ctx.caller()?);
        threads.retain(|_, thread| sees_drafts || thread.template_id.is_none());
        let unknown = named.iter().enumerate();
        let unknown = unknown.filter(|(_, id)| !threads.contains_key(*id));
        let faults: Vec<Fault> = unknown
            .map(|(place, _)| Fault {
                field: format!("comentarios_respondidos.{place}"),
                rule: "thread".into(),
                message: "não é de uma conversa desta peça; veja `list_remarks`".into(),
            })
            .collect();
        match faults.is_empty() {
            true => Ok(threads.drain().map(|(_, thread)| thread.id).collect()),
            false => Err(Error::from_faults(faults)),
        }
    }
}
