use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    EMAIL_DRAFT, EMAIL_HTML_TOO_LARGE, TEXT_NOT_FOUND, TEXT_NOT_UNIQUE,
    draft_view::LONGEST_HTML,
    hints,
    passages::{Passages, Search, find_in_metadata},
};
use crate::draft_remarks::relocate_passages;
use domain::{
    Capability, TemplateId, UpdateToken,
    time::{Millis, Timestamp},
};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb, to_printable};
use store::email_drafts::{self, Write};

/// Maximum bytes of the body: two texts of 100,000 characters, each written as two `\u` escapes,
/// plus the other fields.
const BODY: usize = 2 * 100_000 * 12 + 100_000;

const WRITTEN_OTHERWISE: &str = "O trecho se lê no e-mail, mas no HTML está escrito de outro modo: com \
    marcas ou entidades no meio, ou com outra caixa, acentos ou espaços.";
const IN_METADATA: &str = "Mude-o com `put_email_draft`: envie o HTML como está e `metadata` com o campo \
    mudado.";
const AS_WRITTEN: &str = "Envie em `procurar` o texto de `details.trechos[].procurar`, que é a ocorrência \
    como está no HTML, e leve para `trocar_por` as marcas que devem ficar.";

/// Substitui um trecho do HTML de um rascunho de e-mail.
///
/// `procurar` é texto exato (`busca` em `get_email_draft` o dá pronto) que aparece uma só vez;
/// senão, envie `todas`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ReplaceInEmailDraft {
    /// Nome do modelo.
    #[serde(rename = "templateId")]
    template_id: TemplateId,
    /// O trecho exato do HTML.
    #[schemars(length(min = 1, max = 100000))]
    procurar: String,
    /// O que fica no lugar; vazio apaga.
    #[schemars(length(max = 100000))]
    trocar_por: String,
    /// Troca todas as ocorrências.
    #[serde(default)]
    todas: bool,
    /// O `updated_at` lido.
    expected_updated_at: UpdateToken,
}

/// Trecho substituído.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EmailDraftReplaced {
    ok: bool,
    template_id: TemplateId,
    /// Quantas ocorrências foram trocadas.
    substituicoes: usize,
    /// Quantos caracteres o HTML tem agora.
    html_length: i64,
    /// O token para a próxima escrita.
    updated_at: Timestamp,
}

impl Operation for ReplaceInEmailDraft {
    const SPEC: Spec = Spec::new(
        "replace_in_email_draft",
        "Substituir trecho de e-mail",
        Verb::Post,
        "/api/email-drafts/{templateId}/substituir",
    )
    .access(Access::Member(Capability::EmailDraftsEdit))
    .about(EMAIL_DRAFT, "templateId")
    .read_by("get_email_draft")
    .fails(&[404])
    .body_limit(BODY)
    .idempotent()
    .extension()
    .destructive()
    .hints(hints::REPLACE)
    .tool();
    type Output = EmailDraftReplaced;

    fn affected_ids(output: &EmailDraftReplaced) -> Vec<&str> {
        vec![output.template_id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<EmailDraftReplaced> {
        let (db, template_id) = (ctx.db(), &self.template_id);
        let found = email_drafts::find(&db, template_id).await?;
        let found = found.ok_or_else(email_drafts::not_found)?;
        require_current_draft(found.updated_at, self.expected_updated_at)?;
        let Some(replaced) = self.count_replacements(&found.html) else {
            return Err(self.not_unique_error(found.html, &found.metadata).await);
        };
        self.require_length_within_limit(found.html_length, replaced)?;
        let html = found.html.replace(&self.procurar, &self.trocar_por);
        let write = Write {
            template_id,
            html: &html,
            metadata: None,
            member_id: &ctx.caller()?.member.id,
        };
        let expected = Some(self.expected_updated_at);
        let written = email_drafts::save(&db, write, expected, ctx.now).await?;
        relocate_passages(ctx, template_id, &html).await?;
        Ok(EmailDraftReplaced {
            ok: true,
            template_id: self.template_id,
            substituicoes: replaced,
            html_length: written.html_length,
            updated_at: Timestamp(written.updated_at),
        })
    }
}

impl ReplaceInEmailDraft {
    /// Counts the replacements, including overlapping occurrences. Returns `None` if the text does not
    /// occur, or if it occurs more than once and `todas` is false.
    fn count_replacements(&self, html: &str) -> Option<usize> {
        let first = html.find(&self.procurar)?;
        if self.todas {
            return Some(html.matches(&self.procurar).count());
        }
        let width = self.procurar.chars().next().map_or(1, char::len_utf8);
        let is_unique = !html[first + width..].contains(&self.procurar);
        is_unique.then_some(1)
    }

    /// Builds the error (409) for a text that does not occur exactly once. The details contain the exact
    /// occurrences or, if there are none, the occurrences in the visible text. If only the metadata
    /// contain the text, the error names the operation that changes the metadata.
    async fn not_unique_error(&self, html: String, metadata: &str) -> Error {
        let find =
            |search| Passages::find_occurrences(html.clone(), self.procurar.clone(), search, None);
        let exact = match find(Search::Exact).await {
            Ok(exact) => exact,
            Err(error) => return error,
        };
        if exact.total > 0 {
            return exact.to_error(TEXT_NOT_UNIQUE);
        }
        let read = match find(Search::Reading).await {
            Ok(read) => read,
            Err(error) => return error,
        };
        let refused = read.to_error(TEXT_NOT_FOUND).with_detail("total", 0.into());
        let in_metadata = match find_in_metadata(metadata, &self.procurar) {
            Ok(in_metadata) => in_metadata,
            Err(error) => return error,
        };
        match (read.trechos.is_empty(), in_metadata.first()) {
            (true, None) => refused,
            (true, Some(text)) => refused
                .because(format!(
                    "O trecho não está no HTML, e sim em `metadata`, no campo `{}`.",
                    to_printable(&text.campo)
                ))
                .with_detail("next", IN_METADATA.into()),
            (false, _) => refused
                .because(WRITTEN_OTHERWISE)
                .with_detail("next", AS_WRITTEN.into()),
        }
    }

    /// Refuses (413) a result that would be too long. This is checked before the result is built,
    /// because the result might not fit in memory.
    fn require_length_within_limit(&self, length: i64, replaced: usize) -> Result<()> {
        let [taken, given, replaced] = [
            self.procurar.chars().count(),
            self.trocar_por.chars().count(),
            replaced,
        ]
        .map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        let result = length.saturating_add((given - taken).saturating_mul(replaced));
        if result > LONGEST_HTML {
            return Err(Error::new(EMAIL_HTML_TOO_LARGE));
        }
        Ok(())
    }
}

fn require_current_draft(current: Millis, expected: UpdateToken) -> Result<()> {
    if current == expected.instant() {
        return Ok(());
    }
    Err(Error::stale_revision(Timestamp(current).to_string()))
}
