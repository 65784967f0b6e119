//! The knowledge base of the demo: the internal documents of a small cooking school.

use anyhow::Result;
use domain::{DocumentId, time::Millis};
use gateway::Gateway;
use search::{Document, Prepared, prepare_for_index};
use store::{Conn, knowledge};

macro_rules! documents {
    ($($name:literal)+) => {
        /// The file name and Markdown of each document.
        pub const DOCUMENTS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("knowledge/", $name)))),+];
    };
}

documents! {
    "casa-compras-estoque.md"
    "casa-cozinha-escola.md"
    "curso-oficina-ferias.md"
    "curso-perguntas-aulas.md"
    "curso-perguntas-matricula.md"
    "equipe-fluxo-editorial.md"
    "estilo-fotografia.md"
    "estilo-receitas.md"
    "estilo-redes-sociais.md"
    "estilo-tom-de-voz.md"
    "ingredientes-farinhas.md"
    "ingredientes-temperos.md"
    "publicacao-checklist-lancamento.md"
    "publicacao-checklist-post.md"
    "publicacao-crise-e-correcoes.md"
    "seguranca-acidentes.md"
    "seguranca-alergenicos.md"
    "seguranca-congelar-descongelar.md"
    "seguranca-contaminacao-cruzada.md"
    "seguranca-maos-e-uniforme.md"
    "seguranca-temperaturas.md"
    "tecnica-afiar-facas.md"
    "tecnica-arroz-branco.md"
    "tecnica-cafe-coado.md"
    "tecnica-caldos.md"
    "tecnica-churrasco.md"
    "tecnica-cortes-de-faca.md"
    "tecnica-doces-calda-ponto.md"
    "tecnica-feijao.md"
    "tecnica-manteiga-noisette.md"
    "tecnica-massa-fresca.md"
    "tecnica-molhos-mae.md"
    "tecnica-ovos.md"
    "tecnica-pao-fermentacao-natural.md"
    "tecnica-peixe-inteiro.md"
    "tecnica-tapioca.md"
}

/// Prepares a document like `pauta knowledge add`. The tag of the document is the first word of its file
/// name.
fn prepare_document(name: &str, markdown: &str) -> Option<Prepared> {
    let tag = name.split('-').next().unwrap_or_default().to_owned();
    let source = format!("escola/{name}");
    prepare_for_index(
        &source,
        name,
        &Document::from_markdown(markdown),
        Some(vec![tag]),
    )
}

/// Adds every document to the knowledge base.
pub async fn seed_documents(gateway: &Gateway, now: Millis) -> Result<()> {
    let prepared = tokio::task::spawn_blocking(|| -> Vec<Prepared> {
        let documents = DOCUMENTS.iter();
        documents
            .filter_map(|(name, markdown)| prepare_document(name, markdown))
            .collect()
    });
    let prepared = prepared.await?;
    let tx = gateway.services.db.begin().await?;
    for document in prepared {
        knowledge::save_document(&tx.conn(), document, now).await?;
    }
    Ok(tx.commit().await?)
}

/// The name and Markdown of the documents that the examples replace and remove.
const EXAMPLES: [(&str, &str); 2] = [
    (
        "cardapio-de-agosto.md",
        "# Cardápio de agosto\n\nCanjica, caldo de abóbora e bolo de fubá no café da manhã.\n",
    ),
    (
        "cardapio-de-2025.md",
        "# Cardápio de 2025\n\nPamonha aos sábados, enquanto houver milho verde.\n",
    ),
];

/// Adds the documents that the examples replace and remove, with these ids.
pub(super) async fn seed_examples(
    db: &Conn<'_>,
    ids: [DocumentId; 2],
    written: Millis,
) -> Result<()> {
    for (id, (name, markdown)) in ids.iter().zip(EXAMPLES) {
        let document = Document::from_markdown(markdown);
        let tags = Some(vec!["exemplo".to_owned()]);
        if let Some(document) = prepare_for_index(name, name, &document, tags) {
            knowledge::add(db, id, &document, written).await?;
        }
    }
    Ok(())
}
