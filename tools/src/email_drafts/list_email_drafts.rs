use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

use domain::{Capability, Cursor, Limit, ListPage, MemberId, TemplateId, time::Timestamp};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb};

/// Lista os rascunhos de e-mail da equipe. O HTML: `get_email_draft`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListEmailDrafts {
    /// Texto do nome ou dos metadados.
    #[schemars(length(min = 1, max = 200))]
    q: Option<String>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Rascunhos de e-mail.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EmailDrafts {
    drafts: Vec<EmailDraftLine>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// Rascunho sem o HTML.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EmailDraftLine {
    template_id: TemplateId,
    /// Quantos caracteres tem o HTML.
    html_length: i64,
    /// Objeto livre.
    #[schemars(with = "Map<String, Value>")]
    metadata: Box<RawValue>,
    /// O token para a próxima escrita.
    updated_at: Timestamp,
    /// Quem escreveu por último.
    updated_by: MemberId,
    updated_by_name: Option<String>,
}

impl Operation for ListEmailDrafts {
    const SPEC: Spec = Spec::new(
        "list_email_drafts",
        "Listar rascunhos de e-mail",
        Verb::Get,
        "/api/email-drafts",
    )
    .access(Access::Member(Capability::EmailDraftsView))
    .links(&[Link {
        operation: "get_email_draft",
        inputs: &[("templateId", "/drafts/0/template_id")],
    }])
    .tool()
    .quotes();
    type Output = EmailDrafts;

    async fn run(self, ctx: &Context<'_>) -> Result<EmailDrafts> {
        let after = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let rows = store::email_drafts::list(
            &ctx.db(),
            self.q.as_deref(),
            after,
            self.limit.fetch_limit(),
        )
        .await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |row| {
            (row.updated_at, row.template_id.clone())
        });
        let authors = page.rows.iter().map(|row| &row.updated_by).collect();
        let names = store::members::load_names(&ctx.db(), authors).await?;
        let line = |row: store::email_drafts::Listed| -> Result<EmailDraftLine> {
            Ok(EmailDraftLine {
                template_id: row.template_id,
                html_length: row.html_length.unwrap_or_default(),
                metadata: RawValue::from_string(row.metadata)?,
                updated_at: Timestamp(row.updated_at),
                updated_by_name: names.get(&row.updated_by).cloned(),
                updated_by: row.updated_by,
            })
        };
        Ok(EmailDrafts {
            drafts: page.rows.into_iter().map(line).collect::<Result<_>>()?,
            next_cursor: page.next_cursor,
        })
    }
}
