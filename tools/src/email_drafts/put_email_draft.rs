use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

use super::{EMAIL_DRAFT, EMAIL_HTML_TOO_LARGE, draft_view::EmailDraft, hints};
use crate::draft_remarks::relocate_passages;
use domain::{Capability, ExpectedUpdate, TemplateId, time::Timestamp};
use gateway::{Access, Context, Error, Link, Operation, Result, Spec, Verb};
use store::email_drafts::{self, Write};

/// Maximum bytes of the metadata as JSON. The metadata are part of every list of drafts and of every
/// response to a write.
const MOST_METADATA: usize = 20_000;

/// Maximum bytes of the body: 2,000,000 characters, each written as two `\u` escapes, plus the
/// other fields.
const BODY: usize = 2_000_000 * 12 + 1_000_000;

/// Grava um rascunho de e-mail inteiro: novo ou, com `expected_updated_at`, no lugar do lido em
/// `get_email_draft`. Só um trecho: `replace_in_email_draft`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PutEmailDraft {
    /// Nome do modelo, sem espaços, até 200.
    #[serde(rename = "templateId")]
    template_id: TemplateId,
    /// O HTML inteiro.
    #[schemars(length(max = 2000000))]
    html: String,
    /// Objeto livre, até 20 kB; ausente mantém.
    metadata: Option<Map<String, Value>>,
    /// O `updated_at` lido. Ausente, cria.
    expected_updated_at: ExpectedUpdate,
}

/// Rascunho gravado.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct EmailDraftPut {
    ok: bool,
    draft: EmailDraft,
}

impl Operation for PutEmailDraft {
    const SPEC: Spec = Spec::new(
        "put_email_draft",
        "Gravar rascunho de e-mail",
        Verb::Put,
        "/api/email-drafts/{templateId}",
    )
    .access(Access::Member(Capability::EmailDraftsEdit))
    .about(EMAIL_DRAFT, "templateId")
    .read_by("get_email_draft")
    .body_limit(BODY)
    .values(MOST_METADATA)
    .oversize("html", EMAIL_HTML_TOO_LARGE)
    .links(&[
        Link {
            operation: "get_email_draft",
            inputs: &[("templateId", "/draft/template_id")],
        },
        Link {
            operation: "put_email_draft",
            inputs: &[
                ("templateId", "/draft/template_id"),
                ("expected_updated_at", "/draft/updated_at"),
            ],
        },
        Link {
            operation: "replace_in_email_draft",
            inputs: &[
                ("templateId", "/draft/template_id"),
                ("expected_updated_at", "/draft/updated_at"),
            ],
        },
        Link {
            operation: "delete_email_draft",
            inputs: &[
                ("templateId", "/draft/template_id"),
                ("expected_updated_at", "/draft/updated_at"),
            ],
        },
    ])
    .hints(hints::WRITE)
    .tool();
    type Output = EmailDraftPut;

    fn affected_ids(output: &EmailDraftPut) -> Vec<&str> {
        vec![output.draft.template_id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<EmailDraftPut> {
        let author = &ctx.caller()?.member;
        let write = Write {
            template_id: &self.template_id,
            html: &self.html,
            metadata: self.metadata.map(serialize_metadata).transpose()?,
            member_id: &author.id,
        };
        let ExpectedUpdate(expected) = self.expected_updated_at;
        let written = email_drafts::save(&ctx.db(), write, expected, ctx.now).await?;
        relocate_passages(ctx, &self.template_id, &self.html).await?;
        Ok(EmailDraftPut {
            ok: true,
            draft: EmailDraft {
                template_id: self.template_id,
                html: Some(self.html),
                html_length: written.html_length,
                metadata: RawValue::from_string(written.metadata)?,
                updated_at: Timestamp(written.updated_at),
                updated_by: author.id.clone(),
                updated_by_name: Some(author.name.clone()),
            },
        })
    }

    fn remove_repeated_parts(put: &mut EmailDraftPut) -> bool {
        put.draft.html.take().is_some()
    }

    fn restore_answer(self, kept: &str) -> Result<String> {
        let mut put: EmailDraftPut = serde_json::from_str(kept)?;
        put.draft.html = Some(self.html);
        Ok(serde_json::to_string(&put)?)
    }
}

/// Serializes the metadata for storage. Refuses (400) metadata that are too long.
fn serialize_metadata(given: Map<String, Value>) -> Result<String> {
    let given = Value::Object(given);
    let text = given.to_string();
    if text.len() > MOST_METADATA {
        let message = "deve ter no máximo 20.000 bytes de JSON";
        return Err(Error::invalid_field("metadata", "maxLength", message));
    }
    Ok(text)
}
