use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    REMARK, WRITERS, hints, not_found, remark_view::ThreadState, require_own_remark,
    require_remark, require_room_on_draft, require_room_on_piece,
};
use crate::draft_remarks::relocate_passages;
use domain::{RemarkId, VISIBLE};
use gateway::{Context, Error, Operation, Result, Spec, Verb};
use store::{
    email_drafts, events,
    remarks::{self, Remark},
};

/// Edita um comentário próprio, ou resolve a conversa.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UpdateRemark {
    /// Id do comentário.
    #[serde(rename = "remarkId")]
    remark_id: RemarkId,
    /// Texto novo.
    #[schemars(length(min = 1, max = 4000), regex(pattern = *VISIBLE))]
    texto: Option<String>,
    /// `false` reabre.
    resolvido: Option<bool>,
}

/// Comentário mudado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RemarkUpdated {
    ok: bool,
    id: RemarkId,
    conversa: RemarkId,
    /// Da conversa.
    estado: ThreadState,
}

impl Operation for UpdateRemark {
    const SPEC: Spec = Spec::new(
        "update_remark",
        "Editar ou resolver comentário",
        Verb::Patch,
        "/api/comentarios/{remarkId}",
    )
    .access(WRITERS)
    .about(REMARK, "remarkId")
    .fails(&[404])
    .extension()
    .idempotent()
    .hints(hints::UPDATE)
    .tool()
    .announces_nothing();
    type Output = RemarkUpdated;

    async fn run(self, ctx: &Context<'_>) -> Result<RemarkUpdated> {
        if self.texto.is_none() && self.resolvido.is_none() {
            let message = "informe `texto`, `resolvido` ou os dois";
            return Err(Error::invalid_field("texto", "required", message));
        }
        let db = ctx.db();
        let seen = require_remark(ctx, &self.remark_id).await?;
        let reopens = self.resolvido == Some(false);
        // Locks the draft before the piece, in the same order as the operations that write drafts.
        let html = match seen.template_id.as_ref().filter(|_| reopens) {
            Some(id) => email_drafts::find_locked(&db, id).await?,
            None => None,
        };
        let html = html.map(|draft| draft.html).unwrap_or_default();
        events::lock_event(&db, &seen.event_id).await?;
        // Another caller may have changed the thread before the lock was taken.
        let remark = require_remark(ctx, &self.remark_id).await?;
        let one = std::slice::from_ref(&remark.id);
        let threads = remarks::load_threads(&db, &remark.event_id, one).await?;
        if threads.is_empty() {
            return Err(not_found());
        }
        if let Some(text) = &self.texto {
            require_own_remark(ctx, &remark)?;
            if *text != remark.text {
                remarks::set_text(&db, &remark.id, text, ctx.now).await?;
            }
        }
        let thread = &remark.thread_id;
        match self.resolvido {
            Some(true) => remarks::resolve(&db, thread, &ctx.caller()?.member.id, ctx.now).await?,
            Some(false) => reopen(ctx, &remark, &html).await?,
            None => {}
        }
        let first = remarks::find(&db, thread).await?.ok_or_else(not_found)?;
        Ok(RemarkUpdated {
            ok: true,
            estado: ThreadState::from_first_remark(&first),
            id: remark.id,
            conversa: remark.thread_id,
        })
    }
}

/// Reopens the thread of a remark, if the thread is resolved. Refuses (409) a piece or an e-mail draft
/// with too many open threads. `html` is the HTML of the draft; empty if the thread is not about a
/// draft.
async fn reopen(ctx: &Context<'_>, remark: &Remark, html: &str) -> Result<()> {
    let (db, thread) = (ctx.db(), &remark.thread_id);
    let first = remarks::find(&db, thread).await?.ok_or_else(not_found)?;
    if first.resolved_at.is_none() {
        return Ok(());
    }
    require_room_on_piece(ctx, &remark.event_id, first.guest_link_id.is_some()).await?;
    let Some(template_id) = &remark.template_id else {
        return Ok(remarks::reopen(&db, thread).await?);
    };
    require_room_on_draft(ctx, template_id).await?;
    remarks::reopen(&db, thread).await?;
    relocate_passages(ctx, template_id, html).await
}
