use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DOCUMENT, require_not_skill};
use domain::{Capability, DocumentId, UpdateToken};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::knowledge;

/// Tira um documento da base de conhecimento.
///
/// Recusado quando o documento já mudou: releia com `list_knowledge_documents`. O de uma skill sai com a
/// skill. Não há como desfazer.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RemoveKnowledgeDocument {
    /// Id do documento.
    #[serde(rename = "documentoId")]
    documento_id: DocumentId,
    /// O `updated_at` lido.
    expected_updated_at: UpdateToken,
}

/// Documento tirado da base.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KnowledgeDocumentRemoved {
    ok: bool,
    id: DocumentId,
    fonte: String,
}

impl Operation for RemoveKnowledgeDocument {
    const SPEC: Spec = Spec::new(
        "remove_knowledge_document",
        "Tirar documento da base de conhecimento",
        Verb::Delete,
        "/api/rag/documentos/{documentoId}",
    )
    .access(Access::Member(Capability::Config))
    .about(DOCUMENT, "documentoId")
    .read_by("list_knowledge_documents")
    .fails(&[404])
    .extension();
    type Output = KnowledgeDocumentRemoved;

    fn affected_ids(output: &KnowledgeDocumentRemoved) -> Vec<&str> {
        vec![output.id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<KnowledgeDocumentRemoved> {
        let (id, db) = (self.documento_id, ctx.db());
        let expected = self.expected_updated_at.instant();
        let fonte = knowledge::lock_and_read_source(&db, &id, expected).await?;
        require_not_skill(&fonte)?;
        knowledge::remove(&db, &id).await?;
        Ok(KnowledgeDocumentRemoved {
            ok: true,
            id,
            fonte,
        })
    }
}
