use std::{collections::HashSet, fmt::Write};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use search::excerpt;

use super::{
    clean_tag,
    find::{Found, search_passages},
    hints,
};
use domain::{Capability, ChunkId, DocumentId, VISIBLE};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::knowledge::Within;

/// Maximum characters of `contexto`. A model reads this field together with its prompt; a tool result
/// could be much longer.
const CONTEXT: usize = 16_000;
/// Minimum share of the query, weighted by the rarity of its words, that the best passages must match.
/// With the school's documents, 1 % of the queries that the documents answer and 80 % of the queries
/// that they do not answer are below this share.
const ANSWERED: f64 = 0.35;

/// Pesquisa na base de conhecimento da equipe e devolve trechos com as fontes para citar.
///
/// Acha por radical, sinônimos e sentido. Entre aspas, a expressão inteira; `ferment*`, o começo.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SearchKnowledge {
    /// Pergunta ou palavras de busca.
    #[schemars(length(min = 1, max = 4000), regex(pattern = *VISIBLE))]
    pergunta: String,
    /// Trechos, no máximo.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 20))]
    limite: u8,
    /// Só documentos com uma destas etiquetas.
    #[schemars(length(min = 1, max = 20), inner(length(min = 1, max = 64)))]
    tags: Option<Vec<String>>,
}

fn default_limit() -> u8 {
    6
}

/// O que a base tem sobre a pergunta.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KnowledgeFound {
    /// Os trechos inteiros com as fontes numeradas na ordem de `citacoes`, prontos para um modelo
    /// ler; até 16.000 caracteres. Vazio quando nada foi encontrado.
    contexto: String,
    /// Do mais ao menos relevante.
    citacoes: Vec<Citation>,
    /// Como foi pesquisado.
    busca: Search,
    /// O que convém contar a uma pessoa; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
}

/// `texto`, só pelas palavras; `hibrida`, também pelo sentido.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Search {
    Texto,
    Hibrida,
}

/// Um trecho encontrado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Citation {
    /// Id do trecho; não muda enquanto o texto dele não mudar.
    id: ChunkId,
    /// Id do documento de onde vem.
    documento_id: DocumentId,
    /// Documento e seção.
    titulo: String,
    /// A parte do trecho que casa com a pergunta.
    trecho: String,
    /// De onde o documento veio: arquivo ou `skill:nome`.
    fonte: String,
    /// Relevância: compara trechos de uma mesma resposta.
    pontuacao: f64,
}

impl Operation for SearchKnowledge {
    const SPEC: Spec = Spec::new(
        "search_knowledge",
        "Pesquisar na base de conhecimento",
        Verb::Post,
        "/api/rag",
    )
    .access(Access::Member(Capability::Rag))
    .reads()
    .hints(hints::SEARCH)
    .tool()
    .quotes();
    type Output = KnowledgeFound;

    async fn run(self, ctx: &Context<'_>) -> Result<KnowledgeFound> {
        let tags = self.tags.unwrap_or_default();
        let tags: Vec<String> = tags.iter().map(|tag| clean_tag(tag)).collect();
        let limit = usize::from(self.limite);
        let within = Within {
            tags: &tags,
            ..Within::default()
        };
        let found = search_passages(&ctx.db(), ctx.services, &self.pergunta, within, limit).await?;
        let Found {
            hits,
            terms,
            by_sense,
            share,
        } = found;
        let avisos = low_match_warning(hits.len(), share).into_iter().collect();
        let terms: HashSet<&str> = terms.iter().map(String::as_str).collect();
        let mut context = Sources::default();
        let mut citations = vec![];
        for hit in hits {
            let passage = hit.passage;
            context.add_source(&passage.title, &passage.source, &passage.text);
            citations.push(Citation {
                trecho: excerpt(&passage.text, &terms),
                id: passage.id,
                documento_id: passage.document_id,
                titulo: passage.title,
                fonte: passage.source,
                pontuacao: (hit.score * 1_000.0).round() / 1_000.0,
            });
        }
        Ok(KnowledgeFound {
            contexto: context.text,
            citacoes: citations,
            busca: match by_sense {
                true => Search::Hibrida,
                false => Search::Texto,
            },
            avisos,
        })
    }
}

/// Returns the warning that even the best passages match only a small share of the query; `None` if the
/// share is large enough.
fn low_match_warning(hits: usize, share: f64) -> Option<String> {
    (hits > 0 && share < ANSWERED).then(|| {
        "Pouca confiança: os trechos tocam só uma pequena parte da pergunta, e a base talvez não \
         tenha a resposta. Diga isso a quem perguntou, ou pesquise com outras palavras."
            .into()
    })
}

/// Numbered sources, joined into one text of limited length.
#[derive(Default)]
struct Sources {
    text: String,
    length: usize,
    count: usize,
}

impl Sources {
    fn add_source(&mut self, title: &str, source: &str, text: &str) {
        self.count += 1;
        let mut block = String::new();
        if self.count > 1 {
            block.push_str("\n\n");
        }
        let _ = write!(block, "[{}] {title} (fonte: {source})\n{text}", self.count);
        let length = block.chars().count();
        // A source that does not fit completely is left out of the context; its citation still has
        // an excerpt.
        if self.length + length <= CONTEXT {
            self.length += length;
            self.text.push_str(&block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_is_numbered_and_bounded() {
        let mut context = Sources::default();
        for _ in 0..20 {
            context.add_source("Título", "a.md", &"ã".repeat(1_200));
        }
        assert!(context.text.starts_with("[1] Título (fonte: a.md)\nã"));
        assert!(context.text.contains("\n\n[12] Título"));
        assert!(context.text.chars().count() <= CONTEXT);
    }
}
