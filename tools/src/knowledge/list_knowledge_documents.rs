use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clean_tag;
use domain::{Capability, Cursor, DocumentId, Limit, ListPage, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::knowledge::{self, Listed, SKILL_SOURCE};

/// Lista os documentos da base de conhecimento, do mudado por último ao mais antigo, sem o texto.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListKnowledgeDocuments {
    /// Só documentos com esta etiqueta.
    #[schemars(length(min = 1, max = 64))]
    tag: Option<String>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Documentos da base de conhecimento.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KnowledgeDocuments {
    documentos: Vec<KnowledgeDocument>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// Um documento da base.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KnowledgeDocument {
    /// O `documento_id` das citações.
    pub(super) id: DocumentId,
    titulo: String,
    /// De onde veio: arquivo ou `skill:nome`.
    fonte: String,
    /// O nome da skill publicada que ele é; nulo num arquivo.
    skill: Option<String>,
    tags: Vec<String>,
    caracteres: i64,
    /// Em quantos trechos foi dividido.
    trechos: usize,
    /// Quando mudou pela última vez.
    updated_at: Timestamp,
}

impl Operation for ListKnowledgeDocuments {
    const SPEC: Spec = Spec::new(
        "list_knowledge_documents",
        "Listar documentos da base de conhecimento",
        Verb::Get,
        "/api/rag/documentos",
    )
    .access(Access::Member(Capability::Rag))
    .extension();
    type Output = KnowledgeDocuments;

    async fn run(self, ctx: &Context<'_>) -> Result<KnowledgeDocuments> {
        let after = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let tag = self.tag.as_deref().map(clean_tag);
        let rows = knowledge::list_page(&ctx.db(), tag.as_deref(), after, self.limit.fetch_limit())
            .await?;
        let page =
            ListPage::from_fetched_rows(rows, self.limit, |row| (row.updated_at, row.id.clone()));
        Ok(KnowledgeDocuments {
            documentos: page.rows.into_iter().map(KnowledgeDocument::from).collect(),
            next_cursor: page.next_cursor,
        })
    }
}

impl From<Listed> for KnowledgeDocument {
    fn from(row: Listed) -> Self {
        Self {
            id: row.id,
            titulo: row.title,
            skill: row.source.strip_prefix(SKILL_SOURCE).map(str::to_owned),
            fonte: row.source,
            tags: row.tags,
            caracteres: row.characters,
            trechos: row.chunks,
            updated_at: Timestamp(row.updated_at),
        }
    }
}
