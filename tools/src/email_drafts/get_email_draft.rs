//! `GET /api/email-drafts/{templateId}`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::draft_view::{EmailDraft, LONGEST_HTML};
use crate::{
    domain::{Capability, TemplateId},
    registry::{Access, Area, Context, Link, Operation, Result, Spec, Verb},
    store::email_drafts,
};

/// Characters of a window that names only its beginning: they fit into an agent's result.
const WINDOW: i64 = 20_000;

/// Lê um rascunho de e-mail, com o HTML inteiro ou só uma janela dele.
///
/// Um HTML longo não cabe no resultado de uma ferramenta: leia em janelas com `de` e `tamanho`,
/// seguindo `janela.proxima` até ela vir nula. Para mudar um trecho sem reenviar o HTML, use
/// `replace_in_email_draft`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetEmailDraft {
    /// Nome do modelo de e-mail.
    #[serde(rename = "templateId")]
    template_id: TemplateId,
    /// Primeiro caractere da janela, a partir de 0. Com `de` ou `tamanho`, só a janela é lida.
    #[schemars(range(min = 0, max = 2000000))]
    de: Option<i64>,
    /// Quantos caracteres da janela; ausente, 20.000.
    #[schemars(range(min = 1, max = 2000000))]
    tamanho: Option<i64>,
}

/// Um rascunho de e-mail.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EmailDraftFound {
    draft: EmailDraft,
    /// Que parte do HTML veio; ausente quando veio inteiro.
    #[serde(skip_serializing_if = "Option::is_none")]
    janela: Option<Window>,
}

/// Parte do HTML, em caracteres.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Window {
    de: i64,
    /// Quantos caracteres vieram.
    tamanho: i64,
    /// Quantos caracteres tem o HTML inteiro.
    total: i64,
    /// O `de` da próxima janela; nulo na última.
    proxima: Option<i64>,
}

impl Operation for GetEmailDraft {
    const SPEC: Spec = Spec::new(
        "get_email_draft",
        "Ler rascunho de e-mail",
        Verb::Get,
        "/api/email-drafts/{templateId}",
    )
    .area(Area::EmailDrafts)
    .access(Access::Member(Capability::EmailDraftsView))
    .about("email_draft", "templateId")
    .fails(&[404])
    .links(&[Link {
        operation: "delete_email_draft",
        inputs: &[
            ("templateId", "/draft/template_id"),
            ("expected_updated_at", "/draft/updated_at"),
        ],
    }])
    .tool();
    type Output = EmailDraftFound;

    async fn run(self, ctx: &Context<'_>) -> Result<EmailDraftFound> {
        let (db, id) = (ctx.db(), self.template_id.as_str());
        let window = (self.de.is_some() || self.tamanho.is_some()).then(|| {
            let length = self.tamanho.unwrap_or(WINDOW).min(LONGEST_HTML);
            (self.de.unwrap_or(0), length)
        });
        let found = match window {
            None => email_drafts::find(&db, id).await?,
            Some((from, length)) => email_drafts::find_window(&db, id, from, length).await?,
        };
        let found = found.ok_or_else(email_drafts::absent)?;
        let janela = window.map(|(from, length)| {
            let total = found.html_length;
            let end = total.min(from + length);
            Window {
                de: from,
                tamanho: (end - from).max(0),
                total,
                proxima: (end < total).then_some(end),
            }
        });
        let draft = EmailDraft::of(ctx, id.to_owned(), found).await?;
        Ok(EmailDraftFound { draft, janela })
    }
}
