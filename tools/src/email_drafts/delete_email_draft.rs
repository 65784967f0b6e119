use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EMAIL_DRAFT, hints};
use crate::draft_remarks::relocate_passages;
use domain::{Capability, TemplateId, UpdateToken};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::email_drafts;

/// Apaga um rascunho de e-mail, e só ele; não há como desfazer.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DeleteEmailDraft {
    /// Nome do modelo.
    #[serde(rename = "templateId")]
    template_id: TemplateId,
    /// O `updated_at` lido.
    expected_updated_at: UpdateToken,
}

/// Rascunho apagado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EmailDraftDeleted {
    ok: bool,
    template_id: TemplateId,
}

impl Operation for DeleteEmailDraft {
    const SPEC: Spec = Spec::new(
        "delete_email_draft",
        "Apagar rascunho de e-mail",
        Verb::Delete,
        "/api/email-drafts/{templateId}",
    )
    .access(Access::Member(Capability::Delete))
    .about(EMAIL_DRAFT, "templateId")
    .read_by("get_email_draft")
    .fails(&[404])
    .hints(hints::DELETE)
    .asks_first("Apagar este rascunho de e-mail? Não há como desfazer.")
    .tool();
    type Output = EmailDraftDeleted;

    fn affected_ids(output: &EmailDraftDeleted) -> Vec<&str> {
        vec![output.template_id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<EmailDraftDeleted> {
        let (id, author) = (&self.template_id, &ctx.caller()?.member.id);
        email_drafts::delete(&ctx.db(), id, self.expected_updated_at, author, ctx.now).await?;
        relocate_passages(ctx, id, "").await?;
        Ok(EmailDraftDeleted {
            ok: true,
            template_id: self.template_id,
        })
    }
}
