use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    DOCUMENT, KnowledgeDocument, enqueue_embedding,
    received::{FIELD, ReceivedDocument, document_exists_error, document_with_tags, split_tags},
    require_not_skill,
};
use domain::{Capability, DocumentId, UpdateToken};
use gateway::{Access, Context, Error, InputForm, Operation, Result, Spec, Verb};
use store::knowledge;

/// Troca um documento da base de conhecimento por outro arquivo.
///
/// O documento mantém o id e toma o nome e o texto do arquivo novo. Recusado quando o documento já
/// mudou: releia com `list_knowledge_documents`. O de uma skill troca-se publicando a skill.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ReplaceKnowledgeDocument {
    /// Id do documento.
    #[serde(rename = "documentoId")]
    documento_id: DocumentId,
    /// O `updated_at` lido.
    expected_updated_at: UpdateToken,
    /// Etiquetas, separadas por vírgula; ausente, as que o documento tem.
    #[schemars(length(max = 1400))]
    tags: Option<String>,
    /// O arquivo.
    #[serde(rename = "file")]
    _file: ReceivedDocument,
}

impl Operation for ReplaceKnowledgeDocument {
    const SPEC: Spec = Spec::new(
        "replace_knowledge_document",
        "Trocar documento da base de conhecimento",
        Verb::Put,
        "/api/rag/documentos/{documentoId}",
    )
    .access(Access::Member(Capability::Config))
    .about(DOCUMENT, "documentoId")
    .read_by("list_knowledge_documents")
    .fails(&[404])
    .takes(InputForm::Multipart(FIELD))
    .extension();
    type Output = KnowledgeDocument;

    fn affected_ids(output: &KnowledgeDocument) -> Vec<&str> {
        vec![output.id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<KnowledgeDocument> {
        let tags = self.tags.as_deref().map(split_tags).transpose()?;
        let (id, db) = (&self.documento_id, ctx.db());
        let expected = self.expected_updated_at.instant();
        require_not_skill(&knowledge::lock_and_read_source(&db, id, expected).await?)?;
        let document = document_with_tags(ctx, tags)?;
        if let Some(taken) = knowledge::replace(&db, id, &document, ctx.now).await? {
            return Err(document_exists_error(&taken, &document.source));
        }
        enqueue_embedding(ctx.services, &db, ctx.now).await?;
        let replaced = knowledge::find(&db, id).await?;
        let replaced = replaced.ok_or_else(|| Error::internal("the document was just replaced"))?;
        Ok(replaced.into())
    }
}
