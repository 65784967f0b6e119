use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    EMAIL_DRAFT,
    draft_view::EmailDraft,
    hints,
    passages::{MetadataText, Passages, Search, find_in_metadata},
};
use domain::{Capability, Cursor, RequestedWindow, TemplateId, Window};
use gateway::{Access, Context, Error, Link, Operation, Result, Spec, Verb};
use store::email_drafts;

/// Lê um rascunho de e-mail: o HTML inteiro, uma janela ou só trechos.
///
/// HTML longo, em janelas: `de` e `tamanho`, até `janela.proxima` nula. Com `busca`, só os trechos,
/// cada um com o `procurar` de `replace_in_email_draft`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetEmailDraft {
    /// Nome do modelo.
    #[serde(rename = "templateId")]
    template_id: TemplateId,
    #[serde(flatten)]
    part: RequestedWindow,
    /// Texto como se lê ou como está no HTML.
    #[schemars(length(min = 1, max = 1000))]
    busca: Option<String>,
    /// O `ocorrencias.next_cursor` da página anterior; só com `busca`.
    cursor: Option<Cursor>,
}

/// Um rascunho de e-mail.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EmailDraftFound {
    draft: EmailDraft,
    /// Que parte do HTML veio; ausente quando veio inteiro.
    #[serde(skip_serializing_if = "Option::is_none")]
    janela: Option<Window>,
    /// Onde `busca` aparece.
    #[serde(skip_serializing_if = "Option::is_none")]
    ocorrencias: Option<Passages>,
    /// Os textos de `metadata`, como o assunto, que contêm `busca`; ausente quando nenhum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nos_metadados: Vec<MetadataText>,
}

impl Operation for GetEmailDraft {
    const SPEC: Spec = Spec::new(
        "get_email_draft",
        "Ler rascunho de e-mail",
        Verb::Get,
        "/api/email-drafts/{templateId}",
    )
    .access(Access::Member(Capability::EmailDraftsView))
    .about(EMAIL_DRAFT, "templateId")
    .fails(&[404])
    .links(&[Link {
        operation: "delete_email_draft",
        inputs: &[
            ("templateId", "/draft/template_id"),
            ("expected_updated_at", "/draft/updated_at"),
        ],
    }])
    .hints(hints::READ)
    .tool()
    .quotes();
    type Output = EmailDraftFound;

    async fn run(self, ctx: &Context<'_>) -> Result<EmailDraftFound> {
        let (db, id) = (ctx.db(), &self.template_id);
        let span = self.part.requested_range();
        if span.is_some() && self.busca.is_some() {
            let message = "não vem junto com `de` ou `tamanho`";
            return Err(Error::invalid_field("busca", "not", message));
        }
        let after = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        if after.is_some() && self.busca.is_none() {
            let message = "vale só com `busca`";
            return Err(Error::invalid_field("cursor", "dependentRequired", message));
        }
        let found = match span {
            None => email_drafts::find(&db, id).await?,
            Some(span) => email_drafts::find_with_html_range(&db, id, span).await?,
        };
        let found = found.ok_or_else(email_drafts::not_found)?;
        let janela = span.map(|span| Window::from_range(span, found.html_length));
        let mut draft = EmailDraft::from_stored(id.clone(), found)?;
        let nos_metadados = match &self.busca {
            None => vec![],
            Some(text) => find_in_metadata(draft.metadata.get(), text)?,
        };
        let ocorrencias = match self.busca {
            None => None,
            Some(text) => {
                let html = draft.html.take().unwrap_or_default();
                Some(Passages::find_occurrences(html, text, Search::Reading, after).await?)
            }
        };
        Ok(EmailDraftFound {
            draft,
            janela,
            ocorrencias,
            nos_metadados,
        })
    }
}
