//! Embeddings from the OpenAI API, or from a compatible server.
//!
//! `POST {base}/v1/embeddings`: <https://platform.openai.com/docs/api-reference/embeddings>. The
//! response numbers each vector by the position of its text in the request; the order of the
//! vectors is arbitrary.

use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use gateway::Result;
use ports::{Embedded, Embedder};
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;

use super::api::{Api, Failure, FailureKind};
use crate::config::EmbeddingModel;

/// The timeout of a batch.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The adapter of the Embeddings API.
pub struct OpenAiEmbeddings {
    api: Api,
    model: String,
    dimensions: Option<u16>,
    least_similarity: f64,
}

impl OpenAiEmbeddings {
    pub fn new(provider: EmbeddingModel) -> anyhow::Result<Self> {
        let setting = "PAUTA_OPENAI_EMBEDDING_MODEL";
        Ok(Self {
            api: Api::for_openai(&provider.account, "embeddings", setting)?,
            model: provider.model,
            dimensions: provider.dimensions,
            least_similarity: provider.least_similarity,
        })
    }

    async fn request_vectors(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure> {
        let mut request = json!({
            "model": self.model,
            "input": texts,
            "encoding_format": "float",
        });
        if let Some(dimensions) = self.dimensions {
            request["dimensions"] = dimensions.into();
        }
        let asked = timeout(TIMEOUT, self.api.post("v1/embeddings", &request)).await;
        let body = asked.unwrap_or_else(|_| Err(self.api.lost_response_failure()))?;
        let vectors = parse_vectors(&body, texts.len(), self.dimensions.map(usize::from));
        vectors.map_err(|fault| self.api.malformed_failure(fault))
    }

    /// Embeds the texts. A rejected batch is split in halves until the rejected texts are isolated;
    /// the other texts are embedded.
    fn embed_by_splitting<'a>(
        &'a self,
        texts: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Embedded>>> {
        Box::pin(async move {
            match self.request_vectors(texts).await {
                Ok(vectors) => Ok(vectors.into_iter().map(Ok).collect()),
                Err(Failure {
                    // These statuses mean a fault of the request, not of the account or model.
                    kind: FailureKind::Refused(400 | 413 | 422),
                    error,
                }) => {
                    if texts.len() == 1 {
                        return Ok(vec![Err(error)]);
                    }
                    let (first, second) = texts.split_at(texts.len() / 2);
                    let mut all = self.embed_by_splitting(first).await?;
                    all.extend(self.embed_by_splitting(second).await?);
                    Ok(all)
                }
                Err(failure) => Err(failure.error),
            }
        })
    }
}

#[async_trait]
impl Embedder for OpenAiEmbeddings {
    fn model_name(&self) -> &str {
        &self.model
    }

    fn least_similarity(&self) -> f64 {
        self.least_similarity
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Embedded>> {
        self.embed_by_splitting(texts).await
    }
}

#[derive(Deserialize)]
struct Listed {
    data: Vec<Numbered>,
}

#[derive(Deserialize)]
struct Numbered {
    index: usize,
    embedding: Vec<f32>,
}

/// Parses the vectors into the order of the request; otherwise returns the fault of the response.
fn parse_vectors(
    body: &[u8],
    count: usize,
    dimensions: Option<usize>,
) -> Result<Vec<Vec<f32>>, &'static str> {
    let answer: Listed = serde_json::from_slice(body).map_err(|_| "a resposta não é a esperada")?;
    let mut vectors = vec![vec![]; count];
    for Numbered { index, embedding } in answer.data {
        match vectors.get_mut(index) {
            Some(place) if place.is_empty() => *place = embedding,
            _ => return Err("os embeddings não são os dos textos enviados"),
        }
    }
    let length = dimensions.unwrap_or_else(|| vectors.first().map_or(0, Vec::len));
    let sound = |vector: &Vec<f32>| {
        let some = vector.iter().any(|n| *n != 0.0) && vector.iter().all(|n| n.is_finite());
        some && vector.len() == length
    };
    if vectors.iter().all(sound) {
        Ok(vectors)
    } else {
        Err("faltam embeddings, ou não têm o tamanho pedido")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_put_in_order_and_malformed_ones_are_refused() {
        let read = |body: &str, dimensions| parse_vectors(body.as_bytes(), 2, dimensions);
        let answer = r#"{"data": [{"index": 1, "embedding": [0, 1]},
            {"index": 0, "embedding": [0.5, 0]}]}"#;
        let (first, second) = (vec![0.5, 0.0], vec![0.0, 1.0]);
        assert_eq!(read(answer, None), Ok(vec![first, second]));
        assert!(read(answer, Some(3)).is_err());
        for odd in [
            "{}",
            r#"{"data": []}"#,
            r#"{"data": [{"index": 0, "embedding": [1]}]}"#,
            r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}"#,
            r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 2, "embedding": [1]}]}"#,
            r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}"#,
            r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [0]}]}"#,
            r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1e60]}]}"#,
            r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": "AACAPw=="}]}"#,
        ] {
            assert!(read(odd, None).is_err(), "{odd}");
        }
    }
}
