//! A draft as shown in responses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

use domain::{MemberId, TemplateId, time::Timestamp};
use gateway::Result;
use store::email_drafts::Draft;

/// Maximum characters of a draft's HTML.
pub(super) const LONGEST_HTML: i64 = 2_000_000;

/// Rascunho de e-mail.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct EmailDraft {
    pub(super) template_id: TemplateId,
    /// O HTML. Fica fora da resposta de uma ferramenta que o repetiria inteiro e não caberia.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) html: Option<String>,
    /// Quantos caracteres tem o HTML inteiro.
    pub(super) html_length: i64,
    /// Objeto livre.
    #[schemars(with = "Map<String, Value>")]
    pub(super) metadata: Box<RawValue>,
    /// O token para a próxima escrita.
    pub(super) updated_at: Timestamp,
    /// Quem escreveu por último.
    pub(super) updated_by: MemberId,
    pub(super) updated_by_name: Option<String>,
}

impl EmailDraft {
    /// Builds the view of a stored draft.
    pub(super) fn from_stored(template_id: TemplateId, draft: Draft) -> Result<Self> {
        Ok(Self {
            template_id,
            html: Some(draft.html),
            html_length: draft.html_length,
            metadata: RawValue::from_string(draft.metadata)?,
            updated_at: Timestamp(draft.updated_at),
            updated_by_name: draft.updated_by_name,
            updated_by: draft.updated_by,
        })
    }
}
