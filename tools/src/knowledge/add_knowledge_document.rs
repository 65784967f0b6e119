use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    DOCUMENT, KnowledgeDocument, enqueue_embedding,
    received::{FIELD, ReceivedDocument, document_exists_error, document_with_tags, split_tags},
};
use domain::{Capability, DocumentId};
use gateway::{Access, Context, Error, InputForm, Operation, Result, Spec, Verb};
use store::knowledge;

/// Acrescenta um documento à base de conhecimento.
///
/// O tipo é julgado pelos bytes: PDF até 50 MB; Markdown, texto ou HTML em UTF-8 até 5 MB. Só o texto
/// fica. O nome do arquivo é a fonte nas citações. Recusado quando a base já tem um documento com este
/// nome ou este texto.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AddKnowledgeDocument {
    /// Etiquetas, separadas por vírgula.
    #[schemars(length(max = 1400))]
    tags: Option<String>,
    /// O arquivo.
    #[serde(rename = "file")]
    _file: ReceivedDocument,
}

impl Operation for AddKnowledgeDocument {
    const SPEC: Spec = Spec::new(
        "add_knowledge_document",
        "Acrescentar documento à base de conhecimento",
        Verb::Post,
        "/api/rag/documentos",
    )
    .access(Access::Member(Capability::Config))
    .makes(DOCUMENT)
    .success(201)
    .takes(InputForm::Multipart(FIELD))
    .extension();
    type Output = KnowledgeDocument;

    fn affected_ids(output: &KnowledgeDocument) -> Vec<&str> {
        vec![output.id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<KnowledgeDocument> {
        let tags = self.tags.as_deref().map(split_tags).transpose()?;
        let document = document_with_tags(ctx, tags)?;
        let (id, db) = (DocumentId::new(ctx.now), ctx.db());
        if let Some(taken) = knowledge::add(&db, &id, &document, ctx.now).await? {
            return Err(document_exists_error(&taken, &document.source));
        }
        enqueue_embedding(ctx.services, &db, ctx.now).await?;
        let added = knowledge::find(&db, &id).await?;
        let added = added.ok_or_else(|| Error::internal("the document was just added"))?;
        Ok(added.into())
    }
}
